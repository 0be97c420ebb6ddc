import type { BasisLine } from '../base/basis.js'
import type { LineOffers, LinePlan } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'

/** The lines of a component and what is offered on them. */
export interface TieGround {
  readonly lines: readonly BasisLine[]
  /** One per line. */
  readonly lineOffers: readonly LineOffers[]
  /** The plan of each line without any of the offers. */
  readonly alone: readonly LinePlan[]
  readonly offers: readonly Offer[]
  /** Stackable benefits with a maximum amount that tie the lines too. */
  readonly loose: readonly Offer[]
  /** Basis position of each line. */
  readonly positions: readonly number[]
  /** Index of a basis position among the lines. */
  readonly indexOf: ReadonlyMap<number, number>
}
