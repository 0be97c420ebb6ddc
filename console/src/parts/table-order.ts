import type { Column } from './column.js'

/** By which column rows are sorted. */
export interface Sorting {
  readonly key: string
  readonly isDescending: boolean
}

/** Up, down, as the service has it. */
export function nextSorting(key: string, sorting: Sorting | null): Sorting | null {
  if (sorting?.key !== key) return { key, isDescending: false }
  return sorting.isDescending ? null : { key, isDescending: true }
}

/** Rows of which a value holds what was typed. */
export function matching<Row>(rows: readonly Row[], columns: readonly Column<Row>[], typed: string): readonly Row[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return rows
  return rows.filter((row) =>
    columns.some(({ value }) => value !== undefined && String(value(row)).toLowerCase().includes(wanted)),
  )
}

/** Rows in the order of a column; null: as they come. */
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
