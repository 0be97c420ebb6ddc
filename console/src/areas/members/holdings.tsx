import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type LimitCounter, LimitService } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { type Reward, RewardService } from '../../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import type { Account } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { nowMs } from '../../api/clock.js'
import { memberRef, useProgrammeNames } from '../../api/programme.js'
import { pageSize } from '../../api/use-pages.js'
import { useVenues } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Select, TextLink } from '../../parts/controls.js'
import { type Column, moneyColumn, Rows } from '../../parts/rows.js'
import { formatScaled } from '../../parts/scaled.js'
import { Empty, Waiting } from '../../parts/states.js'
import { Time } from '../../parts/values.js'
import { valueText } from '../calculations/reasons.js'
import { unitsText } from '../limits/units.js'
import styles from './members.module.css'

const lotsShown = 6

export function Accounts({ accounts }: { readonly accounts: readonly Account[] }) {
  const t = useWords()
  if (accounts.length === 0) return <Empty why={t('member.noBalances')} />
  return (
    <div className={styles['accounts']}>
      {accounts.map((account) => (
        <AccountPart key={account.currencyId} account={account} />
      ))}
    </div>
  )
}

function AccountPart({ account }: { readonly account: Account }) {
  const t = useWords()
  const { currencyId, name, scale, available, pending, held, debt, lots } = account
  const shown = (amount: bigint) => formatScaled(amount, scale, t.locale)
  return (
    <section className={styles['account']} aria-label={name || currencyId}>
      <h3>{name || currencyId}</h3>
      <p>
        <span className={styles['figure']}>{shown(available)}</span>{' '}
        <span className="muted">{t('account.available')}</span>
      </p>
      <p className="muted">
        {[
          pending > 0n ? t('account.pending', { amount: shown(pending) }) : '',
          held > 0n ? t('account.held', { amount: shown(held) }) : '',
        ]
          .filter((text) => text !== '')
          .join(', ')}
      </p>
      {debt > 0n && <p className="lost">{t('account.debt', { amount: shown(debt) })}</p>}
      {lots.length > 0 && (
        <table className={styles['lots']}>
          <thead>
            <tr>
              <th scope="col" className="number">
                {t('lot.amount')}
              </th>
              <th scope="col">{t('lot.opens')}</th>
              <th scope="col">{t('field.expires')}</th>
            </tr>
          </thead>
          <tbody>
            {lots.slice(0, lotsShown).map((lot, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a lot has no name of its own
              <tr key={at}>
                <td className="number">{shown(lot.amount)}</td>
                <td>
                  {lot.opensAt !== undefined && Number(lot.opensAt.seconds) * 1_000 <= nowMs() ? (
                    t('lot.isOpen')
                  ) : (
                    <Time at={lot.opensAt} show="day" />
                  )}
                </td>
                <td>{lot.expiresAt === undefined ? t('lot.never') : <Time at={lot.expiresAt} show="lastDay" />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {lots.length > lotsShown && <p className="muted small">{t('lot.more', { count: lots.length - lotsShown })}</p>}
    </section>
  )
}

export function LimitsUsed({ memberId }: { readonly memberId: string }) {
  const t = useWords()
  const query = useQuery(LimitService.method.listLimits, { subject: memberId, pageSize })
  if (!query.isSuccess) return <Waiting query={query} lines={2} />
  const { counters, nextPageToken } = query.data
  if (counters.length === 0) return <p className="muted">{t('member.noLimits')}</p>
  return (
    <>
      <Rows
        label={t('member.limits')}
        columns={columnsOf(t, memberId)}
        rows={counters}
        keyOf={({ limitId, period }) => `${limitId}/${period}`}
      />
      {nextPageToken !== '' && <p className="muted small">{t('member.moreLimits', { count: counters.length })}</p>}
    </>
  )
}

function columnsOf(t: Words, memberId: string): readonly Column<LimitCounter>[] {
  const units = (amount: (counter: LimitCounter) => bigint) => (counter: LimitCounter) =>
    unitsText(counter, amount(counter), t.locale)
  const freed = ({ open, lastExpiryAt }: LimitCounter) =>
    open > 0n && (
      <>
        <Time at={lastExpiryAt} />{' '}
        <TextLink to="/calculations" search={{ memberId, state: 'open' }} text={t('limit.open')} />
      </>
    )
  return [
    { key: 'limit', head: t('limit.id'), cell: ({ limitId }) => limitId },
    { key: 'period', head: t('limit.period'), cell: ({ period }) => period || t('period.ever') },
    { key: 'used', head: t('limit.used'), cell: units(({ used, late }) => used + late), isNumber: true },
    { key: 'held', head: t('limit.held'), cell: units(({ open }) => open), isNumber: true },
    { key: 'maximum', head: t('limit.maximum'), cell: units(({ maximum }) => maximum), isNumber: true },
    { key: 'freed', head: t('limit.freed'), cell: freed },
  ]
}

export function Rewards({ memberId, isBlocked }: { readonly memberId: string; readonly isBlocked: boolean }) {
  const t = useWords()
  const navigate = useNavigate()
  const venues = useVenues()
  const search = useSearch({ from: '/members/$memberId' })
  const venue = venues.find(({ venueId }) => venueId === search.venueId) ?? venues[0]
  if (isBlocked) return <p className="muted">{t('rewards.blocked')}</p>
  if (venue === undefined) return <p className="muted">{t('rewards.noVenue')}</p>
  return (
    <>
      <div className={styles['venue']}>
        <Select
          label={t('rewards.venue')}
          value={venue.venueId}
          onText={(text) => void navigate({ to: '.', search: { ...search, venueId: text }, replace: true })}
          options={venues.map(({ venueId, name }) => [venueId, name || venueId])}
        />
      </div>
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
    member: memberRef(memberId),
    venueId,
  })
  if (!query.isSuccess) return <Waiting query={query} lines={2} />
  const value = (currencyId: string, amount: bigint) => valueText({ t, names }, currencyId, amount)
  const { rewards } = query.data
  if (rewards.length === 0) return <Empty why={t('rewards.none')}>{t('rewards.noneWhat')}</Empty>
  return (
    <Rows<Reward>
      label={t('rewards.title')}
      rows={rewards}
      keyOf={({ benefitId }) => benefitId}
      columns={[
        { key: 'text', head: t('limits.benefit'), cell: ({ text, benefitId }) => text || benefitId },
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
        moneyColumn({ key: 'worth', head: t('rewards.worth', { currency }), currency, minor: ({ worth }) => worth }),
      ]}
    />
  )
}
