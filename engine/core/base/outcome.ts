import type { LineDiscount, OrderDiscount, OrderDiscountAllocation, Totals, VenueProduct } from './basket.js'
import type { Earning } from './earning.js'
import type { Money, Quantity } from './money.js'
import type { Cost, Limit } from './programme.js'

export const reasons = [
  'no_benefits',
  'conditions_not_met',
  'not_discountable',
  'existing_discount_kept',
  'limit_exhausted',
] as const
export type Reason = (typeof reasons)[number]

/** Subject: '' | memberId | venueId. Period: '' | '2026-11-21' | '2026-W47' | '2026-11'. */
export interface CounterName {
  readonly limitId: string
  readonly subject: string
  readonly period: string
}

/** Units that an outcome takes of a counter: 1, minor units, or units; `maximum` as in the programme version. */
export interface Want extends CounterName {
  readonly units: number
  readonly maximum: number
}

export function counterKey(name: CounterName): string {
  return `${name.limitId}\n${name.subject}\n${name.period}`
}

export function accountKey(currencyId: string): string {
  return `account\n${currencyId}`
}

export interface Spent {
  readonly benefitId: string
  readonly currencyId: string
  readonly per: Cost['per']
  readonly amount: number
  readonly times: number
  readonly lines: readonly {
    readonly lineId: string
    readonly units: number
    readonly amount?: Money
  }[]
}

export function amountsSpent(spending: readonly Spent[]): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>()
  for (const { currencyId, amount, times } of spending) {
    amounts.set(currencyId, (amounts.get(currencyId) ?? 0) + amount * times)
  }
  return amounts
}

/** Kept from the POS, by position on its line, or added. Lines share the objects: there may be hundreds of thousands. */
export type OutcomeDiscount = { readonly kind: 'kept'; readonly position: number } | AddedDiscount

export interface AddedDiscount extends Omit<LineDiscount, 'amount'> {
  readonly kind: 'added'
}

export interface OutcomeLine {
  readonly kind: 'sent' | 'split' | 'added'
  readonly source: number
  readonly lineId: string
  readonly quantity: Quantity
  readonly overrideUnitPrice: Money | null
  /** Its own lineId if the whole line has the service's override; null: the field is absent. */
  readonly splitFromLineId: string | null
  readonly discounts: readonly OutcomeDiscount[]
  readonly amounts: readonly Money[]
  readonly orderDiscountAllocations: readonly OrderDiscountAllocation[]
  readonly totals: Totals
  readonly product: VenueProduct | null
}

export type OutcomeOrderDiscount =
  | { readonly kind: 'kept'; readonly position: number; readonly amount: Money }
  | { readonly kind: 'added'; readonly discount: OrderDiscount }

export interface PricedBasket {
  readonly lines: readonly OutcomeLine[]
  readonly orderDiscounts: readonly OutcomeOrderDiscount[]
  readonly totals: Totals
}

/**
 * Why an open benefit was not applied (benefits 4). Never thrown. Lines are positions in the request.
 *
 * `conditions_not_met`: with all that is missing in the basket, the benefit passes this stage.
 * `not_discountable`: the lines it matches; too few are without flags that exclude it.
 * `existing_discount_kept`: the lines it matches; the POS's discounts exclude it, or it gains nothing there.
 * `limit_exhausted`: the limit that prevents a gain, of several the one that does so for longest; with `wanted` left of
 * it and of the others, the benefit would gain; both as it counts. `backAt`: when it is new again, null for `ever`.
 * `value_held`: as `limit_exhausted`, but other open calculations of the member hold the value; `wanted` for
 * one use, in smallest units.
 * `beaten`: the outcome is worth `gap` more than one with this benefit alone, on one line, or at the order level, in
 * place of those in `by`; stackable ones stay where they can. It is worth `gives` there, and those in `by`
 * `instead`. If it took off some minor units more than `instead - gives` more there and the outcome is `optimal`, the
 * outcome would be another.
 */
export type Dropped =
  | { readonly stage: 'conditions_not_met'; readonly missing: readonly Missing[] }
  | { readonly stage: 'not_discountable'; readonly lines: readonly number[] }
  | { readonly stage: 'existing_discount_kept'; readonly lines: readonly number[] }
  | {
      readonly stage: 'limit_exhausted'
      readonly limitId: string
      readonly period: string
      readonly counts: Limit['counts']
      readonly left: number
      readonly wanted: number
      readonly backAt: number | null
    }
  | { readonly stage: 'value_held'; readonly currencyId: string; readonly left: number; readonly wanted: number }
  | {
      readonly stage: 'beaten'
      readonly by: readonly string[]
      readonly gap: Money
      /** Absent: stored before it was kept; so is `instead`. */
      readonly gives?: Money
      readonly instead?: Money
    }

/** The missing part of a condition or reward; adding it satisfies the condition. */
export type Missing =
  | { readonly kind: 'spend'; readonly amount: Money }
  | { readonly kind: 'units'; readonly units: number }
  | { readonly kind: 'product'; readonly productId: string }
  | { readonly kind: 'value'; readonly currencyId: string; readonly amount: number }

export interface LineReport {
  readonly line: number
  readonly units: number
  readonly amount: Money
  readonly follows?: number
}

export interface BenefitReport {
  readonly benefitId: string
  readonly dropped: Dropped | null
  readonly value: Money
  readonly lines: readonly LineReport[]
  readonly spent?: { readonly currencyId: string; readonly amount: number }
}

export interface Entered {
  readonly experimentId: string
  readonly armId: string
  readonly isWithheld: boolean
}

export interface RankedReport {
  readonly rank: number
  readonly report: BenefitReport
}

export interface Calculation {
  readonly outcome:
    | { readonly status: 'applied'; readonly basket: PricedBasket }
    | { readonly status: 'unchanged'; readonly reason: Reason }
  /** Net before + gross of added lines - net after, less the worth of spending (benefits 4); without earlier loyalty discounts. */
  readonly value: Money
  readonly loyaltyDiscountTotal: Money
  readonly netAfter: Money
  readonly wants: readonly Want[]
  readonly spending: readonly Spent[]
  readonly optimal: boolean
  readonly gap: Money
  readonly steps: number
  readonly bounded: boolean
  readonly benefits: readonly BenefitReport[]
  readonly entered: readonly Entered[]
  readonly earning: Earning | null
}
