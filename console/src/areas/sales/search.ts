/** Filters of the list, as the address has them. */
export interface SaleSearch {
  readonly venueId?: string
  readonly registerId?: string
  /** Words of the contract, such as `applied`. */
  readonly status?: string
  /** `any`: only sales that disagree with their calculation; else one discrepancy, such as `late_event`. */
  readonly discrepancy?: string
  /** Digits. */
  readonly receipt?: string
}

export function readSearch(search: Readonly<Record<string, unknown>>): SaleSearch {
  const { venueId, registerId, status, discrepancy, receipt } = search
  return {
    ...(venueId ? { venueId: String(venueId) } : {}),
    ...(registerId ? { registerId: String(registerId) } : {}),
    ...(status ? { status: String(status) } : {}),
    ...(discrepancy ? { discrepancy: String(discrepancy) } : {}),
    ...(/^\d{1,15}$/.test(String(receipt ?? '')) ? { receipt: String(receipt) } : {}),
  }
}
