import type { PosVenues, StoredVenue } from '../../ledger/venues.js'
import { storable } from '../connection/sql.js'
import type { LookUps, VenueRow } from '../look-ups.js'

/** Venues, as POS calls need them (benefits 1). */
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
