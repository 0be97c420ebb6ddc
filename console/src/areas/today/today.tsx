import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { LimitService } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { nearlyExhausted } from './nearly-exhausted.js'
import styles from './today.module.css'

/** How often the figures are asked for, in milliseconds. */
const againMs = 15_000
/** The most that one call lists; what is beyond is said to be more. */
const listedMax = 500
const recentShown = 8

/** What matters now: where sales and calculations disagree, which limits run out, what is in force, what was just priced. */
export function Today() {
  const t = useWords()
  return (
    <div className={styles['today']}>
      <h1>{t('area.today')}</h1>
      <ul className={styles['facts']}>
        <Discrepancies />
        <Limits />
        <InForce />
      </ul>
      <Part level={2} title={t('today.recent')}>
        <Recent />
      </Part>
    </div>
  )
}

function Discrepancies() {
  const t = useWords()
  const from = useMemo(() => timestampFromDate(new Date(new Date().setHours(0, 0, 0, 0))), [])
  const query = useQuery(
    SaleService.method.listDiscrepancies,
    { from, pageSize: listedMax },
    { refetchInterval: againMs },
  )
  const count = query.data?.sales.length ?? 0
  return (
    <Fact query={query}>
      <Link to="/sales" search={{ discrepancy: 'any' }} className={styles['figure']}>
        {query.data?.nextPageToken ? `${count}+` : count}
      </Link>
      <span>{t('today.discrepancies', { count })}</span>
    </Fact>
  )
}

function Limits() {
  const t = useWords()
  const query = useQuery(LimitService.method.listLimits, { pageSize: listedMax }, { refetchInterval: againMs })
  const near = nearlyExhausted(query.data?.counters ?? [])
  return (
    <Fact query={query}>
      <span className={styles['figure']}>{near.length}</span>
      <span>{t('today.limits', { count: near.length })}</span>
      {near.map(({ limitId, period, left, maximum }) => (
        <span key={`${limitId}/${period}`} className="muted">
          {t('today.limitLeft', { limitId, period: period || t('period.ever'), left, maximum })}
        </span>
      ))}
      {query.data?.nextPageToken && <span className="muted small">{t('today.limitsMore', { count: listedMax })}</span>}
    </Fact>
  )
}

function InForce() {
  const t = useWords()
  const query = useQuery(
    ProgrammeService.method.getProgramme,
    { version: 0, withoutDocument: true },
    { refetchInterval: againMs },
  )
  const programme = query.data?.programme
  return (
    <Fact query={query}>
      <span className={styles['figure']}>{programme?.version}</span>
      <span>{t('today.programme')}</span>
      <span className="muted">
        {t('today.publishedBy', { by: programme?.publishedBy ?? '' })} <Time at={programme?.publishedAt} />
      </span>
    </Fact>
  )
}

interface FactProps {
  readonly query: { readonly isPending: boolean; readonly error: unknown; refetch(): unknown }
  readonly children: ReactNode
}

function Fact({ query, children }: FactProps) {
  return (
    <li>
      {query.isPending ? (
        <Skeleton lines={2} />
      ) : query.error === null ? (
        children
      ) : (
        <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
      )}
    </li>
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
