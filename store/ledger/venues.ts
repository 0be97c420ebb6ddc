import type { VenueProduct, VenueTime } from '../../engine/core/base/basket.js'
import type { Command, CommandConflict, Rows } from './calls.js'

export interface PosVenues {
  lookUp(venueId: string): Promise<StoredVenue | null>
}

export interface AdminVenues {
  find(venueId: string): Promise<StoredVenue | null>
  list(rows: Rows<readonly [venueId: string]>): Promise<readonly StoredVenue[]>
  /** Time zones and starts of day of all venues, each once. */
  times(): Promise<readonly VenueTime[]>
  store(command: Command, venue: StoredVenue): Promise<VenueReply>
}

export type VenueReply =
  | { readonly kind: 'done'; readonly created: boolean; readonly changed: boolean }
  /** Nothing was done: a limit of the newest programme, by its path, counts money at other venues in these currencies. */
  | { readonly kind: 'mixed_money'; readonly path: string; readonly currencies: readonly string[] }
  | CommandConflict

export interface StoredVenue extends VenueTime {
  readonly venueId: string
  readonly name: string
  readonly environment: 'staging' | 'production'
  readonly currency: string
  readonly baxIds: readonly string[]
  readonly products: readonly VenueProduct[]
}
