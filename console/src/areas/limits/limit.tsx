import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import {
  type GetLimitResponse,
  type LimitCounter,
  LimitService,
  type OpenReservation,
} from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ReportService } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useNow } from '../../api/clock.js'
import { type BenefitPart, useProgrammeNames } from '../../api/programme.js'
import { useMay } from '../../api/use-commands.js'
import { useHouseZone, useVenueDay } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Detail, Facts, Part } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { shortened } from '../../parts/id.js'
import { Rows } from '../../parts/rows.js'
import { Skeleton } from '../../parts/states.js'
import type { Column } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { type Burn, burnOf, burnOver, leftOf, takenOf } from './burn.js'
import { ReleaseDialog } from './release-dialog.js'
import { RunsOut, rateText, unitsText } from './units.js'

/** Days over which the rate of a limit without a period is taken. */
const rateDays = 7
const dayMs = 86_400_000

/** One counter: its figures, what open baskets hold of it, and what a raise of its maximum means. */
export function LimitDetail() {
  const { openId } = useParams({ from: '/limits/$openId' })
  const { subject = '', period = '' } = useSearch({ from: '/limits' })
  const query = useQuery(LimitService.method.getLimit, { limitId: openId, subject, period })
  if (query.isPending) return <Skeleton />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  return <Counter key={`${openId}/${subject}/${period}`} answer={query.data} />
}

function Counter({ answer }: { readonly answer: GetLimitResponse }) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const [released, setReleased] = useState<OpenReservation | null>(null)
  const counter = answer.counter!
  const burn = useBurn(counter)
  const benefit = useBenefitOf(counter.limitId)
  const mayRelease = may('CalculationService/ReleaseReservation')
  return (
    <Detail
      title={counter.limitId}
      closeTo="/limits"
      onClose={() =>
        void navigate({
          to: '/limits',
          search: ({ subject: _subject, period: _period, ...filters }: Record<string, unknown>) => filters,
        })
      }
    >
      <Facts facts={factsOf(t, counter, burn, benefit)} />
      <Part title={t('limits.heldBy')}>
        {answer.openReservations.length === 0 ? (
          <p className="muted">{t('limits.heldByNone')}</p>
        ) : (
          <Rows
            label={t('limits.heldBy')}
            columns={reservationColumns(t, counter, mayRelease ? setReleased : null)}
            rows={answer.openReservations}
            keyOf={({ calculationId }) => calculationId}
          />
        )}
      </Part>
      <Part title={t('limits.raise')}>
        <p>
          {t('limits.raiseWhat', {
            taken: unitsText(counter, takenOf(counter), t.locale),
            maximum: unitsText(counter, counter.maximum, t.locale),
          })}
        </p>
        <p>
          {benefit === undefined ? (
            <Link to="/programme">{t('limits.toProgramme')}</Link>
          ) : (
            <BenefitLink benefitId={benefit.benefitId} text={t('limits.toProgramme')} />
          )}
        </p>
      </Part>
      {released !== null && <ReleaseDialog calculationId={released.calculationId} onClose={() => setReleased(null)} />}
    </Detail>
  )
}

function factsOf(t: Words, counter: LimitCounter, burn: Burn | null, benefit: BenefitPart | undefined) {
  const units = (amount: bigint) => unitsText(counter, amount, t.locale)
  return [
    [t('limits.benefit'), benefit === undefined ? t('limits.notInForce') : <BenefitLink key="benefit" {...benefit} />],
    [t('limits.subject'), counter.subject || t('why.everyone')],
    [t('limit.period'), counter.period || t('period.ever')],
    [t('limit.maximum'), units(counter.maximum)],
    [t('limit.used'), units(counter.used)],
    [t('limit.held'), units(counter.open)],
    [t('limits.late'), units(counter.late)],
    [t('limits.left'), units(leftOf(counter))],
    [t('limits.rate'), burn === null ? t('limits.notKnown') : rateText(t, counter, burn)],
    [t('limits.runsOut'), <RunsOut key="out" left={leftOf(counter)} burn={burn} />],
  ] as const
}

function BenefitLink({ benefitId, text }: Pick<BenefitPart, 'benefitId' | 'text'>) {
  return (
    <Link to="/programme/benefits/$benefitId" params={{ benefitId }}>
      {text}
    </Link>
  )
}

function useBenefitOf(limitId: string) {
  const { benefits } = useProgrammeNames(0)
  return [...benefits.values()].find(({ limits }) => limits?.some((limit) => limit.limitId === limitId))
}

/** The rate since the period began; of a limit for ever that everyone shares that of sales of the last days, where sums tell it. */
function useBurn(counter: LimitCounter): Burn | null {
  const benefit = useBenefitOf(counter.limitId)
  const now = useNow()
  const zone = useHouseZone()
  const untilDay = useVenueDay()
  const isSummed = counter.counts === LimitCounts.BASKETS || counter.counts === LimitCounts.AMOUNT
  const { data } = useQuery(
    ReportService.method.reportSums,
    {
      fromDay: new Date(Date.parse(untilDay) - (rateDays - 1) * dayMs).toISOString().slice(0, 10),
      untilDay,
      benefitId: benefit?.benefitId ?? '',
    },
    { enabled: counter.period === '' && counter.subject === '' && benefit !== undefined && isSummed },
  )
  if (counter.period !== '') return burnOf(counter, now, zone)
  if (data === undefined) return null
  const taken = data.benefits.reduce(
    (sum, row) => sum + (counter.counts === LimitCounts.AMOUNT ? row.discount : row.redemptions),
    0n,
  )
  return burnOver(taken, { elapsedMs: rateDays * dayMs, left: leftOf(counter), until: null, now })
}

function reservationColumns(
  t: Words,
  counter: LimitCounter,
  onRelease: ((reservation: OpenReservation) => void) | null,
): readonly Column<OpenReservation>[] {
  const columns: Column<OpenReservation>[] = [
    {
      key: 'calculation',
      head: t('calculation.id'),
      cell: ({ calculationId }) => (
        <Link to="/calculations/$calculationId" params={{ calculationId }}>
          <code>{shortened(calculationId)}</code>
        </Link>
      ),
    },
    {
      key: 'units',
      head: t('limit.held'),
      cell: ({ units }) => unitsText(counter, units, t.locale),
      isNumber: true,
    },
    { key: 'until', head: t('limit.freed'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  ]
  if (onRelease === null) return columns
  const release = (reservation: OpenReservation) => (
    <button type="button" onClick={() => onRelease(reservation)}>
      {t('release.do')}
    </button>
  )
  return [...columns, { key: 'release', head: '', cell: release }]
}
