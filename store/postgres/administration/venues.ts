import type { Administration } from '../../administration.js'
import type { StoredVenue } from '../../index.js'
import { readRow } from '../connection/rows.js'
import { type Sql, sql } from '../connection/sql.js'
import { inspectTerms } from '../inspection/terms.js'
import { rowFromVenue } from '../programmes/programmes.js'
import { changeTerms } from './terms.js'

type Venues = Pick<Administration, 'listVenues' | 'storeVenue'>

/** The venues of a ledger, listed and changed by internal services (benefits 1). */
export function createVenueAdministration(database: Sql): Venues {
  return {
    // The price list ends a body, and within texts every quote is escaped: so it is cut off before it leaves the database.
    async listVenues({ after, limit }) {
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
        inspectTerms,
      )
      return rows.map(({ venueId, body, baxIds }) => ({
        ...(JSON.parse(body) as Omit<StoredVenue, 'venueId' | 'baxIds'>),
        venueId,
        baxIds,
        products: [],
      }))
    },
    async storeVenue({ requestId, digest, call, actor }, venue) {
      const row = await readRow<{ reply: Awaited<ReturnType<Venues['storeVenue']>> }>(
        database,
        sql`
          select order_venue(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest},
            ${JSON.stringify([rowFromVenue(venue)])}::text::json
          ) as reply`,
        changeTerms,
      )
      return row.reply
    },
  }
}
