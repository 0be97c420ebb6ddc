import type { Column } from './column.js'
import styles from './rows.module.css'
import { Term } from './term.js'

interface RowsProps<Row> {
  /** For screen readers. */
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
              {columns.map(({ key, cell, ...column }) => (
                <td key={key} className={classOf(column)}>
                  {cell(row)}
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
