import type { MoneyDifference, ValueDifference } from '../../../../../gateway/gen/loyalty/v1/shadow_run_pb.js'
import type { ProgrammeNames } from '../../../api/programme.js'
import { useWords, type Words } from '../../../i18n/words.js'
import { Bars, Columns } from '../../../parts/charts.js'
import { Part } from '../../../parts/page.js'
import { type Column, moneyColumn, Rows } from '../../../parts/rows.js'
import { digitsOf, formatScaled } from '../../../parts/scaled.js'
import styles from '../programme.module.css'

const barsMax = 8
/** More days than this are columns instead of rows. */
const rowDaysMax = 14
const nameCharactersMax = 24

interface DimensionProps {
  readonly title: string
  readonly money: readonly MoneyDifference[]
  readonly value: readonly ValueDifference[]
  readonly nameOf: (key: string) => string
  readonly names: ProgrammeNames
  readonly isByDay?: boolean
}

export function Dimension({ title, money, value, nameOf, names, isByDay = false }: DimensionProps) {
  const t = useWords()
  if (money.length + value.length === 0) return null
  const currencies = [...new Set(money.map(({ currency }) => currency))]
  const rows = isByDay ? money.toSorted((left, right) => (left.key < right.key ? -1 : 1)) : money
  const collected = [...new Set(value.map(({ currencyId }) => currencyId))]
  const chart = { nameOf, isByDay }
  return (
    <Part level={2} title={title}>
      <div className={styles['dimension']}>
        {rows.length > 0 && (
          <Rows
            label={title}
            columns={moneyColumns(t, nameOf)}
            rows={rows}
            keyOf={({ key, currency }) => `${key}/${currency}`}
          />
        )}
        {currencies.map((currency) => {
          const own = rows.filter((row) => row.currency === currency)
          const points = own.map(({ key, discountThen, discountDraft }) => ({ key, by: discountDraft - discountThen }))
          return <Chart key={currency} {...chart} points={points} unit={currency} digits={digitsOf(currency)} />
        })}
        {value.length > 0 && (
          <Rows
            label={`${title}: ${t('shadow.value')}`}
            columns={valueColumns(t, nameOf, names)}
            rows={value}
            keyOf={({ key, currencyId }) => `${key}/${currencyId}`}
          />
        )}
        {collected.map((currencyId) => {
          const own = value.filter((row) => row.currencyId === currencyId)
          const points = own.map(({ key, issuedThen, issuedDraft }) => ({ key, by: issuedDraft - issuedThen }))
          const { name = currencyId, scale } = names.currencies.get(currencyId) ?? {}
          return <Chart key={currencyId} {...chart} points={points} unit={name} digits={scale ?? 0} isValue />
        })}
      </div>
    </Part>
  )
}

interface ChartProps extends Pick<DimensionProps, 'nameOf' | 'isByDay'> {
  readonly points: readonly { readonly key: string; readonly by: bigint }[]
  readonly unit: string
  readonly digits: number
  readonly isValue?: boolean
}

function Chart({ points, unit, digits, nameOf, isByDay = false, isValue = false }: ChartProps) {
  const t = useWords()
  const differing = points.filter(({ by }) => by !== 0n)
  const largest = differing.toSorted((left, right) => Number(sizeOf(right.by) - sizeOf(left.by)))[0]
  if (largest === undefined) return null
  const label = (by: bigint) => signed(by, digits, t.locale)
  const values = { name: nameOf(largest.key), size: label(largest.by), unit }
  const title = t(isValue ? 'shadow.mostValue' : 'shadow.most', values)
  const shown = isByDay ? points : differing.slice(0, barsMax)
  const bars = shown.map(({ key, by }) => {
    const name = nameOf(key)
    const short = name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax - 1)}…` : name
    return { key: short, value: Number(by), label: label(by) }
  })
  return isByDay && bars.length > rowDaysMax ? (
    <Columns title={title} bars={bars} />
  ) : (
    <Bars title={title} bars={bars} />
  )
}

function sizeOf(by: bigint): bigint {
  return by < 0n ? -by : by
}

function signed(by: bigint, digits: number, locale: string): string {
  return `${by > 0n ? '+' : ''}${formatScaled(by, digits, locale)}`
}

function moneyColumns(t: Words, nameOf: (key: string) => string): readonly Column<MoneyDifference>[] {
  return [
    { key: 'key', head: t('shadow.key'), cell: ({ key }) => nameOf(key) },
    { key: 'currency', head: t('reports.currency'), cell: ({ currency }) => currency },
    moneyColumn({
      key: 'then',
      head: t('shadow.then'),
      currency: ({ currency }) => currency,
      minor: ({ discountThen }) => discountThen,
    }),
    moneyColumn({
      key: 'draft',
      head: t('try.draft'),
      currency: ({ currency }) => currency,
      minor: ({ discountDraft }) => discountDraft,
    }),
    {
      key: 'difference',
      head: t('shadow.difference'),
      cell: ({ discountThen, discountDraft, currency }) =>
        signed(discountDraft - discountThen, digitsOf(currency), t.locale),
      isNumber: true,
    },
    { key: 'changed', head: t('shadow.changed'), cell: ({ changed }) => String(changed), isNumber: true },
  ]
}

function valueColumns(
  t: Words,
  nameOf: (key: string) => string,
  { currencies }: ProgrammeNames,
): readonly Column<ValueDifference>[] {
  const column = (key: 'issuedThen' | 'issuedDraft' | 'spentThen' | 'spentDraft', head: string) => ({
    key,
    head,
    cell: (row: ValueDifference) => formatScaled(row[key], currencies.get(row.currencyId)?.scale ?? 0, t.locale),
    isNumber: true,
  })
  return [
    { key: 'key', head: t('shadow.key'), cell: ({ key }) => nameOf(key) },
    {
      key: 'currency',
      head: t('shadow.value'),
      cell: ({ currencyId }) => currencies.get(currencyId)?.name ?? currencyId,
    },
    column('issuedThen', t('shadow.issuedThen')),
    column('issuedDraft', t('shadow.issuedDraft')),
    column('spentThen', t('shadow.spentThen')),
    column('spentDraft', t('shadow.spentDraft')),
  ]
}
