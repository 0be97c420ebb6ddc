/** Filters of the list, as the address has them. */
export interface CalculationSearch {
  readonly venueId?: string
  readonly memberId?: string
  readonly loyaltyId?: string
  /** Words of the contract, such as `applied`. */
  readonly status?: string
  readonly state?: string
}
