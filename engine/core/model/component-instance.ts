import type { BasisLine } from '../base/basis.js'
import type { LineOffers, LinePlan } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'

export interface ComponentInstance extends LineInstance {
  readonly offers: readonly Offer[]
  /** Stackable benefits whose maximum amount ties the lines too. */
  readonly cappedStacks: readonly Offer[]
  readonly positions: readonly number[]
  readonly indexOf: ReadonlyMap<number, number>
}

/** Lines with the offers that each can use without others. */
export interface LineInstance {
  readonly lines: readonly BasisLine[]
  readonly lineOffers: readonly LineOffers[]
  readonly alone: readonly LinePlan[]
}
