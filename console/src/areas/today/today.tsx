import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, Discrepancy, LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { FullLimit, WatchTodayResponse } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useToday } from '../../api/use-today.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { contractWord, wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import styles from './today.module.css'

/** How often the newest calculations are asked for, in milliseconds. */
const againMs = 10_000
const recentShown = 8
const benefitsShown = 10

/** What matters now, as it goes: traffic, limits that run out, sales that disagree, what was given today. */
export function Today() {
  const t = useWords()
  const { today, cause, again } = useToday()
  return (
    <div className={styles['today']}>
      <h1>{t('area.today')}</h1>
      {cause !== null && <ErrorPanel cause={cause} onRetry={again} />}
      {today === null ? cause === null && <Skeleton /> : <Now today={today} />}
      <Part level={2} title={t('today.recent')}>
        <Recent />
      </Part>
    </div>
  )
}

function Now({ today }: { readonly today: WatchTodayResponse }) {
  const t = useWords()
  const { limits, discrepancies, benefits } = today
  const disagreeing = discrepancies.reduce((sum, { sales }) => sum + sales, 0n)
  return (
    <>
      <ul className={styles['facts']}>
        <Totals today={today} />
        <Traffic today={today} />
        <li>
          <span className={styles['figure']}>{limits.length}</span>
          <span>{t('today.limits', { count: limits.length })}</span>
          {limits.map((limit) => (
            <span key={`${limit.limitId}/${limit.subject}/${limit.period}`} className="muted">
              {limitText(t, limit)}
            </span>
          ))}
        </li>
        <li>
          <Link to="/sales" search={{ discrepancy: 'any' }} className={styles['figure']}>
            {String(disagreeing)}
          </Link>
          <span>{t('today.discrepancies', { count: disagreeing })}</span>
          {discrepancies.map(({ discrepancy, sales }) => (
            <Link key={discrepancy} to="/sales" search={{ discrepancy: contractWord(Discrepancy, discrepancy) }}>
              {String(sales)} {wordOf(t, 'discrepancy', Discrepancy, discrepancy)}
            </Link>
          ))}
        </li>
      </ul>
      {benefits.length > 0 && (
        <Part level={2} title={t('today.benefits')}>
          <Benefits today={today} />
        </Part>
      )}
    </>
  )
}

function Totals({ today: { totals, programmeVersion } }: { readonly today: WatchTodayResponse }) {
  const t = useWords()
  return (
    <li>
      {totals.length === 0 && <span className={styles['figure']}>0</span>}
      {totals.map(({ currency, discount }) => (
        <span key={currency} className={styles['figure']}>
          <Money minor={discount} currency={currency} withCurrency />
        </span>
      ))}
      <span>{t('today.given', { count: totals.reduce((sum, { applied }) => sum + applied, 0n) })}</span>
      <span className="muted">
        {t('today.sales', { count: totals.reduce((sum, { sales }) => sum + sales, 0n) })},{' '}
        {t('today.programme', { version: String(programmeVersion) })}
      </span>
    </li>
  )
}

function Traffic({ today: { traffic } }: { readonly today: WatchTodayResponse }) {
  const t = useWords()
  const { seconds = 0, baskets = 0n, outcomes = [], p95Ms } = traffic ?? {}
  const perSecond = seconds === 0 ? 0 : Number(baskets) / seconds
  const number = (value: number) => new Intl.NumberFormat(t.locale, { maximumFractionDigits: 1 }).format(value)
  return (
    <li>
      <span className={styles['figure']}>{number(perSecond)}</span>
      <span>{t('today.traffic')}</span>
      {p95Ms !== undefined && <span className="muted">{t('today.p95', { ms: number(p95Ms) })}</span>}
      {outcomes.map(({ outcome, baskets }) => (
        <span key={outcome} className="muted">
          {String(baskets)} {t.of('status', outcome)}
        </span>
      ))}
    </li>
  )
}

function limitText(
  t: ReturnType<typeof useWords>,
  { limitId, subject, period, taken, maximum, counts }: FullLimit,
): string {
  const where = [limitId, subject, period || t('period.ever')].filter((part) => part !== '').join(', ')
  // What counts money has no one currency here: its share says enough.
  if (counts === LimitCounts.AMOUNT) {
    const share = new Intl.NumberFormat(t.locale, { style: 'percent' }).format(Number(taken) / Number(maximum))
    return t('today.limitShare', { where, share })
  }
  return t('today.limitTaken', { where, taken, maximum })
}

function Benefits({ today: { benefits } }: { readonly today: WatchTodayResponse }) {
  const t = useWords()
  const names = useProgrammeNames(0)
  return (
    <table className={styles['benefits']}>
      <thead>
        <tr>
          <th scope="col">{t('today.benefit')}</th>
          <th scope="col" className="number">
            {t('today.redemptions')}
          </th>
          <th scope="col" className="number">
            {t('today.discount')}
          </th>
        </tr>
      </thead>
      <tbody>
        {benefits.slice(0, benefitsShown).map(({ benefitId, currency, redemptions, discount }) => (
          <tr key={`${benefitId}/${currency}`}>
            <td>{names.benefits.get(benefitId)?.text ?? benefitId}</td>
            <td className="number">{new Intl.NumberFormat(t.locale).format(redemptions)}</td>
            <td className="number">
              <Money minor={discount} currency={currency} withCurrency />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Recent() {
  const t = useWords()
  const query = useQuery(
    CalculationService.method.listCalculations,
    { pageSize: recentShown },
    { refetchInterval: againMs },
  )
  if (query.isPending) return <Skeleton lines={recentShown} />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  if (query.data.calculations.length === 0) return <p className="muted">{t('calculations.empty')}</p>
  return (
    <ul className={styles['recent']}>
      {query.data.calculations.map((row) => (
        <li key={row.calculationId}>
          <Link to="/calculations/$calculationId" params={{ calculationId: row.calculationId }}>
            <Time at={row.answeredAt} venueId={row.venueId} show="time" />
          </Link>
          <span>{row.memberId ?? row.loyaltyId ?? t('calculation.nobody')}</span>
          <span className="muted">{row.venueId}</span>
          <span>{wordOf(t, 'status', CalculationStatus, row.status)}</span>
          <span className="number">
            <Money minor={row.netAfter} currency={row.currency} withCurrency />
          </span>
        </li>
      ))}
    </ul>
  )
}
