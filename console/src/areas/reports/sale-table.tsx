import type { SaleSum } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { percentText } from '../../parts/figures.js'
import { commonCurrency, countColumn, currencyColumn, extra, moneyColumn } from './money-columns.js'
import { type SavedColumn, SavedRows } from './saved-rows.js'

interface SaleTableProps {
  readonly title: string
  readonly file: string
  readonly rows: readonly SaleSum[]
  /** The first column. */
  readonly name: Omit<SavedColumn<SaleSum>, 'key'>
}

/** What was sold, by day or by venue. */
export function SaleTable({ title, file, rows, name }: SaleTableProps) {
  const t = useWords()
  const common = commonCurrency(rows)
  const count = (key: 'sales' | 'memberSales' | 'applied' | 'failed') =>
    countColumn<SaleSum>(t, { key, head: t.of('sum', key), of: (row) => row[key] })
  const money = (key: 'discount' | 'paid') =>
    moneyColumn<SaleSum>(t, common, { key, head: t.of('sum', key), of: (row) => row[key] })
  return (
    <SavedRows
      title={title}
      file={file}
      columns={[
        { key: 'name', ...name },
        currencyColumn(t, common),
        count('sales'),
        extra(count('memberSales')),
        extra(count('applied')),
        extra(count('failed')),
        money('discount'),
        {
          key: 'share',
          head: t('sum.share'),
          text: ({ discount, paid }) => percentText(t, discount, discount + paid),
          isNumber: true,
          isExtra: true,
        },
        money('paid'),
      ]}
      rows={rows}
      keyOf={({ day, venueId, currency }) => `${day}/${venueId}/${currency}`}
    />
  )
}
