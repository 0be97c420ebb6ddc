import type { AdminEvents, StoredEvent } from '../../ledger/events.js'
import { readRow } from '../connection/rows.js'
import { adminReads, join, type Sql, type Statement, sql, storable } from '../connection/sql.js'

export const eventColumns: Statement = sql`
  e.event_id as "eventId", microseconds(e.at) as "atUs", e.place, e.type, e.member_id as "memberId", e.body`

export function createAdminEvents(database: Sql): AdminEvents {
  return {
    async place(max) {
      const row = await readRow<{ placed: number }>(database, sql`select place_events(${max}::integer) as placed`, {
        ...adminReads,
        effect: 'writes',
      })
      return row.placed
    },
    async readFeed(after, limit) {
      const behind = sql`from event e where e.place is not null and e.place > ${after}::bigint`
      const ordered = sql`order by e.place limit ${limit}::integer`
      return await database.run<StoredEvent>(join([sql`select`, eventColumns, behind, ordered], ' '), adminReads)
    },
    async feedEnds() {
      return await readRow<{ first: number; last: number }>(
        database,
        sql`
          select coalesce((select e.place from event e where e.place is not null order by e.place limit 1), 0) as first,
            last_event_place() as last`,
        adminReads,
      )
    },
    async list({ memberId, type }, { after, limit }) {
      if (storable(memberId) === null || storable(type) === null) return []
      const conditions = [
        sql`e.event_id < ${after?.[0] ?? Number.MAX_SAFE_INTEGER}::bigint`,
        ...(memberId === '' ? [] : [sql`e.member_id = ${memberId}`]),
        ...(type === '' ? [] : [sql`e.type = ${type}`]),
      ]
      const pieces = [
        sql`select`,
        eventColumns,
        sql`from event e where`,
        join(conditions, ' and '),
        sql`order by e.event_id desc limit ${limit}::integer`,
      ]
      return await database.run<StoredEvent>(join(pieces, ' '), adminReads)
    },
  }
}
