import type { VenueTime } from '../../../engine/core/base/basket.js'
import type { AdminVenues, PosVenues, StoredVenue, VenueReply } from '../../ledger/venues.js'
import { change } from '../connection/changes.js'
import { adminReads, type Sql, sql, storable } from '../connection/sql.js'
import type { LookUps, VenueRow } from '../look-ups.js'

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
    async times() {
      return await database.run<VenueTime>(
        sql`
          select distinct v.time_zone as "timeZone", (extract(epoch from v.day_starts) / 60)::integer as "dayStartsAt"
          from venue v where v.time_zone is not null order by 1, 2`,
        adminReads,
      )
    },
    async store(command, venue) {
      const row = JSON.stringify([rowFromVenue(venue)])
      return await change<VenueReply>(database, command, 'change_venue', [row])
    },
  }
}

export function createPosVenues(lookUps: LookUps): PosVenues {
  return {
    async lookUp(venueId) {
      const row = storable(venueId) === null ? null : await lookUps.find('venue', venueId)
      return row ? venueFromRow(venueId, row) : null
    },
  }
}

function venueFromRow(venueId: string, { body, baxIds }: VenueRow): StoredVenue {
  return { ...(JSON.parse(body) as Omit<StoredVenue, 'venueId' | 'baxIds'>), venueId, baxIds }
}

/** A row of `store_venues`. All but keys and references stays JSON text: a name may hold characters that Postgres text cannot. */
export function rowFromVenue({ venueId, baxIds, ...rest }: StoredVenue) {
  return { venue_id: venueId, body: JSON.stringify(rest), bax_ids: [...new Set(baxIds)] }
}
