import type { BasisLine } from '../base/basis.js'
import type { LineOffers, LinePlan } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'

/** The search problem of one component. */
export interface ComponentInstance extends LineInstance {
  readonly offers: readonly Offer[]
  /** Stackable benefits whose maximum amount ties the lines too. */
  readonly cappedStacks: readonly Offer[]
  /** Basis position of each line. */
  readonly positions: readonly number[]
  /** Inverse of `positions`. */
  readonly indexOf: ReadonlyMap<number, number>
}

/** Lines with the offers that each can use without others. */
export interface LineInstance {
  readonly lines: readonly BasisLine[]
  /** One per line. */
  readonly lineOffers: readonly LineOffers[]
  /** The best plan of each line by itself. */
  readonly alone: readonly LinePlan[]
}
