import type { StoredVenue } from '../../ledger/venues.js'

/** A row of `store_venues`. What is not a key or a reference stays JSON text: a name may hold what Postgres cannot hold as text. */
export function rowFromVenue({ venueId, baxIds, ...rest }: StoredVenue) {
  return { venue_id: venueId, body: JSON.stringify(rest), bax_ids: [...new Set(baxIds)] }
}
