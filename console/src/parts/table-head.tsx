import { type ReactNode, type RefObject, useMemo, useState } from 'react'
import { useWords } from '../i18n/words.js'
import { Button, Check, Menu } from './controls.js'
import { Term } from './page.js'
import type { Column } from './rows.js'
import styles from './table.module.css'

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sorting: Sorting | null
  readonly onSort: (sorting: Sorting | null) => void
}

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
function SortChoice<Row>({ columns, sorting, onSort }: HeadProps<Row>) {
  const t = useWords()
  const sortable = columns.filter(({ value }) => value !== undefined)
  const chosen = sorting === null ? '' : `${sorting.isDescending ? '↓' : '↑'}${sorting.key}`
  return (
    <select
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

interface BarProps<Row> {
  readonly filter: RefObject<HTMLInputElement | null>
  readonly typed: string
  readonly onType: (typed: string) => void
  readonly columns: readonly Column<Row>[]
  readonly shown: readonly Column<Row>[]
  readonly onToggle: (key: string) => void
  /** null: heads of columns sort. */
  readonly sorting: { readonly sorting: Sorting | null; readonly onSort: (sorting: Sorting | null) => void } | null
  /** Filters that the service applies. */
  readonly children: ReactNode
}

export function TableBar<Row>({ filter, typed, onType, columns, shown, onToggle, sorting, children }: BarProps<Row>) {
  const t = useWords()
  return (
    <div className={styles['filters']}>
      <input
        ref={filter}
        type="search"
        value={typed}
        placeholder={t('table.filter')}
        aria-label={t('table.filter')}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      {children}
      {sorting !== null && <SortChoice columns={shown} {...sorting} />}
      {columns.length > 2 && <ColumnChoice columns={columns} shown={shown} onToggle={onToggle} />}
    </div>
  )
}

interface FootProps {
  readonly count: number
  readonly onMore: (() => void) | undefined
  readonly isLoadingMore: boolean
}

export function TableFoot({ count, onMore, isLoadingMore }: FootProps) {
  const t = useWords()
  return (
    <div className={styles['foot']}>
      <span className="muted small" role="status">
        {t('table.rows', { count })}
      </span>
      {onMore !== undefined && <Button onClick={onMore} disabled={isLoadingMore} text={t('table.more')} />}
    </div>
  )
}

interface Named {
  readonly key: string
  readonly head: string
  readonly isExtra?: boolean
}

/** Prefix of a chosen column's key; a hidden column has none. */
const chosenMark = '+'

/**
 * The columns of a table that a person has chosen, stored in this browser; the first one is always shown.
 *
 * @param room  the number of columns; further extra ones are shown only if chosen
 */
export function useColumnChoice<Column extends Named>(columns: readonly Column[], room: number) {
  const item = `columns/${columns.map(({ key }) => key).join(' ')}`
  const [choices, setChoices] = useState<readonly string[]>(() => (localStorage.getItem(item) ?? '').split(' '))
  const shown = useMemo(() => {
    const has = (choice: string) => choices.includes(choice)
    const usual = columns.filter(({ key, isExtra }) => !isExtra && !has(key)).length
    const extra = columns.filter(({ key, isExtra }) => isExtra && !has(key)).slice(0, Math.max(0, room - usual))
    return columns.filter((column, at) => {
      if (at === 0 || has(chosenMark + column.key)) return true
      return !has(column.key) && (!column.isExtra || extra.includes(column))
    })
  }, [columns, choices, room])
  const toggle = (key: string) => {
    const others = choices.filter((choice) => choice !== key && choice !== chosenMark + key)
    const next = [...others, shown.some((column) => column.key === key) ? key : chosenMark + key]
    localStorage.setItem(item, next.join(' ').trim())
    setChoices(next)
  }
  return { shown, toggle }
}

interface ColumnChoiceProps {
  readonly columns: readonly Named[]
  readonly shown: readonly Named[]
  readonly onToggle: (key: string) => void
}

function ColumnChoice({ columns, shown, onToggle }: ColumnChoiceProps) {
  const t = useWords()
  return (
    <Menu className="menu" title={t('table.columns')}>
      {columns.slice(1).map(({ key, head }) => (
        <Check
          key={key}
          text={head}
          checked={shown.some((column) => column.key === key)}
          onCheck={() => onToggle(key)}
        />
      ))}
    </Menu>
  )
}

export interface Sorting {
  readonly key: string
  readonly isDescending: boolean
}

/** Up, down, then the service's order. */
function nextSorting(key: string, sorting: Sorting | null): Sorting | null {
  if (sorting?.key !== key) return { key, isDescending: false }
  return sorting.isDescending ? null : { key, isDescending: true }
}

export function matching<Row>(rows: readonly Row[], columns: readonly Column<Row>[], typed: string): readonly Row[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return rows
  return rows.filter((row) =>
    columns.some(({ value }) => value !== undefined && String(value(row)).toLowerCase().includes(wanted)),
  )
}

/** Rows in the order of a column; null: the service's order. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | null,
): readonly Row[] {
  const value = columns.find(({ key }) => key === sorting?.key)?.value
  if (sorting === null || value === undefined) return rows
  const sign = sorting.isDescending ? -1 : 1
  return rows.toSorted((left, right) => sign * compare(value(left), value(right)))
}

/** m-9 comes before m-10. */
const collator = new Intl.Collator(undefined, { numeric: true })

function compare(left: string | number | bigint, right: string | number | bigint): number {
  if (typeof left === 'string' || typeof right === 'string') return collator.compare(String(left), String(right))
  return left < right ? -1 : left > right ? 1 : 0
}
