import { type MouseEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useWords } from '../i18n/words.js'
import { ColumnChoice, useColumnChoice } from './column-choice.js'
import { Empty } from './states.js'
import styles from './table.module.css'
import { Term } from './term.js'
import { useKeys } from './use-keys.js'

/** One column of a table. */
export interface Column<Row> {
  readonly key: string
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** What rows are sorted by, and found by when somebody types. Absent: neither. */
  readonly value?: (row: Row) => string | number | bigint
  readonly isNumber?: boolean
  /** Left out where the table is narrow, or a row is open beside it. */
  readonly isExtra?: boolean
}

interface TableProps<Row> {
  /** For screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Opens a row: by click, or Enter. */
  readonly onOpen?: (row: Row) => void
  /** The row that is open beside the table. */
  readonly openKey?: string | undefined
  /** Loads the next page; absent: all are there. */
  readonly onMore?: (() => void) | undefined
  readonly isLoadingMore?: boolean
  /** Shown where there are no rows at all. */
  readonly empty: ReactNode
  /** Filters that the service applies, beside the one of this table. */
  readonly filters?: ReactNode
}

interface Sorting {
  readonly key: string
  readonly isDescending: boolean
}

/**
 * Rows with a head that stays: j and k move, Enter opens, / goes to the filter. Sorting and typing work on the rows that are loaded,
 * in the order of the service until a head is clicked.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { rows, keyOf, onOpen, onMore } = props
  const { shown: columns, hidden, toggle } = useColumnChoice(props.columns)
  const t = useWords()
  const [typed, setTyped] = useState('')
  const [sorting, setSorting] = useState<Sorting | null>(null)
  const [active, setActive] = useState(-1)
  const filter = useRef<HTMLInputElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const shown = useMemo(() => sorted(matching(rows, columns, typed), columns, sorting), [rows, columns, typed, sorting])

  const move = (by: number) => setActive((at) => Math.min(shown.length - 1, Math.max(0, at + by)))
  useEffect(() => {
    body.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    '/': () => filter.current?.focus(),
    Enter: shown[active] === undefined || onOpen === undefined ? undefined : () => onOpen(shown[active]!),
  })

  return (
    <div className={styles['frame']}>
      <div className={styles['filters']}>
        <input
          ref={filter}
          type="search"
          value={typed}
          placeholder={t('table.filter')}
          aria-label={t('table.filter')}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        {props.filters}
        {props.columns.length > 2 && <ColumnChoice columns={props.columns} hidden={hidden} onToggle={toggle} />}
      </div>
      {rows.length === 0 ? (
        props.empty
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className={styles['scroll']} tabIndex={0} aria-label={props.label}>
          <table className={styles['table']} data-opens={onOpen !== undefined || undefined}>
            <Head columns={columns} sorting={sorting} onSort={setSorting} />
            <tbody ref={body}>
              {shown.map((row, at) => (
                <Row
                  key={keyOf(row)}
                  row={row}
                  columns={columns}
                  isActive={at === active}
                  isOpen={keyOf(row) === props.openKey}
                  onOpen={() => {
                    setActive(at)
                    onOpen?.(row)
                  }}
                />
              ))}
            </tbody>
          </table>
          {shown.length === 0 && <Empty why={t('table.noMatch', { typed })} />}
        </section>
      )}
      {rows.length > 0 && <Foot count={shown.length} onMore={onMore} isLoadingMore={props.isLoadingMore} />}
    </div>
  )
}

interface FootProps {
  readonly count: number
  readonly onMore?: (() => void) | undefined
  readonly isLoadingMore?: boolean | undefined
}

function Foot({ count, onMore, isLoadingMore }: FootProps) {
  const t = useWords()
  return (
    <div className={styles['foot']}>
      <span className="muted small" role="status">
        {t('table.rows', { count })}
      </span>
      {onMore !== undefined && (
        <button type="button" onClick={onMore} disabled={isLoadingMore}>
          {t('table.more')}
        </button>
      )}
    </div>
  )
}

interface RowProps<Row> {
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly isActive: boolean
  readonly isOpen: boolean
  readonly onOpen: () => void
}

/** A click anywhere opens the row; links and buttons in it do what they do. */
function Row<Row>({ row, columns, isActive, isOpen, onOpen }: RowProps<Row>) {
  const click = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('a, button') === null) onOpen()
  }
  return (
    <tr data-active={isActive || undefined} data-open={isOpen || undefined} onClick={click}>
      {columns.map((column) => (
        <td key={column.key} className={classOf(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sorting: Sorting | null
  readonly onSort: (sorting: Sorting | null) => void
}

function Head<Row>({ columns, sorting, onSort }: HeadProps<Row>) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const isSorted = sorting?.key === column.key
          const order = isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : 'none'
          return (
            <th key={column.key} scope="col" className={classOf(column)} aria-sort={order}>
              {column.value === undefined ? (
                <Term text={column.head} />
              ) : (
                <button type="button" data-plain onClick={() => onSort(nextSorting(column.key, sorting))}>
                  <Term text={column.head} />
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

/** Up, down, as the service has it. */
function nextSorting(key: string, sorting: Sorting | null): Sorting | null {
  if (sorting?.key !== key) return { key, isDescending: false }
  return sorting.isDescending ? null : { key, isDescending: true }
}

function classOf({ isNumber, isExtra }: Pick<Column<never>, 'isNumber' | 'isExtra'>): string {
  return [isNumber ? 'number' : '', isExtra ? styles['extra'] : ''].join(' ').trim()
}

function matching<Row>(rows: readonly Row[], columns: readonly Column<Row>[], typed: string): readonly Row[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return rows
  return rows.filter((row) =>
    columns.some(({ value }) => value !== undefined && String(value(row)).toLowerCase().includes(wanted)),
  )
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting | null): readonly Row[] {
  const value = columns.find(({ key }) => key === sorting?.key)?.value
  if (sorting === null || value === undefined) return rows
  const sign = sorting.isDescending ? -1 : 1
  return rows.toSorted((left, right) => sign * compare(value(left), value(right)))
}

function compare(left: string | number | bigint, right: string | number | bigint): number {
  if (typeof left === 'string' || typeof right === 'string') return String(left).localeCompare(String(right))
  return left < right ? -1 : left > right ? 1 : 0
}
