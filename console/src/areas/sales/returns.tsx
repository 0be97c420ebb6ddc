import { useQuery } from '@connectrpc/connect-query'
import { ReturnService } from '../../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { pageSize } from '../../api/use-pages.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import styles from './sales.module.css'

/** The returns of one sale, newest first. */
export function Returns({ calculationId, currency }: { readonly calculationId: string; readonly currency: string }) {
  const t = useWords()
  const query = useQuery(ReturnService.method.listReturns, { calculationId, pageSize })
  if (query.isPending) return <Skeleton lines={2} />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  if (query.data.returns.length === 0) return <p className="muted">{t('returns.none')}</p>
  return (
    <table className={styles['lines']}>
      <thead>
        <tr>
          <th scope="col">{t('returns.at')}</th>
          <th scope="col">{t('returns.reference')}</th>
          <th scope="col" className="number">
            {t('returns.refund', { currency })}
          </th>
          <th scope="col">{t('returns.actor')}</th>
        </tr>
      </thead>
      <tbody>
        {query.data.returns.map(({ returnId, recordedAt, reference, refund, actor }) => (
          <tr key={String(returnId)}>
            <td>
              <Time at={recordedAt} />
            </td>
            <td>{reference}</td>
            <td className="number">
              <Money minor={refund} currency={currency} />
            </td>
            <td>{actor}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
