import type { Ledger } from '../../index.js'
import { readRow } from '../connection/rows.js'
import { type Sql, sql } from '../connection/sql.js'

/** A gateway that has not reported for so long counts as gone, in milliseconds. */
export const leaseMs = 3_000

/** Time for one report, in milliseconds: several fit into a lease. */
const meetMs = 400

/** The list of living gateways, and the wishes that they write what they have answered (meet_gateways.sql). */
export function createGateways(database: Sql): Pick<Ledger, 'meetGateways' | 'leaveGateways'> {
  return {
    async meetGateways({ gatewayId, usesCache, flushedThrough, wishes }) {
      const row = await readRow<{ wished: number; flushed_by_others: number | null }>(
        database,
        sql`
          select * from meet_gateways(
            ${gatewayId}::uuid, ${usesCache}::boolean, ${flushedThrough}::bigint, ${wishes}::boolean, ${leaseMs}::integer
          )`,
        { effect: 'writes', withinMs: meetMs },
      )
      return { wished: row.wished, flushedByOthers: row.flushed_by_others ?? Number.POSITIVE_INFINITY }
    },
    async leaveGateways(gatewayId) {
      await database.run(sql`select leave_gateways(${gatewayId}::uuid)`, { effect: 'writes', withinMs: meetMs })
    },
  }
}
