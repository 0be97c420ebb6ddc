import type { BasisLine } from '../base/basis.js'
import type { VenueProduct } from '../base/basket.js'
import { type Money, moneyMax, type Percentage, percentageWhole } from '../base/money.js'
import type { CounterName, Dropped } from '../base/outcome.js'
import type { Benefit, Limit, RewardOf } from '../base/programme.js'
import type { CompiledBenefit } from '../match/compile.js'

/**
 * Amount that a line-level reward takes off pieces of a line (3-benefits 2), without maxima.
 *
 * @param pieces  1 to `line.pieces`
 * @param part    cost of those pieces, minor units
 * @returns       minor units, 0 to `part`
 */
export type AmountOn = (line: BasisLine, pieces: number, part: Money) => Money

export interface LimitLeft extends CounterName {
  readonly counts: Limit['counts']
  readonly maximum: number
  /** 0 or more. */
  readonly left: number
  /** End of its period, milliseconds since the epoch; null for `ever`. Computed on demand. */
  readonly backAt: () => number | null
}

export interface CostLeft {
  readonly currencyId: string
  readonly amount: number
  readonly worth: Money
  readonly isOnce: boolean
  readonly free: number
  /** The member's value, including the part that other open calculations hold; Infinity if unknown. */
  readonly balance: number
}

/** The parts of an offer that depend on its kind of reward. */
export type Shape =
  | { readonly kind: 'line' }
  | {
      readonly kind: 'order'
      /** Amount off lines that cost `base` together, without its maximum: 0 to `base`. */
      readonly takes: (base: Money) => Money
      readonly times: OrderTimes | null
    }
  | {
      readonly kind: 'free'
      /** null: nothing can be added. */
      readonly product: VenueProduct | null
      /** Without limits: units of the basket that may be free, all that it has, and those that it has not. */
      readonly there: number
      readonly had: number
      readonly missing: number
      readonly added: number
      /** True: the units required stay paid; null: they do, with no more than `there`. */
      readonly staysPaid: ((free: FreeByPosition, added: number) => boolean) | null
    }
  | {
      readonly kind: 'buy_get'
      readonly buy: number
      readonly get: number
      readonly buyLines: readonly number[]
      readonly timesMax: number
      /** By basis line, its product (`productsOf`), if the units of each time are of one; null: of any. */
      readonly products: readonly number[] | null
    }
  | {
      readonly kind: 'bundle'
      readonly components: readonly BundlePart[]
      readonly pays: BundlePay
      readonly timesMax: number
      readonly products: readonly number[] | null
    }

/** Units free, by position of the line in the request. */
export type FreeByPosition = ReadonlyMap<number, number>

/** An `order_amount` that is given up to `most` times, the last one cut where less is left, `cap` in all. */
export interface OrderTimes {
  readonly amount: Money
  readonly most: number
  readonly cap: number
}

/**
 * `price`: the price of one time. `amount`: off one time, together never more than the units hold; `isSure`: they always
 * hold as much. `percentage`: off each line by itself, as `amountOn` says.
 */
export type BundlePay =
  | { readonly kind: 'price'; readonly money: Money }
  | { readonly kind: 'amount'; readonly money: Money; readonly isSure: boolean }
  | { readonly kind: 'percentage' }

export interface BundlePart {
  readonly lines: readonly number[]
  readonly quantity: number
}

export type ShapeOf<Kind extends Shape['kind']> = Extract<Shape, { readonly kind: Kind }>

/** By basis line, the lines that follow it (3-benefits 1), ascending. */
export type Followers = ReadonlyMap<number, readonly number[]>

/** A benefit that can apply to this basket: open, conditions met, something to discount. */
export interface Offer {
  readonly compiled: CompiledBenefit
  readonly benefit: Benefit
  readonly rank: number
  readonly turn: number
  readonly shape: Shape
  readonly lines: readonly number[]
  /** Only for a percentage by the unit; null: none follow. */
  readonly followers: Followers | null
  /** Those, and lines left out only to keep the POS's own discounts, ascending. */
  readonly unflagged: readonly number[]
  readonly amountOn: AmountOn
  /** The percentage printed if it covers a whole line; null for amounts. */
  readonly percentage: Percentage | null
  /** Minor units for each piece, or time of an order benefit, by which `amountOn` is below the amount: worth of its cost; 0 but in `netOf`. */
  readonly worthEach: Money
  /** Applies to whole lines only (`line_amount` per line, stackables). */
  readonly wholeLine: boolean
  /** Most units it may discount (times for bundles, of a free product units that are there); Infinity without limits. */
  readonly unitsMax: number
  /** Most it may take off in the basket, minor units, or Infinity. The excess is cut off. */
  readonly maximumAmount: number
  /** The same, but it applies to fewer units or times instead; never with a maximum. */
  readonly amountMax: number
  readonly limits: readonly LimitLeft[]
  readonly cost: CostLeft | null
}

export type Offered =
  | { readonly offer: Offer; readonly dropped: null }
  | { readonly offer: null; readonly dropped: Dropped }

export function orderTimesOf({ amount, maximumTimes }: RewardOf<'order_amount'>, cap = moneyMax): OrderTimes {
  return { amount, most: maximumTimes ?? 1, cap }
}

/** True: the reward is a percentage that skips `noPercentageDiscount` lines (3-benefits 2). */
export function isPercentageReward({ reward }: Benefit): boolean {
  switch (reward.kind) {
    case 'line_percentage':
    case 'volume_percentage':
    case 'order_percentage':
      return true
    case 'buy_get':
      return reward.get.percentage < percentageWhole
    case 'bundle_discount':
      return 'percentage' in reward.off
    default:
      return false
  }
}

/**
 * Lower bound of the share of its units' cost that a bundle leaves, 0 to 1, except for a rounding on each line: savings
 * are in proportion, and one time costs at most the dearest units.
 */
export function shareLeft({ components, pays }: ShapeOf<'bundle'>, priceOf: (at: number) => Money): number {
  if (pays.kind !== 'price') return 0
  const most = dearestTime(components, priceOf)
  return most <= pays.money ? 1 : pays.money / most
}

export function dearestTime(components: readonly BundlePart[], priceOf: (at: number) => Money): Money {
  return components.reduce((sum, { lines, quantity }) => {
    return sum + quantity * lines.reduce((dearest, at) => Math.max(dearest, priceOf(at)), 0)
  }, 0)
}

/** Amount off for each time, beyond the cost of its units where it has a price; minor units. */
export function savedEach({ shape }: Offer): number {
  if (shape.kind !== 'bundle' || shape.pays.kind === 'percentage') return 0
  return shape.pays.kind === 'amount' ? shape.pays.money : -shape.pays.money
}

export function savesByTimes({ shape }: Pick<Offer, 'shape'>): boolean {
  return shape.kind === 'bundle' && shape.pays.kind === 'amount'
}

/** True: only all units of the bundle together decide its amount. */
export function savesTogether({ shape }: Pick<Offer, 'shape'>): boolean {
  return shape.kind === 'bundle' && shape.pays.kind !== 'percentage'
}

/** Most whole units that a reward on lines may take in a basket; Infinity without a maximum. */
export function maximumUnitsOf({ reward }: Benefit): number {
  return ('maximumUnits' in reward ? reward.maximumUnits : undefined) ?? Number.POSITIVE_INFINITY
}

export function byTurn(one: Offer, other: Offer): number {
  return one.turn - other.turn
}

export function isLeft({ unitsMax, shape }: Offer): boolean {
  return unitsMax > 0 || (shape.kind === 'free' && shape.added > 0)
}

/** Units of lines, each by itself. */
export function isOnUnits({ shape }: Pick<Offer, 'shape'>): boolean {
  return shape.kind === 'line' || shape.kind === 'free'
}

/** A free product within the limits or payments of `units`; units of the basket come first. */
export function giftWithin(offer: Offer, shape: ShapeOf<'free'>, { there, had, missing, units }: GiftUnits): Offer {
  const added = Math.max(0, Math.min(missing, units - had))
  return { ...offer, unitsMax: Math.min(there, units), shape: { ...shape, added } }
}

interface GiftUnits {
  readonly there: number
  readonly had: number
  readonly missing: number
  readonly units: number
}

/** Money that is left decides to how many units or times such an offer applies. */
export function hasAmountMax({ amountMax }: Offer): boolean {
  return amountMax !== Number.POSITIVE_INFINITY
}

export function isJudgedTogether(offer: Offer): boolean {
  const { shape } = offer
  return isShared(offer) || hasAmountMax(offer) || (shape.kind === 'free' && shape.staysPaid !== null)
}

export function isShared(offer: Offer): boolean {
  return savesTogether(offer) || offer.maximumAmount !== Number.POSITIVE_INFINITY
}

export function unitsEach(components: readonly { readonly quantity: number }[]): number {
  return components.reduce((sum, { quantity }) => sum + quantity, 0)
}
