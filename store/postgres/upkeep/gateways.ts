import type { Gateways } from '../../ledger/gateways.js'
import { readRow } from '../connection/rows.js'
import { type Sql, sql } from '../connection/sql.js'

/** A gateway that has not reported for so long counts as gone, in milliseconds. */
const leaseMs = 3_000

/** Time for one report, in milliseconds: several fit into a lease. */
const meetMs = 400

/** The list of living gateways, and the wishes that they write what they have answered (report_gateway). */
export function createGateways(database: Sql): Gateways {
  return {
    async meet({ gatewayId, usesCache, flushedThrough, wishes }) {
      const row = await readRow<{ wished: number; flushed_by_others: number | null }>(
        database,
        sql`
          select * from report_gateway(
            ${gatewayId}::uuid, ${usesCache}::boolean, ${flushedThrough}::bigint, ${wishes}::boolean, ${leaseMs}::integer
          )`,
        { effect: 'writes', withinMs: meetMs },
      )
      return { wished: row.wished, flushedByOthers: row.flushed_by_others ?? Number.POSITIVE_INFINITY }
    },
    async leave(gatewayId) {
      await database.run(sql`delete from gateway g where g.gateway_id = ${gatewayId}::uuid`, {
        effect: 'writes',
        withinMs: meetMs,
      })
    },
  }
}
