import type { AdminTraffic, PosTraffic, TrafficMinute } from '../../ledger/traffic.js'
import { adminReads, type Sql, sql, type Terms } from '../connection/sql.js'

/** Time for a report, in milliseconds: the last one is part of a shutdown. */
const terms: Terms = { effect: 'writes', withinMs: 1_000 }

/** What processes of gateways answered. */
export function createPosTraffic(database: Sql): PosTraffic {
  return {
    async add(processId, minutes) {
      await database.run(sql`select add_traffic(${processId}::uuid, ${JSON.stringify(minutes)}::text::json)`, terms)
    },
  }
}

/** What all gateways answered. */
export function createAdminTraffic(database: Sql): AdminTraffic {
  return {
    async readMinutes(fromMs) {
      const rows = await database.run<{ at: number; outcomes: string; times: string }>(
        sql`
          select milliseconds(t.minute) as at, t.outcomes::text as outcomes, t.times::text as times
          from traffic_minute t
          where t.minute >= to_timestamp(${fromMs}::float8 / 1000)
          order by t.minute`,
        adminReads,
      )
      return rows.map(({ at, outcomes, times }): TrafficMinute => {
        return { at, outcomes: JSON.parse(outcomes), times: JSON.parse(times) }
      })
    },
  }
}
