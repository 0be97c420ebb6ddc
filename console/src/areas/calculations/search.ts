/** Filters of the list, and what is open of a calculation, as the address has them. */
export interface CalculationSearch {
  readonly venueId?: string
  readonly registerId?: string
  readonly memberId?: string
  readonly loyaltyId?: string
  /** Words of the contract, such as `applied`. */
  readonly status?: string
  readonly state?: string
  /** One that applies. */
  readonly benefitId?: string
  /** Of the sale: digits. */
  readonly receipt?: string
  readonly transaction?: string
  /** Answered at or after, and before: RFC 3339. */
  readonly from?: string
  readonly until?: string
  /** Of a calculation: computed again, or priced as if. */
  readonly tool?: 'replay' | 'as-if'
}

export type CalculationFilter = Exclude<keyof CalculationSearch, 'tool'>

const anyText = /./
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
/** What each filter looks like; anything else is none. */
const forms: Readonly<Record<CalculationFilter, RegExp>> = {
  venueId: anyText,
  registerId: anyText,
  memberId: anyText,
  loyaltyId: anyText,
  status: anyText,
  state: anyText,
  benefitId: anyText,
  receipt: /^\d{1,15}$/,
  transaction: anyText,
  from: moment,
  until: moment,
}

/** What an address says; a filter that is empty is none. */
export function readSearch(search: Readonly<Record<string, unknown>>): CalculationSearch {
  const { tool } = search
  const given = Object.entries(forms)
    .map(([name, form]) => [name, String(search[name] ?? ''), form] as const)
    .filter(([, value, form]) => form.test(value))
    .map(([name, value]) => [name, value] as const)
  return { ...Object.fromEntries(given), ...(tool === 'replay' || tool === 'as-if' ? { tool } : {}) }
}
