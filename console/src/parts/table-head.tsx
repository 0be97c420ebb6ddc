import { useWords } from '../i18n/words.js'
import type { Column } from './column.js'
import styles from './table.module.css'
import { nextSorting, type Sorting } from './table-order.js'
import { Term } from './term.js'

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sorting: Sorting | null
  readonly onSort: (sorting: Sorting | null) => void
}

/** Names of columns; those with values sort by a click. */
export function TableHead<Row>({ columns, sorting, onSort }: HeadProps<Row>) {
  return (
    <thead>
      <tr>
        {columns.map(({ key, head, value, isNumber }) => {
          const isSorted = sorting?.key === key
          const order = isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : 'none'
          return (
            <th key={key} scope="col" className={isNumber ? 'number' : undefined} aria-sort={order}>
              {value === undefined ? (
                <Term text={head} />
              ) : (
                <button type="button" data-plain onClick={() => onSort(nextSorting(key, sorting))}>
                  <Term text={head} />
                  {isSorted && <span aria-hidden="true">{sorting.isDescending ? '↓' : '↑'}</span>}
                </button>
              )}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

/** The same choice where rows are cards, which have no head. */
export function SortChoice<Row>({ columns, sorting, onSort }: HeadProps<Row>) {
  const t = useWords()
  const sortable = columns.filter(({ value }) => value !== undefined)
  const chosen = sorting === null ? '' : `${sorting.isDescending ? '↓' : '↑'}${sorting.key}`
  return (
    <select
      className={styles['sort']}
      aria-label={t('table.sort')}
      value={chosen}
      onChange={({ target: { value } }) =>
        onSort(value === '' ? null : { key: value.slice(1), isDescending: value.startsWith('↓') })
      }
    >
      <option value="">{t('table.asServed')}</option>
      {sortable.flatMap(({ key, head }) =>
        ['↑', '↓'].map((arrow) => (
          <option key={arrow + key} value={arrow + key}>
            {head} {arrow}
          </option>
        )),
      )}
    </select>
  )
}
