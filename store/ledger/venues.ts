import type { VenueProduct } from '../../engine/core/base/basket.js'
import type { Command, CommandConflict } from './command.js'
import type { Rows } from './rows.js'

/** Venues, as POS calls need them. */
export interface PosVenues {
  lookUp(venueId: string): Promise<StoredVenue | null>
}

/** Venues, as internal services read and change them. */
export interface AdminVenues {
  find(venueId: string): Promise<StoredVenue | null>
  /** By id, ascending by their bytes; without price lists. */
  list(rows: Rows<readonly [venueId: string]>): Promise<readonly StoredVenue[]>
  store(
    command: Command,
    venue: StoredVenue,
  ): Promise<{ readonly kind: 'done'; readonly created: boolean; readonly changed: boolean } | CommandConflict>
}

export interface StoredVenue {
  readonly venueId: string
  readonly name: string
  readonly environment: 'staging' | 'production'
  readonly currency: string
  readonly timeZone: string
  readonly baxIds: readonly string[]
  readonly products: readonly VenueProduct[]
}
