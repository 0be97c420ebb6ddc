import type { BasisLine } from '../base/basis.js'
import type { VenueProduct } from '../base/basket.js'
import { type Money, type Percentage, percentageWhole } from '../base/money.js'
import type { CounterName, Dropped } from '../base/outcome.js'
import type { Benefit, Limit } from '../base/programme.js'
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

/**
 * What an offer takes from its member for each use: a unit, of a group a time, or the basket (page 4, section 2).
 * Amounts are in smallest units of the currency.
 */
export interface CostLeft {
  readonly currencyId: string
  readonly amount: number
  /** What that is worth to its holder, minor units. */
  readonly worth: Money
  readonly isOnce: boolean
  readonly free: number
  /** What the member has, with what other open calculations hold; Infinity if unknown. */
  readonly balance: number
}

/** The parts of an offer that depend on its kind of reward. */
export type Shape =
  | { readonly kind: 'line' }
  | {
      readonly kind: 'order'
      /** Amount off lines that cost `base` together, without its maximum: 0 to `base`. */
      readonly takes: (base: Money) => Money
    }
  | { readonly kind: 'free'; readonly product: VenueProduct; readonly quantity: number }
  | {
      readonly kind: 'buy_get'
      readonly buy: number
      readonly get: number
      /** Basis lines whose units may be bought, ascending. */
      readonly buyLines: readonly number[]
      readonly timesMax: number
    }
  | {
      readonly kind: 'bundle'
      readonly components: readonly BundlePart[]
      readonly price: Money
      readonly timesMax: number
    }

export interface BundlePart {
  readonly lines: readonly number[]
  readonly quantity: number
}

export type ShapeOf<Kind extends Shape['kind']> = Extract<Shape, { readonly kind: Kind }>

/** A benefit that can apply to this basket: open, conditions met, something to discount. */
export interface Offer {
  readonly compiled: CompiledBenefit
  readonly benefit: Benefit
  readonly rank: number
  /** Order in which stackable ones apply. */
  readonly turn: number
  readonly shape: Shape
  /** Basis lines it may discount, ascending. */
  readonly lines: readonly number[]
  /** Those, and lines left out only to keep the POS's own discounts, ascending. */
  readonly unflagged: readonly number[]
  readonly amountOn: AmountOn
  /** The percentage printed if it covers a whole line; null for amounts. */
  readonly percentage: Percentage | null
  /** Minor units for each piece by which `amountOn` is below the amount: worth of what is spent; 0 but in `netOf`. */
  readonly worthEach: Money
  /** Applies to whole lines only (`line_amount` per line, stackables). */
  readonly wholeLine: boolean
  /** Most units it may discount (times for bundles, units added for free products); Infinity without limits. */
  readonly unitsMax: number
  /** Most it may take off in the basket, minor units, or Infinity. What it would take beyond is cut off. */
  readonly maximumAmount: number
  /** The same, but it applies to fewer units or times instead; never beside a maximum. */
  readonly amountMax: number
  readonly limits: readonly LimitLeft[]
  /** null: it costs the member nothing. */
  readonly cost: CostLeft | null
}

export type Offered =
  | { readonly offer: Offer; readonly dropped: null }
  | { readonly offer: null; readonly dropped: Dropped }

/** Whether the reward is a percentage that skips `noPercentageDiscount` lines (3-benefits 2). */
export function isPercentageReward({ reward }: Benefit): boolean {
  switch (reward.kind) {
    case 'line_percentage':
    case 'volume_percentage':
    case 'order_percentage':
      return true
    case 'buy_get':
      return reward.get.percentage < percentageWhole
    default:
      return false
  }
}

/**
 * Lower bound of the share of its units' cost that a bundle leaves, 0 to 1, except for a rounding on each line: savings
 * are in proportion, and one time costs at most the dearest units.
 */
export function shareLeft({ components, price }: ShapeOf<'bundle'>, priceOf: (at: number) => Money): number {
  const most = components.reduce(
    (sum, { lines, quantity }) => sum + quantity * lines.reduce((dearest, at) => Math.max(dearest, priceOf(at)), 0),
    0,
  )
  return most <= price ? 1 : price / most
}

/** Most whole units that a reward on lines may take in a basket; Infinity without a maximum. */
export function maximumUnitsOf({ reward }: Benefit): number {
  return ('maximumUnits' in reward ? reward.maximumUnits : undefined) ?? Number.POSITIVE_INFINITY
}

export function byTurn(one: Offer, other: Offer): number {
  return one.turn - other.turn
}

/** Whether money that is left decides to how many units or times an offer applies. */
export function hasAmountMax({ amountMax }: Offer): boolean {
  return amountMax !== Number.POSITIVE_INFINITY
}

/** Whether the amount on a line depends on other lines. */
export function isShared({ shape, maximumAmount }: Offer): boolean {
  return shape.kind === 'bundle' || maximumAmount !== Number.POSITIVE_INFINITY
}

export function unitsEach(components: readonly { readonly quantity: number }[]): number {
  return components.reduce((sum, { quantity }) => sum + quantity, 0)
}
