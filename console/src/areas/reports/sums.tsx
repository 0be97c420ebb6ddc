import type { BenefitSum, SaleSum, ValueSum } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import type { ProgrammeNames } from '../../api/programme.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Bars } from '../../parts/bars.js'
import { digitsOf, formatScaled } from '../../parts/money.js'
import { moneyText } from '../calculations/reasons.js'
import { plainScaled } from './csv.js'
import { type SavedColumn, SavedRows } from './saved-rows.js'

/** What was sold and given in all days, a sentence for each currency. */
export function Totals({ days }: { readonly days: readonly SaleSum[] }) {
  const t = useWords()
  const currencies = [...new Set(days.map(({ currency }) => currency))]
  return (
    <p role="status">
      {currencies
        .map((currency) => {
          const own = days.filter((day) => day.currency === currency)
          const sum = (key: 'sales' | 'applied' | 'paid' | 'discount') => own.reduce((all, day) => all + day[key], 0n)
          return t('reports.lead', {
            sales: sum('sales'),
            applied: sum('applied'),
            paid: moneyText({ t, currency }, sum('paid')),
            discount: moneyText({ t, currency }, sum('discount')),
          })
        })
        .join(' ')}
    </p>
  )
}

interface BenefitTableProps {
  readonly file: string
  readonly rows: readonly BenefitSum[]
  readonly names: ProgrammeNames
}

/** What benefits gave, the largest discount first. */
export function BenefitTable({ file, rows, names }: BenefitTableProps) {
  const t = useWords()
  const columns: readonly SavedColumn<BenefitSum>[] = [
    { key: 'name', head: t('shadow.key'), text: ({ benefitId }) => names.benefits.get(benefitId)?.text ?? benefitId },
    { key: 'id', head: t('reports.id'), text: ({ benefitId }) => benefitId },
    { key: 'currency', head: t('reports.currency'), text: ({ currency }) => currency },
    ...(['calculations', 'redemptions'] as const).map((key) => ({
      key,
      head: t.of('sum', key),
      text: (row: BenefitSum) => new Intl.NumberFormat(t.locale).format(row[key]),
      plain: (row: BenefitSum) => String(row[key]),
      isNumber: true,
    })),
    ...(['discount', 'paid'] as const).map((key) =>
      moneyColumn<BenefitSum>(t, key, t.of('sum', key), (row) => row[key]),
    ),
  ]
  const sorted = rows.toSorted((left, right) => (left.discount < right.discount ? 1 : -1))
  return (
    <SavedRows
      title={t('reports.byBenefit')}
      file={file}
      columns={columns}
      rows={sorted}
      keyOf={({ benefitId, currency }) => `${benefitId}/${currency}`}
    />
  )
}

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
  const count = (key: 'sales' | 'memberSales' | 'applied' | 'failed'): SavedColumn<SaleSum> => ({
    key,
    head: t.of('sum', key),
    text: (row) => new Intl.NumberFormat(t.locale).format(row[key]),
    plain: (row) => String(row[key]),
    isNumber: true,
  })
  return (
    <SavedRows
      title={title}
      file={file}
      columns={[
        { key: 'name', ...name },
        { key: 'currency', head: t('reports.currency'), text: ({ currency }) => currency },
        count('sales'),
        count('memberSales'),
        count('applied'),
        count('failed'),
        moneyColumn<SaleSum>(t, 'discount', t('sum.discount'), ({ discount }) => discount),
        moneyColumn<SaleSum>(t, 'paid', t('sum.paid'), ({ paid }) => paid),
      ]}
      rows={rows}
      keyOf={({ day, venueId, currency }) => `${day}/${venueId}/${currency}`}
    />
  )
}

/** Discounts by day, a chart for each currency. */
export function DayCharts({ rows }: { readonly rows: readonly SaleSum[] }) {
  const t = useWords()
  return [...new Set(rows.map(({ currency }) => currency))].map((currency) => (
    <Bars
      key={currency}
      title={t('reports.chart', { currency })}
      bars={rows
        .filter((row) => row.currency === currency)
        .map(({ day, discount }) => ({
          key: day,
          value: Number(discount),
          label: formatScaled(discount, digitsOf(currency), t.locale),
        }))}
    />
  ))
}

interface ValueSumsProps {
  readonly rows: readonly ValueSum[]
  readonly names: ProgrammeNames
  readonly file: string
}

/** What members earned and spent by these sales, by rule and by benefit. */
export function ValueSums({ rows, names, file }: ValueSumsProps) {
  const t = useWords()
  const scaleOf = ({ currencyId }: ValueSum) => names.currencies.get(currencyId)?.scale ?? 0
  const amount = (key: 'earned' | 'spent'): SavedColumn<ValueSum> => ({
    key,
    head: t.of('sum', key),
    text: (row) => formatScaled(row[key], scaleOf(row), t.locale),
    plain: (row) => plainScaled(row[key], scaleOf(row)),
    isNumber: true,
  })
  if (rows.length === 0) return null
  return (
    <SavedRows
      title={t('reports.value')}
      file={file}
      columns={[
        {
          key: 'source',
          head: t('shadow.key'),
          text: ({ sourceId }) => names.benefits.get(sourceId)?.text ?? sourceId,
        },
        {
          key: 'currency',
          head: t('reports.currency'),
          text: ({ currencyId }) => names.currencies.get(currencyId)?.name ?? currencyId,
        },
        amount('earned'),
        amount('spent'),
      ]}
      rows={rows}
      keyOf={({ sourceId, currencyId }) => `${sourceId}/${currencyId}`}
    />
  )
}

function moneyColumn<Row extends { readonly currency: string }>(
  t: Words,
  key: string,
  head: string,
  minor: (row: Row) => bigint,
): SavedColumn<Row> {
  return {
    key,
    head,
    text: (row) => formatScaled(minor(row), digitsOf(row.currency), t.locale),
    plain: (row) => plainScaled(minor(row), digitsOf(row.currency)),
    isNumber: true,
  }
}
