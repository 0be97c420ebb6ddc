import type { LineDiscount, OrderDiscount, OrderDiscountAllocation, Totals, VenueProduct } from './basket.js'
import type { Earning } from './earning.js'
import type { Money, Quantity } from './money.js'

/** Why a basket stays as it is, from the least to the furthest stage a benefit reached (wire decisions 2). */
export const reasons = [
  'no_benefits',
  'conditions_not_met',
  'not_discountable',
  'existing_discount_kept',
  'limit_exhausted',
] as const
export type Reason = (typeof reasons)[number]

/** Names one counter of a limit: its limit, whose it is ('' | memberId | venueId) and its period ('' | '2026-11-21' | '2026-W47' | '2026-11'). */
export interface CounterName {
  readonly limitId: string
  readonly subject: string
  readonly period: string
}

/** What an outcome takes of one counter: units, or 1 for a basket; `maximum` as the programme version says. */
export interface Want extends CounterName {
  readonly units: number
  readonly maximum: number
}

/** One string per counter, for maps. No id holds a line feed (wire decisions 1: control characters are refused). */
export function counterKey(name: CounterName): string {
  return `${name.limitId}\n${name.subject}\n${name.period}`
}

/**
 * A discount on an outcome line, but for its amount: one the POS sent, by its position on its line, or one of ours. A
 * benefit says the same on many lines, of which there may be hundreds of thousands together: they share what it says.
 */
export type OutcomeDiscount = { readonly kind: 'kept'; readonly position: number } | AddedDiscount

/** What a discount of ours says beside its amount. */
export interface AddedDiscount extends Omit<LineDiscount, 'amount'> {
  readonly kind: 'added'
}

/** A line of the priced basket, in its final place. */
export interface OutcomeLine {
  /** `sent`: stands in the request; `split`: new, taken from the line at `source`; `added`: a free product. */
  readonly kind: 'sent' | 'split' | 'added'
  /** Position in the request's lines (`sent`, `split`); -1 for `added`. */
  readonly source: number
  readonly lineId: string
  readonly quantity: Quantity
  /** null: the field is absent (or, where the line was sent with it and loyalty had set it, taken away). */
  readonly overrideUnitPrice: Money | null
  /** The line it was split from; its own lineId where the whole line has our override; null: the field is absent. */
  readonly splitFromLineId: string | null
  readonly discounts: readonly OutcomeDiscount[]
  /** What each of them takes off the line, in minor units; above 0 for ours. */
  readonly amounts: readonly Money[]
  readonly orderDiscountAllocations: readonly OrderDiscountAllocation[]
  readonly totals: Totals
  /** Of an `added` line only. */
  readonly product: VenueProduct | null
}

/** An order discount of the priced basket: one that was sent (`position` in the request, its amount possibly less) or one of ours. */
export type OutcomeOrderDiscount =
  | { readonly kind: 'kept'; readonly position: number; readonly amount: Money }
  | { readonly kind: 'added'; readonly discount: OrderDiscount }

/** The basket as it must be charged. Sent lines that are missing were added by an earlier answer of ours and are taken off. */
export interface PricedBasket {
  readonly lines: readonly OutcomeLine[]
  readonly orderDiscounts: readonly OutcomeOrderDiscount[]
  readonly totals: Totals
}

/**
 * Why a benefit open to the member did not make it, with numbers that hold (benefits 4). Never thrown. Lines are positions
 * in the request.
 *
 * `conditions_not_met`: with all that is missing in the basket, the benefit passes this stage.
 * `not_discountable`: the lines it matches, of which too few are without the flags that keep it away.
 * `existing_discount_kept`: the lines it matches; the POS's discounts on them keep it away, or it has nothing to gain there.
 * `limit_exhausted`: the limit that keeps the benefit from gaining, of several the one that does so for longest; with
 * `wanted` left of it, and of the others, the benefit would gain. `backAt`: the moment its period ends, null for `ever`.
 * `beaten`: the outcome is worth `gap` more than one with this benefit in it: alone, or on one line, or at the order
 * level, in the place of those in `by`. Did it take off more than `gap` more there, the outcome would be another, where
 * `optimal`.
 */
export type Dropped =
  | { readonly stage: 'conditions_not_met'; readonly missing: readonly Missing[] }
  | { readonly stage: 'not_discountable'; readonly lines: readonly number[] }
  | { readonly stage: 'existing_discount_kept'; readonly lines: readonly number[] }
  | {
      readonly stage: 'limit_exhausted'
      readonly limitId: string
      readonly period: string
      readonly left: number
      readonly wanted: number
      /** Milliseconds since the epoch. */
      readonly backAt: number | null
    }
  | { readonly stage: 'beaten'; readonly by: readonly string[]; readonly gap: Money }

/** What a condition or reward still lacks: applying the difference really grants it. */
export type Missing =
  | { readonly kind: 'spend'; readonly amount: Money }
  | { readonly kind: 'units'; readonly units: number }
  | { readonly kind: 'product'; readonly productId: string }

/** What became of one benefit open to this member here and now. */
export interface BenefitReport {
  readonly benefitId: string
  /** null: applied. */
  readonly dropped: Dropped | null
  /** What it took off, in minor units; 0 when dropped. */
  readonly value: Money
  /** Positions of the request's lines it stands on, with the units it serves there. */
  readonly lines: readonly { readonly line: number; readonly units: number; readonly amount: Money }[]
}

/** A report with the rank of its benefit, by which reports are listed. */
export interface RankedReport {
  readonly rank: number
  readonly report: BenefitReport
}

/** The engine's whole answer for one basket. */
export interface Calculation {
  readonly outcome:
    | { readonly status: 'applied'; readonly basket: PricedBasket }
    | { readonly status: 'unchanged'; readonly reason: Reason }
  /** net before + gross of added lines - net after (benefits 4), against the basket without earlier loyalty discounts. */
  readonly value: Money
  /** Sum of the amounts of all discounts that carry the service's code in the outcome. */
  readonly loyaltyDiscountTotal: Money
  readonly netAfter: Money
  /** Counters the outcome uses, in counterKey order; empty when nothing limited is applied. */
  readonly wants: readonly Want[]
  readonly optimal: boolean
  /** Upper bound, in minor units, of what a better outcome could still gain; 0 when optimal. */
  readonly gap: Money
  readonly steps: number
  readonly benefits: readonly BenefitReport[]
  /** What is earned if the basket is sold; null: nothing. */
  readonly earning: Earning | null
}
