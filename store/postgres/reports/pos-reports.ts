import type { PosReports } from '../../ledger/reports.js'
import { readRow } from '../connection/rows.js'
import { type Sql, sql, type Terms } from '../connection/sql.js'

/** Time for a slice, in milliseconds. */
const terms: Terms = { effect: 'writes', withinMs: 10_000 }

/** Daily sums, kept beside the sales. */
export function createPosReports(database: Sql): PosReports {
  return {
    async sum(max) {
      const row = await readRow<{ summed: number }>(database, sql`select sum_sales(${max}::integer) as summed`, terms)
      return row.summed
    },
  }
}
