/** Filters of the list, as the address has them. */
export interface SaleSearch {
  readonly venueId?: string
  /** Words of the contract, such as `applied`. */
  readonly status?: string
  /** `any`: only sales that disagree with their calculation; else one discrepancy, such as `late_event`. */
  readonly discrepancy?: string
}
