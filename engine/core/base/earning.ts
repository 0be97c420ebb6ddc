import type { Money } from './money.js'
import type { Benefit, ScheduleWindow, Selector } from './programme.js'

/** Multipliers are held in ten-thousandths: 1.5 is 15,000 (page 4, section 2: at most 4 decimals). */
export const factorOne = 10_000

/** What a rule counts: `every` so many minor units of the base, so many whole units, or one sale. */
export type EarningPer =
  | { readonly kind: 'amount'; readonly every: Money }
  | { readonly kind: 'units'; readonly every: number }
  | { readonly kind: 'visit' }

/** A factor for some members or hours; of those that match the largest counts. */
export interface Multiplier {
  readonly audience: Benefit['audience']
  readonly schedule: readonly ScheduleWindow[] | null
  /** In ten-thousandths, 1 to 1,000,000. */
  readonly factor: number
}

/** When a lot ends: so long after the sale was recorded, then at the first moment after the local day, week, month or year it falls in. */
export interface Expiry {
  readonly unit: 'months' | 'days'
  readonly after: number
  readonly atEndOf: 'day' | 'week' | 'month' | 'year' | null
}

/** One rule of `earning` (page 4, section 2), defaults filled in, moments in milliseconds since the epoch. */
export interface EarningRule {
  readonly ruleId: string
  readonly currencyId: string
  /** In the smallest units of the currency, 1 or more. */
  readonly give: number
  readonly per: EarningPer
  readonly select: Selector | null
  readonly includeNoDiscount: boolean
  readonly minimumSpend: { readonly amount: Money; readonly select?: Selector } | null
  readonly cooldownMinutes: number | null
  readonly maximum: {
    readonly amount: number
    readonly period: 'basket' | 'day' | 'week' | 'month' | 'ever'
  } | null
  readonly multipliers: readonly Multiplier[]
  readonly audience: Benefit['audience']
  readonly venueIds: readonly string[] | null
  readonly channels: readonly string[] | null
  readonly schedule: readonly ScheduleWindow[] | null
  readonly validFrom: number | null
  readonly validUntil: number | null
  /** Of its currency: what it gives opens after so many times 24 hours. */
  readonly opensAfterDays: number
  /** Of its currency; null: what it gives never expires. */
  readonly expires: Expiry | null
}

/** What an open rule counts of one basket: its base, its units, or 1 for a visit; 0 where its conditions do not hold. */
export interface Counted {
  readonly rule: EarningRule
  /** The largest that matches, in ten-thousandths. */
  readonly factor: number
  /** Of the basket as sent. */
  readonly sent: number
  /** Of the basket as returned; of one that was not changed the same as `sent`. */
  readonly returned: number
}

/** What the rules of a programme count of one basket (page 4, section 4). */
export interface Earning {
  /** `requestedAt` in milliseconds since the epoch. */
  readonly at: number
  /** Local date at the venue then, such as `2026-11-21`. */
  readonly day: string
  /** Of the venue; IANA name. */
  readonly timeZone: string
  /** Rules that count something of either basket, in the order of the programme. */
  readonly counted: readonly Counted[]
}
