import type { AdminVenues, StoredVenue } from '../../ledger/venues.js'
import { readRow } from '../connection/rows.js'
import { adminChanges, adminReads, type Sql, sql } from '../connection/sql.js'
import type { LookUps } from '../look-ups.js'
import { createPosVenues } from './pos-venues.js'
import { rowFromVenue } from './venue-row.js'

/** Venues, as internal services read and change them (benefits 1). */
export function createAdminVenues(database: Sql, lookUps: LookUps): AdminVenues {
  return {
    find: createPosVenues(lookUps).lookUp,
    // The price list ends a body, and within texts every quote is escaped: so it is cut off before it leaves the database.
    async list({ after, limit }) {
      const rows = await database.run<{ venueId: string; body: string; baxIds: readonly string[] }>(
        sql`
          select v.venue_id as "venueId", case
              when strpos(v.body, ',"products":[') > 0 then left(v.body, strpos(v.body, ',"products":[') - 1) || '}' else v.body
            end as body, (
            select coalesce(json_agg(b.bax_id order by b.bax_id), '[]') from bax b where b.venue_id = v.venue_id
          ) as "baxIds"
          from venue v
          where v.venue_id > ${after?.[0] ?? ''}
          order by v.venue_id
          limit ${limit}::integer`,
        adminReads,
      )
      return rows.map(({ venueId, body, baxIds }) => ({
        ...(JSON.parse(body) as Omit<StoredVenue, 'venueId' | 'baxIds'>),
        venueId,
        baxIds,
        products: [],
      }))
    },
    async zones() {
      const rows = await database.run<{ zone: string }>(
        sql`select distinct v.time_zone as zone from venue v where v.time_zone is not null order by 1`,
        adminReads,
      )
      return rows.map(({ zone }) => zone)
    },
    async store({ requestId, digest, call, actor }, venue) {
      const row = await readRow<{ reply: Awaited<ReturnType<AdminVenues['store']>> }>(
        database,
        sql`
          select change_venue(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest},
            ${JSON.stringify([rowFromVenue(venue)])}::text::json
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
  }
}
