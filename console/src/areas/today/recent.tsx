import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { useVenues } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import styles from './today.module.css'

/** How often the newest calculations are asked for, in milliseconds. */
const againMs = 10_000
const shown = 8

/** The latest calculations, each a link. */
export function Recent() {
  const t = useWords()
  const venues = useVenues()
  const query = useQuery(CalculationService.method.listCalculations, { pageSize: shown }, { refetchInterval: againMs })
  if (query.isPending) return <Skeleton lines={shown} />
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
          <span className="muted">{venues.find(({ venueId }) => venueId === row.venueId)?.name || row.venueId}</span>
          <span>{wordOf(t, 'status', CalculationStatus, row.status)}</span>
          <span className="number">
            <Money minor={row.netAfter} currency={row.currency} withCurrency />
          </span>
        </li>
      ))}
    </ul>
  )
}
