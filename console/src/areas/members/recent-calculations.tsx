import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState, CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { useWords } from '../../i18n/words.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import styles from './members.module.css'

const shown = 5

/** The member's newest calculations, and the way to all of them. */
export function RecentCalculations({ memberId }: { readonly memberId: string }) {
  const t = useWords()
  const query = useQuery(CalculationService.method.listCalculations, { memberId, pageSize: shown })
  if (query.isPending) return <Skeleton lines={3} />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  const { calculations } = query.data
  if (calculations.length === 0) return <p className="muted">{t('member.noCalculations')}</p>
  return (
    <>
      <table className={styles['lots']}>
        <thead>
          <tr>
            <th scope="col">{t('calculation.at')}</th>
            <th scope="col">{t('calculation.venue')}</th>
            <th scope="col">{t('calculation.status')}</th>
            <th scope="col">{t('calculation.state')}</th>
            <th scope="col" className="number">
              {t('calculation.after')}
            </th>
          </tr>
        </thead>
        <tbody>
          {calculations.map(({ calculationId, answeredAt, venueId, status, state, netAfter, currency }) => (
            <tr key={calculationId}>
              <td>
                <Link to="/calculations/$calculationId" params={{ calculationId }}>
                  <Time at={answeredAt} venueId={venueId} />
                </Link>
              </td>
              <td>{venueId}</td>
              <td>{wordOf(t, 'status', CalculationStatus, status)}</td>
              <td>{wordOf(t, 'state', CalculationState, state)}</td>
              <td className="number">
                <Money minor={netAfter} currency={currency} withCurrency />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <Link to="/calculations" search={{ memberId }}>
          {t('member.allCalculations')}
        </Link>
      </p>
    </>
  )
}
