export interface PosReports {
  /** Adds at most `max` sales to the daily sums, the oldest first; resolves to how many were added. Reads have them before. */
  sum(max: number): Promise<number>
}

/** Sums of sales, as internal services read them. Amounts are whole numbers: minor units of money, smallest units of value. */
export interface AdminReports {
  /** Ascending by day, venue, benefit and currency; at most `limit` rows. */
  readBenefits(filter: SumFilter, by: SumKeys, limit: number): Promise<readonly BenefitFigures[]>
  /** Ascending by day, venue and currency; at most `limit` rows. */
  readSales(filter: SumFilter, by: SumKeys, limit: number): Promise<readonly SaleFigures[]>
  /** Ascending by day, venue, source and currency; at most `limit` rows. */
  readValue(filter: SumFilter, by: SumKeys, limit: number): Promise<readonly ValueFigures[]>
  /** Ascending by day and benefit; at most `limit` rows. At most 400 days; what is not in the sums yet is left out. */
  readReach(filter: ReachFilter, by: Pick<SumKeys, 'benefit' | 'day'>, limit: number): Promise<readonly ReachFigures[]>
  /** When reach began to be counted, milliseconds since the epoch: of days before it tells too little. */
  reachSince(): Promise<number>
  /** Sales of the last so many milliseconds that disagree with their calculation. */
  countDiscrepancies(lastMs: number, venueId: string): Promise<DisagreeingSales>
}

export interface DisagreeingSales {
  readonly sales: number
  /** Once for each way in which they disagree, ascending by its word. */
  readonly kinds: readonly { readonly discrepancy: string; readonly sales: number }[]
}

/** Which sums; empty: any. */
export interface SumFilter {
  /** `YYYY-MM-DD`, inclusive; `today`: the day that it is at each venue now. */
  readonly days: { readonly from: string; readonly until: string } | 'today'
  readonly venueId: string
  /** A benefit, or of value also an earning rule. */
  readonly benefitId: string
}

/** Which days, both inclusive, and which benefit; empty: any. */
export interface ReachFilter {
  readonly days: { readonly from: string; readonly until: string }
  readonly benefitId: string
}

/** What sums are taken apart by; currencies always are. */
export interface SumKeys {
  readonly benefit: boolean
  readonly venue: boolean
  readonly day: boolean
}

/** Empty where sums are not taken apart by it. */
interface Keys {
  readonly venueId: string
  readonly day: string
}

/** How many different members got a benefit, at all venues together. */
export interface ReachFigures {
  /** Empty where sums are not taken apart by it: who got any, or the one that was asked for. */
  readonly benefitId: string
  readonly day: string
  readonly members: number
}

export interface BenefitFigures extends Keys {
  readonly benefitId: string
  readonly currency: string
  /** Sales whose calculation it was part of. */
  readonly calculations: number
  /** Those charged as calculated. */
  readonly redemptions: number
  readonly discount: number
  readonly paid: number
}

export interface SaleFigures extends Keys {
  readonly currency: string
  /** Charged ones. */
  readonly sales: number
  readonly memberSales: number
  readonly applied: number
  readonly failed: number
  readonly cancelled: number
  readonly paid: number
  readonly discount: number
}

export interface ValueFigures extends Keys {
  /** An earning rule, or a benefit that costs. */
  readonly sourceId: string
  readonly currencyId: string
  readonly earned: number
  readonly spent: number
}
