import type { BasisLine } from '../base/basis.js'
import type { LineOffers, LinePlan } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'

/** The search problem of one component: its lines and what is offered on them. */
export interface ComponentInstance extends LineInstance {
  readonly offers: readonly Offer[]
  /** Stackable benefits with a maximum amount that tie the lines too. */
  readonly cappedStacks: readonly Offer[]
  /** Basis position of each line. */
  readonly positions: readonly number[]
  /** Index of a basis position among the lines. */
  readonly indexOf: ReadonlyMap<number, number>
}

/** Lines with what each has to itself. */
export interface LineInstance {
  readonly lines: readonly BasisLine[]
  /** One per line. */
  readonly lineOffers: readonly LineOffers[]
  /** The plan of each line with what it has to itself. */
  readonly alone: readonly LinePlan[]
}
