import type { BasisLine } from '../base/basis.js'
import type { Money } from '../base/money.js'
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
  /** Stackable benefits with a maximum amount that tie the lines too; the relaxation looks at them line by line. */
  readonly loose: readonly Offer[]
  /** Basis position of each line. */
  readonly positions: readonly number[]
  /** Index of a basis position among the lines. */
  readonly indexOf: ReadonlyMap<number, number>
}

/** The order level as it comes after the lines, for one choice of order-level benefits. */
export interface Tail {
  /** Order-level offers that are used, in their order. */
  readonly uses: readonly Offer[]
  /** What each use can take from altogether outside, in minor units: what the lines there cost. */
  readonly outside: readonly Money[]
  /** Order discounts of the POS that stay, where they do; empty where they are taken off. */
  readonly staying: readonly StayingOrder[]
}

/** An order discount of the POS. */
export interface StayingOrder {
  readonly amount: Money
  /** Indices of the lines that carry it. */
  readonly lines: readonly number[]
  /** What the lines outside that carry it cost. */
  readonly outside: Money
  /** Basis positions of those lines. */
  readonly outsideLines: readonly number[]
}
