import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useWords } from '../i18n/words.js'
import type { Column } from './rows.js'
import { Empty } from './states.js'
import styles from './table.module.css'
import { matching, type Sorting, sorted, TableBar, TableFoot, TableHead, useColumnChoice } from './table-head.js'
import { TableRows, useIsNear } from './table-rows.js'
import { useKeys } from './use-draft.js'

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly onOpen?: (row: Row) => void
  readonly openKey?: string | undefined
  /** Loads the next page; absent: all rows are loaded. */
  readonly onMore?: (() => void) | undefined
  readonly isLoadingMore?: boolean
  readonly empty: ReactNode
  /** Filters that the service applies, in addition to the table's own. */
  readonly filters?: ReactNode
}

/** A narrower table, in pixels, shows each row as a card. */
const cellsFrom = 560
const columnWidth = 115
const columnsMin = 4
/** Distance from the end, in pixels, at which the next page is loaded. */
const moreBefore = '0px 0px 500px 0px'

/**
 * Rows with a fixed head: j and k move, Enter opens, / goes to the filter. Sorting and filtering use the loaded rows, in the order of the
 * service until a head is clicked. The next page loads near its end, unless rows are sorted or filtered.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { rows, keyOf, onOpen, onMore, isLoadingMore = false } = props
  const t = useWords()
  const frame = useRef<HTMLDivElement>(null)
  const scroll = useRef<HTMLElement>(null)
  const filter = useRef<HTMLInputElement>(null)
  const width = useWidth(frame)
  const isStacked = width < cellsFrom
  const { shown: columns, toggle } = useColumnChoice(
    props.columns,
    Math.max(columnsMin, Math.floor(width / columnWidth)),
  )
  const { typed, setTyped, sorting, setSorting, shown, isAsServed } = useArranged(rows, props.columns)
  const more = onMore === undefined || isLoadingMore || !isAsServed ? null : onMore
  const { active, choose, leave } = useRowKeys({ shown, onOpen, onEnd: more, scroll, filter })
  const onNear = more === null ? null : (isNear: boolean) => isNear && more()
  const end = useIsNear<HTMLDivElement>(onNear, { root: scroll, margin: moreBefore })
  useFocusBack(scroll, props.openKey)
  const rearrange = (change: () => void) => {
    change()
    leave()
    scroll.current?.scrollTo({ top: 0 })
  }
  const sort = (next: Sorting | null) => rearrange(() => setSorting(next))

  return (
    <div ref={frame} className={styles['frame']} data-stacked={isStacked || undefined}>
      <TableBar
        filter={filter}
        typed={typed}
        onType={(next) => rearrange(() => setTyped(next))}
        columns={props.columns}
        shown={columns}
        onToggle={toggle}
        sorting={isStacked ? { sorting, onSort: sort } : null}
      >
        {props.filters}
      </TableBar>
      {rows.length === 0 ? (
        props.empty
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section ref={scroll} className={styles['scroll']} tabIndex={0} aria-label={props.label}>
          <table
            className={styles['table']}
            data-opens={onOpen !== undefined || undefined}
            aria-rowcount={onMore === undefined ? shown.length + 1 : -1}
          >
            <TableHead columns={columns} sorting={sorting} onSort={sort} />
            <TableRows
              rows={shown}
              columns={columns}
              keyOf={keyOf}
              active={active}
              openKey={props.openKey}
              onChoose={choose}
              scroll={scroll}
            />
          </table>
          {shown.length === 0 && <Empty why={t('table.noMatch', { typed })} />}
          <div ref={end} />
        </section>
      )}
      {rows.length > 0 && <TableFoot count={shown.length} onMore={onMore} isLoadingMore={isLoadingMore} />}
    </div>
  )
}

function useArranged<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const [typed, setTyped] = useState('')
  const [sorting, setSorting] = useState<Sorting | null>(null)
  const shown = useMemo(() => sorted(matching(rows, columns, typed), columns, sorting), [rows, columns, typed, sorting])
  return { typed, setTyped, sorting, setSorting, shown, isAsServed: typed.trim() === '' && sorting === null }
}

interface RowKeys<Row> {
  readonly shown: readonly Row[]
  readonly onOpen: ((row: Row) => void) | undefined
  /** Loads further rows once j comes to the last one; null: there are none, or they are loading. */
  readonly onEnd: (() => void) | null
  readonly scroll: { readonly current: HTMLElement | null }
  readonly filter: { readonly current: HTMLInputElement | null }
}

/** The keyboard's row, from 0; -1: none. `choose` goes to a row and opens it, and always stays the same function. */
function useRowKeys<Row>({ shown, onOpen, onEnd, scroll, filter }: RowKeys<Row>) {
  const [active, setActive] = useState(-1)
  const latest = useRef({ shown, onOpen })
  latest.current = { shown, onOpen }
  const choose = useCallback((at: number) => {
    const { shown: rows, onOpen: open } = latest.current
    setActive(at)
    if (rows[at] !== undefined) open?.(rows[at])
  }, [])
  const move = (by: number) => {
    const to = Math.min(shown.length - 1, Math.max(0, active + by))
    if (to === shown.length - 1) onEnd?.()
    setActive(to)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active row scrolls into view
  useEffect(() => {
    scroll.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    '/': () => filter.current?.focus(),
    Enter: shown[active] === undefined || onOpen === undefined ? undefined : () => choose(active),
  })
  return { active, choose, leave: () => setActive(-1) }
}

/** Returns the keyboard to a row when its panel is closed. */
function useFocusBack(scroll: { readonly current: HTMLElement | null }, openKey: string | undefined): void {
  const before = useRef(openKey)
  useEffect(() => {
    const isClosed = before.current !== undefined && openKey === undefined
    before.current = openKey
    if (!isClosed || scroll.current === null) return
    const row = scroll.current.querySelector<HTMLElement>('[data-active] a')
    ;(row ?? scroll.current).focus({ preventScroll: row === null })
  }, [scroll, openKey])
}

/** The current width of an element, in pixels; infinite before its layout. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const measured = element.current
    if (measured === null) return
    const measure = () => measured.offsetParent !== null && setWidth(measured.clientWidth)
    const observer = new ResizeObserver(measure)
    observer.observe(measured)
    measure()
    return () => observer.disconnect()
  }, [element])
  return width
}
