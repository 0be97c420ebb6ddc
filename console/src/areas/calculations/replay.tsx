import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { useQuery } from '@tanstack/react-query'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Skeleton } from '../../parts/states.js'
import styles from './replay.module.css'

/** Computes the calculation again from what was stored, and compares. */
export function Replay({ calculationId }: { readonly calculationId: string }) {
  const t = useWords()
  const transport = useTransport()
  const query = useQuery({
    queryKey: ['replay', calculationId],
    queryFn: () => callUnaryMethod(transport, CalculationService.method.replayCalculation, { calculationId }),
  })
  if (query.isPending) return <Skeleton lines={2} />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  const { identical, same, differences, storedEngineVersion, engineVersion } = query.data
  const versions = { stored: storedEngineVersion, now: engineVersion }
  return (
    <Part title={t('replay.title')}>
      <p role="status">{t(identical ? 'replay.identical' : same ? 'replay.same' : 'replay.different', versions)}</p>
      {differences.length > 0 && (
        <div className={styles['scroll']}>
          <table className={styles['differences']}>
            <thead>
              <tr>
                <th scope="col">{t('replay.path')}</th>
                <th scope="col">{t('replay.stored')}</th>
                <th scope="col">{t('replay.replayed')}</th>
              </tr>
            </thead>
            <tbody>
              {differences.map(({ path, stored, replayed }) => (
                <tr key={path}>
                  <td>
                    <code>{path}</code>
                  </td>
                  <td>{stored}</td>
                  <td>{replayed}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Part>
  )
}
