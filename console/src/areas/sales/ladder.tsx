import { useQuery } from '@connectrpc/connect-query'
import { ReturnService } from '../../../../gateway/gen/loyalty/v1/return_service_pb.js'
import type { Sale } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { formatScaled } from '../../parts/scaled.js'
import { Skeleton } from '../../parts/states.js'
import styles from './sales.module.css'
import { useLineNames } from './use-line-names.js'

/** Quantities are thousandths of a unit. */
const quantityScale = 3

/** Thousandths as units, without zeros at the end. */
export function quantityText(thousandths: bigint, locale: string): string {
  if (thousandths % 1000n === 0n) return formatScaled(thousandths / 1000n, 0, locale)
  return formatScaled(thousandths, quantityScale, locale)
}

/** What was paid for each line, and what was returned of it. */
export function Ladder({ sale: { calculationId, currency, venueId } }: { readonly sale: Sale }) {
  const t = useWords()
  const nameOf = useLineNames(calculationId, venueId)
  const query = useQuery(ReturnService.method.getLadder, { calculationId })
  if (query.isPending) return <Skeleton lines={3} />
  if (query.isError) return <ErrorPanel cause={query.error} />
  return (
    <table className={styles['lines']}>
      <thead>
        <tr>
          <th scope="col">{t('ladder.line')}</th>
          <th scope="col" className="number">
            {t('ladder.bought')}
          </th>
          <th scope="col" className="number">
            {t('ladder.returned')}
          </th>
          <th scope="col" className="number">
            {t('ladder.net', { currency })}
          </th>
          <th scope="col" className="number">
            {t('ladder.refunded')}
          </th>
        </tr>
      </thead>
      <tbody>
        {query.data.lines.map(({ lineId, quantityThousandths, returnedThousandths, net, refunded }) => (
          <tr key={lineId}>
            <td>{nameOf(lineId)}</td>
            <td className="number">{quantityText(quantityThousandths, t.locale)}</td>
            <td className="number">{quantityText(returnedThousandths, t.locale)}</td>
            <td className="number">
              <Money minor={net} currency={currency} />
            </td>
            <td className="number">
              <Money minor={refunded} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
