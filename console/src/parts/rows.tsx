import type { ReactNode } from 'react'
import { Term } from './page.js'
import styles from './rows.module.css'
import { Money } from './values.js'

interface RowsProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

/** A few rows within a screen, all of them shown: without filter, sorting and keys of their own. */
export function Rows<Row>({ label, columns, rows, keyOf }: RowsProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles['scroll']} tabIndex={0} aria-label={label}>
      <table className={styles['rows']}>
        <thead>
          <tr>
            {columns.map(({ key, head, ...column }) =>
              head === '' ? (
                <td key={key} />
              ) : (
                <th key={key} scope="col" className={classOf(column)}>
                  <Term text={head} />
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ key, ...column }) => (
                <td key={key} className={classOf(column)}>
                  {cellOf(column, row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function classOf({ isNumber, isExtra }: Pick<Column<never>, 'isNumber' | 'isExtra'>): string {
  return [isNumber ? 'number' : '', isExtra ? styles['extra'] : ''].join(' ').trim()
}

/** One column of a table; `cell`, `value` or both. */
export interface Column<Row> {
  readonly key: string
  readonly head: string
  /** Absent: the value is shown. */
  readonly cell?: (row: Row) => ReactNode
  /** Rows are sorted and filtered by it. Absent: neither. */
  readonly value?: (row: Row) => string | number | bigint
  readonly isNumber?: boolean
  /** Left out where there is no room for it, unless chosen. */
  readonly isExtra?: boolean
}

export function cellOf<Row>({ cell, value }: Pick<Column<Row>, 'cell' | 'value'>, row: Row): ReactNode {
  return cell === undefined ? String(value?.(row) ?? '') : cell(row)
}

interface MoneyColumn<Row> extends Pick<Column<Row>, 'key' | 'head' | 'isExtra'> {
  readonly minor: (row: Row) => bigint | undefined
  /** Shared by all rows, or by row. */
  readonly currency: string | ((row: Row) => string)
  readonly withCurrency?: boolean
}

/** A column of money; empty where a row has none. */
export function moneyColumn<Row>({ minor, currency, withCurrency, ...column }: MoneyColumn<Row>): Column<Row> {
  const currencyOf = typeof currency === 'string' ? () => currency : currency
  const cell = (row: Row) => {
    const amount = minor(row)
    if (amount === undefined) return null
    return <Money minor={amount} currency={currencyOf(row)} withCurrency={withCurrency} />
  }
  return { ...column, cell, value: (row) => minor(row) ?? 0n, isNumber: true }
}
