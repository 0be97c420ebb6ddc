import type { ReactNode } from 'react'

/** One column of a table. */
export interface Column<Row> {
  readonly key: string
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** What rows are sorted by, and found by when somebody types. Absent: neither. */
  readonly value?: (row: Row) => string | number | bigint
  readonly isNumber?: boolean
  /** Left out where there is no room for it, until somebody chooses it. */
  readonly isExtra?: boolean
}
