import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type Reward, RewardService } from '../../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useVenues } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Rows } from '../../parts/rows.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { valueText } from '../calculations/reasons.js'
import styles from './members.module.css'

interface RewardsProps {
  readonly memberId: string
  readonly isBlocked: boolean
}

/** What the member could spend value on now, at a venue: the first one until another is chosen. */
export function Rewards({ memberId, isBlocked }: RewardsProps) {
  const t = useWords()
  const navigate = useNavigate()
  const venues = useVenues()
  const search = useSearch({ from: '/members/$memberId' })
  const venue = venues.find(({ venueId }) => venueId === search.venueId) ?? venues[0]
  if (isBlocked) return <p className="muted">{t('rewards.blocked')}</p>
  if (venue === undefined) return <p className="muted">{t('rewards.noVenue')}</p>
  return (
    <>
      <label className={styles['venue']}>
        {t('rewards.venue')}
        <select
          value={venue.venueId}
          onChange={({ target }) =>
            void navigate({ to: '.', search: { ...search, venueId: target.value }, replace: true })
          }
        >
          {venues.map(({ venueId, name }) => (
            <option key={venueId} value={venueId}>
              {name || venueId}
            </option>
          ))}
        </select>
      </label>
      <RewardsAt memberId={memberId} venueId={venue.venueId} currency={venue.currency} />
    </>
  )
}

interface RewardsAtProps {
  readonly memberId: string
  readonly venueId: string
  readonly currency: string
}

function RewardsAt({ memberId, venueId, currency }: RewardsAtProps) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const query = useQuery(RewardService.method.listRewards, {
    member: { by: { case: 'memberId', value: memberId } },
    venueId,
  })
  if (query.isPending) return <Skeleton lines={2} />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  const value = (currencyId: string, amount: bigint) => valueText({ t, names }, currencyId, amount)
  const { rewards } = query.data
  if (rewards.length === 0) return <Empty why={t('rewards.none')}>{t('rewards.noneWhat')}</Empty>
  return (
    <Rows<Reward>
      label={t('rewards.title')}
      rows={rewards}
      keyOf={({ benefitId }) => benefitId}
      columns={[
        { key: 'text', head: t('rewards.benefit'), cell: ({ text, benefitId }) => text || benefitId },
        {
          key: 'costs',
          head: t('rewards.costs'),
          cell: ({ currencyId, amount, per }) => `${value(currencyId, amount)} ${t.of('costPer', per)}`,
        },
        {
          key: 'times',
          head: t('rewards.now'),
          cell: ({ times, missing, currencyId }) =>
            times > 0n ? (
              <span className="gained">{t('rewards.times', { count: times })}</span>
            ) : (
              t('rewards.missing', { missing: value(currencyId, missing) })
            ),
        },
        {
          key: 'worth',
          head: t('rewards.worth', { currency }),
          cell: ({ worth }) => <Money minor={worth} currency={currency} />,
          isNumber: true,
        },
      ]}
    />
  )
}
