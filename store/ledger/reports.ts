export interface PosReports {
  /** Adds at most `max` sales to the daily sums, the oldest first; resolves to their number. Reads include the others too. */
  sum(max: number): Promise<number>
}

export interface AdminReports {
  readBenefits(filter: SumFilter, by: SumKeys, limit: number): Promise<readonly BenefitFigures[]>
  readSales(filter: SumFilter, by: SumKeys, limit: number): Promise<readonly SaleFigures[]>
  readValue(filter: SumFilter, by: SumKeys, limit: number): Promise<readonly ValueFigures[]>
  /** Ascending by day and benefit; at most `limit` rows and 400 days; without sales that are not in the sums yet. */
  readReach(filter: ReachFilter, by: Pick<SumKeys, 'benefit' | 'day'>, limit: number): Promise<readonly ReachFigures[]>
  /** The members who got a benefit most often, at most `limit`; without sales that are not in the sums yet. */
  readTopMembers(benefitId: string, limit: number): Promise<readonly TopMember[]>
  /** The beginning of reach counts, milliseconds since the epoch: for days before they are too low. */
  reachSince(): Promise<number>
  countDiscrepancies(lastMs: number, venueId: string): Promise<DisagreeingSales>
}

export interface DisagreeingSales {
  readonly sales: number
  readonly kinds: readonly { readonly discrepancy: string; readonly sales: number }[]
}

export interface SumFilter {
  /** `YYYY-MM-DD`, inclusive; `today`: the current day of each venue. */
  readonly days: { readonly from: string; readonly until: string } | 'today'
  readonly venueId: string
  readonly benefitId: string
}

export interface ReachFilter {
  readonly days: { readonly from: string; readonly until: string }
  readonly benefitId: string
}

export interface SumKeys {
  readonly benefit: boolean
  readonly venue: boolean
  readonly day: boolean
}

/** Empty where it is no key of the sums. */
interface Keys {
  readonly venueId: string
  readonly day: string
}

/** The number of different members who got a benefit, at all venues together. */
export interface ReachFigures {
  /** Empty where it is no key of the sums: any benefit, or the requested one. */
  readonly benefitId: string
  readonly day: string
  readonly members: number
}

export interface TopMember {
  readonly memberId: string
  readonly redemptions: number
  readonly lastDay: string
}

export interface BenefitFigures extends Keys {
  readonly benefitId: string
  readonly currency: string
  /** Sales whose calculation includes it. */
  readonly calculations: number
  /** Those charged as calculated. */
  readonly redemptions: number
  readonly discount: number
  readonly paid: number
}

export interface SaleFigures extends Keys {
  readonly currency: string
  /** Charged sales. */
  readonly sales: number
  readonly memberSales: number
  readonly applied: number
  readonly failed: number
  readonly cancelled: number
  readonly paid: number
  readonly discount: number
  /** Discounts as POSs reported them, less those of their calculations. */
  readonly apart: number
}

export interface ValueFigures extends Keys {
  readonly sourceId: string
  readonly currencyId: string
  readonly earned: number
  readonly spent: number
}
