import type { Money, Quantity } from './money.js'
import type { Benefit, Period, ScheduleWindow, Selector } from './programme.js'

/** Multipliers are held in ten-thousandths: 1.5 is 15,000 (page 4, section 2: at most 4 decimals). */
export const factorOne = 10_000

/** The base of a rule: `every` minor units, whole units, or a sale. */
export type EarningPer =
  | { readonly kind: 'amount'; readonly every: Money }
  | { readonly kind: 'units'; readonly every: number }
  | { readonly kind: 'visit' }

export interface Multiplier {
  readonly audience: Benefit['audience']
  readonly schedule: readonly ScheduleWindow[] | null
  readonly factor: number
}

/** End of a lot: the first moment after the local day, week, month or year that lies this long after the sale. */
export interface Expiry {
  readonly unit: 'months' | 'days'
  readonly after: number
  readonly atEndOf: 'day' | 'week' | 'month' | 'year' | null
}

/** Policy for value that a return takes back but that the member no longer has (4-member-value 2 and 5). */
export type OnReturn = 'to_zero' | 'debt' | 'pending_only'

/** A rule of `earning` (4-member-value 2), with defaults filled in; moments in milliseconds since the epoch. */
export interface EarningRule {
  readonly ruleId: string
  readonly currencyId: string
  readonly give: number
  readonly per: EarningPer
  readonly select: Selector | null
  readonly includeNoDiscount: boolean
  readonly minimumSpend: { readonly amount: Money; readonly select?: Selector } | null
  readonly cooldownMinutes: number | null
  readonly maximum: {
    readonly amount: number
    readonly period: Period | 'basket'
  } | null
  readonly multipliers: readonly Multiplier[]
  readonly audience: Benefit['audience']
  readonly venueIds: readonly string[] | null
  readonly channels: readonly string[] | null
  readonly schedule: readonly ScheduleWindow[] | null
  readonly validFrom: number | null
  readonly validUntil: number | null
  readonly opensAfterDays: number
  readonly expires: Expiry | null
  readonly onReturn: OnReturn
}

export interface Counted {
  readonly rule: EarningRule
  readonly factor: number
  readonly sent: number
  readonly returned: number
  /** For a `maximum` by birthday: the date of its period, such as `2026-06-15`. Absent: the member has none, so a year counts. */
  readonly about?: string
}

export interface Earning {
  readonly at: number
  readonly day: string
  readonly timeZone: string
  readonly counted: readonly Counted[]
}

export interface LadderKind {
  readonly units: number
  readonly taken: Money
  readonly benefitId: string
  readonly free: boolean
}

export interface LadderLine {
  readonly lineId: string
  readonly quantity: Quantity
  readonly paid: Money
  readonly due: Money
  /** It is one piece and has no units, whatever its quantity. */
  readonly weighed?: true
  readonly added?: true
  /** With `kinds`: its gross less the POS's own line discounts that stay. */
  readonly hold?: Money
  /** In the order in which units are returned: the heaviest first. Absent: all units are alike, and none is given for nothing. */
  readonly kinds?: readonly LadderKind[]
}

export interface LadderRule {
  readonly ruleId: string
  readonly per: EarningPer['kind']
  readonly onReturn: OnReturn
  readonly capped: boolean
  readonly lines: readonly number[]
  /** Thousandths that it counts of each of `lines`, in the order of its kinds. Absent: all. */
  readonly ranges?: readonly (readonly [from: Quantity, until: Quantity])[]
  readonly minimumSpend?: Money
  readonly spending?: readonly number[]
  readonly spendingRanges?: LadderRule['ranges']
}

export interface Ladder {
  readonly lines: readonly LadderLine[]
  readonly rules: readonly LadderRule[]
}

/** `reprice`: units that stay are sold as if bought alone; `as_paid`: each unit comes back for what was paid for it. */
export type ReturnPolicy = 'reprice' | 'as_paid'
