import { type MouseEvent, memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Column, cellOf } from './rows.js'

/** Rows rendered together as the table scrolls: of thousands only those near the visible part are in the page. */
const chunkRows = 50
const readyAround = '1500px 0px'
const chunksFirst = 2
const rowHeight = 37

interface RowsProps<Row> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly active: number
  readonly openKey: string | undefined
  /** Stays the same function. */
  readonly onChoose: (at: number) => void
  readonly scroll: { readonly current: HTMLElement | null }
}

export function TableRows<Row>({ rows, columns, keyOf, active, openKey, onChoose, scroll }: RowsProps<Row>) {
  const starts = Array.from({ length: Math.ceil(rows.length / chunkRows) }, (_, at) => at * chunkRows)
  return starts.map((from) => (
    <Chunk
      key={from}
      count={Math.min(chunkRows, rows.length - from)}
      isFirst={from < chunksFirst * chunkRows}
      scroll={scroll}
    >
      {() =>
        rows
          .slice(from, from + chunkRows)
          .map((row, within) => (
            <Row
              key={keyOf(row)}
              row={row}
              at={from + within}
              columns={columns as readonly Column<unknown>[]}
              isActive={from + within === active}
              isOpen={keyOf(row) === openKey}
              onChoose={onChoose}
            />
          ))
      }
    </Chunk>
  ))
}

interface ChunkProps {
  readonly count: number
  readonly isFirst: boolean
  readonly scroll: { readonly current: HTMLElement | null }
  readonly children: () => ReactNode
}

/** Far from the visible part, an empty space as high as its rows were. */
function Chunk({ count, isFirst, scroll, children }: ChunkProps) {
  const [isNear, setNear] = useState(isFirst)
  const height = useRef(count * rowHeight)
  const body = useIsNear<HTMLTableSectionElement>(
    (near, element) => {
      if (!near) height.current = element.offsetHeight
      setNear(near)
    },
    { root: scroll, margin: readyAround },
  )
  useLayoutEffect(() => {
    // By script: the policy allows no style in the page's text.
    if (body.current !== null) body.current.style.height = isNear ? '' : `${height.current}px`
  })
  return (
    <tbody ref={body} data-far={!isNear || undefined}>
      {isNear && children()}
    </tbody>
  )
}

interface RowProps {
  readonly row: unknown
  readonly at: number
  readonly columns: readonly Column<unknown>[]
  readonly isActive: boolean
  readonly isOpen: boolean
  readonly onChoose: (at: number) => void
}

/** A click anywhere opens the row, except on its links and buttons. */
const Row = memo(function Row({ row, at, columns, isActive, isOpen, onChoose }: RowProps) {
  const click = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('a, button') === null) onChoose(at)
  }
  return (
    <tr data-active={isActive || undefined} data-open={isOpen || undefined} aria-rowindex={at + 2} onClick={click}>
      {columns.map(({ key, head, isNumber, ...column }) => (
        <td key={key} className={isNumber ? 'number' : undefined} data-label={head}>
          {cellOf(column, row)}
        </td>
      ))}
    </tr>
  )
})

/**
 * The element to watch: reports when it comes near the visible part, and when it is far again. An element without layout is neither.
 *
 * @param onChange  null: not watched
 */
export function useIsNear<Watched extends HTMLElement>(
  onChange: ((isNear: boolean, element: Watched) => void) | null,
  { root, margin }: { readonly root: { readonly current: HTMLElement | null }; readonly margin: string },
) {
  const element = useRef<Watched>(null)
  const latest = useRef(onChange)
  latest.current = onChange
  const isWatching = onChange !== null
  useEffect(() => {
    const watched = element.current
    if (!isWatching || watched === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page gets several entries at once: the last one is current.
        if (watched.offsetParent !== null) latest.current?.(entries.at(-1)!.isIntersecting, watched)
      },
      { root: root.current, rootMargin: margin },
    )
    observer.observe(watched)
    return () => observer.disconnect()
  }, [isWatching, root, margin])
  return element
}
