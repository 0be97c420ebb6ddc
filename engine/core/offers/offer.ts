import type { BasisLine } from '../base/basis.js'
import type { VenueProduct } from '../base/basket.js'
import { type Money, type Percentage, percentageWhole } from '../base/money.js'
import type { CounterName, Dropped } from '../base/outcome.js'
import type { Benefit } from '../base/programme.js'
import type { CompiledBenefit } from '../match/compile.js'

/**
 * What a line-level reward takes off when it has some pieces of a line (3-benefits 2), without maxima.
 *
 * @param line    the line
 * @param pieces  1 to `line.pieces`
 * @param part    what those pieces hold, minor units
 * @returns       minor units, 0 to `part`
 */
export type AmountOn = (line: BasisLine, pieces: number, part: Money) => Money

/** A limit of a benefit with what is left of it for this basket. */
export interface LimitLeft extends CounterName {
  readonly counts: 'baskets' | 'units'
  readonly maximum: number
  /** 0 or more. */
  readonly left: number
  /** When its period ends, worked out where somebody asks: milliseconds since the epoch, or null for `ever`. */
  readonly backAt: () => number | null
}

/** What an offer is made of beside its lines. */
export type Shape =
  | { readonly kind: 'line' }
  | {
      readonly kind: 'order'
      /** What it takes off lines that cost `base` together, without its maximum: at most `base`. */
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

/** A component of a bundle. */
export interface BundlePart {
  /** Basis lines it may take units of, ascending. */
  readonly lines: readonly number[]
  /** How many units it takes each time. */
  readonly quantity: number
  /** Where these are most lines of the basket, all of them in whole units: the others, ascending. */
  readonly left?: readonly number[]
}

export type ShapeOf<Kind extends Shape['kind']> = Extract<Shape, { readonly kind: Kind }>

/** A benefit that this basket could have: open, its conditions met, something to discount in the basket. */
export interface Offer {
  readonly compiled: CompiledBenefit
  readonly benefit: Benefit
  readonly rank: number
  readonly shape: Shape
  /** Basis lines it may discount, ascending. */
  readonly lines: readonly number[]
  /** Those, and the ones that it passes over only because it keeps the POS's own discounts there, ascending. */
  readonly unflagged: readonly number[]
  readonly amountOn: AmountOn
  /** The percentage printed where all of a line gets it; null for amounts. */
  readonly percentage: Percentage | null
  /** Takes whole lines only (`line_amount` per line, stackables). */
  readonly wholeLine: boolean
  /** Most units it may discount (times for bundles, units added for free products): its limits. Infinity without. */
  readonly unitsMax: number
  /** Most it may take off in the basket, or Infinity. */
  readonly maximumAmount: number
  readonly limits: readonly LimitLeft[]
}

/** What an offer becomes where a benefit has nothing to offer. */
export type Offered =
  | { readonly offer: Offer; readonly dropped: null }
  | { readonly offer: null; readonly dropped: Dropped }

/** Whether a percentage reward keeps away from `noPercentageDiscount` lines (3-benefits 2). */
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
 * The share of what its units hold that a bundle leaves them at least, 0 to 1, but for a unit of rounding on each line: the
 * saving is spread in proportion, and units of one time hold no more together than the dearest of each component.
 */
export function shareLeft({ components, price }: ShapeOf<'bundle'>, priceOf: (at: number) => Money): number {
  const most = components.reduce(
    (sum, { lines, quantity }) => sum + quantity * lines.reduce((dearest, at) => Math.max(dearest, priceOf(at)), 0),
    0,
  )
  return most <= price ? 1 : price / most
}

/** Whether what an offer takes off a line depends on what it has of others. */
export function isShared({ shape, maximumAmount }: Offer): boolean {
  return shape.kind === 'bundle' || maximumAmount !== Number.POSITIVE_INFINITY
}
