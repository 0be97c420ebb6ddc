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
  readonly balance: number
}

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
      readonly product: VenueProduct | null
      readonly there: number
      readonly had: number
      readonly missing: number
      readonly added: number
      readonly staysPaid: ((free: FreeByPosition, added: number) => boolean) | null
    }
  | {
      readonly kind: 'buy_get'
      readonly buy: number
      readonly get: number
      readonly buyLines: readonly number[]
      readonly timesMax: number
      readonly products: readonly number[] | null
    }
  | {
      readonly kind: 'bundle'
      readonly components: readonly BundlePart[]
      readonly pays: BundlePay
      readonly timesMax: number
      readonly products: readonly number[] | null
    }

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

export type Followers = ReadonlyMap<number, readonly number[]>

export interface Offer {
  readonly compiled: CompiledBenefit
  readonly benefit: Benefit
  readonly rank: number
  readonly turn: number
  readonly shape: Shape
  readonly lines: readonly number[]
  readonly followers: Followers | null
  /** Those, and lines left out only to keep the POS's own discounts, ascending. */
  readonly unflagged: readonly number[]
  readonly amountOn: AmountOn
  readonly percentage: Percentage | null
  /** Minor units for each piece, or time of an order benefit, by which `amountOn` is below the amount: worth of its cost; 0 but in `netOf`. */
  readonly worthEach: Money
  readonly wholeLine: boolean
  /** Most units it may discount (times for bundles, of a free product units that are there); Infinity without limits. */
  readonly unitsMax: number
  readonly maximumAmount: number
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

/** Lower bound of the share of its units' cost that a bundle leaves, 0 to 1, but for a rounding on each line. */
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

export function savedEach({ shape }: Offer): number {
  if (shape.kind !== 'bundle' || shape.pays.kind === 'percentage') return 0
  return shape.pays.kind === 'amount' ? shape.pays.money : -shape.pays.money
}

export function savesByTimes({ shape }: Pick<Offer, 'shape'>): boolean {
  return shape.kind === 'bundle' && shape.pays.kind === 'amount'
}

export function savesTogether({ shape }: Pick<Offer, 'shape'>): boolean {
  return shape.kind === 'bundle' && shape.pays.kind !== 'percentage'
}

export function maximumUnitsOf({ reward }: Benefit): number {
  return ('maximumUnits' in reward ? reward.maximumUnits : undefined) ?? Number.POSITIVE_INFINITY
}

export function byTurn(one: Offer, other: Offer): number {
  return one.turn - other.turn
}

export function isLeft({ unitsMax, shape }: Offer): boolean {
  return unitsMax > 0 || (shape.kind === 'free' && shape.added > 0)
}

export function isOnUnits({ shape }: Pick<Offer, 'shape'>): boolean {
  return shape.kind === 'line' || shape.kind === 'free'
}

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
