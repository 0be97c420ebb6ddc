import { useQuery } from '@connectrpc/connect-query'
import { ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { formatScaled } from '../../parts/scaled.js'
import { Skeleton } from '../../parts/states.js'
import { plainScaled } from './csv.js'
import { SavedRows } from './saved-rows.js'

/** What all members hold now, by currency and the month in which it expires. */
export function Liability() {
  const t = useWords()
  const { currencies } = useProgrammeNames(0)
  const query = useQuery(ValueService.method.reportLiability, {})
  if (query.isPending) return <Skeleton lines={4} />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  const scaleOf = (currencyId: string) => currencies.get(currencyId)?.scale ?? 0
  return (
    <SavedRows
      title={t('reports.liability')}
      file="liability.csv"
      columns={[
        {
          key: 'currency',
          head: t('reports.currency'),
          text: ({ currencyId }) => currencies.get(currencyId)?.name ?? currencyId,
        },
        { key: 'month', head: t('reports.expires'), text: ({ expiryMonth }) => expiryMonth || t('lot.never') },
        {
          key: 'amount',
          head: t('lot.amount'),
          text: ({ currencyId, amount }) => formatScaled(amount, scaleOf(currencyId), t.locale),
          plain: ({ currencyId, amount }) => plainScaled(amount, scaleOf(currencyId)),
          isNumber: true,
        },
      ]}
      rows={query.data.rows}
      keyOf={({ currencyId, expiryMonth }) => `${currencyId}/${expiryMonth}`}
    />
  )
}
