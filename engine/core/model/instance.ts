import type { Basis } from '../base/basis.js'
import type { LineOffers } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'
import type { FreeUnits, OrderOffers } from './order-plan.js'
import type { Ground } from './task.js'

/** Lines and order level of a basket, for the search among benefits that tie lines together. */
export interface Field {
  readonly basis: Basis
  readonly ground: Ground
  readonly orderOffers: OrderOffers
}

/** A field with what decides how its lines count. */
export interface LineField extends Field {
  /** Whether anything can be gained on a line, by basis position. */
  readonly canGain: readonly boolean[]
  /** Lines that the same order-level benefits look at have the same number. */
  readonly kinds: readonly number[]
  /** Benefits that tie lines together. */
  readonly tying: readonly Offer[]
  /** Stackable benefits whose maximum amount can bite. */
  readonly loose: readonly Offer[]
  /** Whether a plan of a line says what the line costs, but for what several lines share: no own discounts, no such benefits. */
  readonly isFirm: boolean
}

/** What plans of lines are completed with. */
export interface Scene {
  readonly basis: Basis
  readonly orderOffers: OrderOffers
  readonly free: readonly FreeUnits[]
}

/** Line-level offers, dealt out. */
export interface Dealt {
  /** What each line has to itself. */
  readonly lineOffers: LineOffers[]
  /** The benefits that tie lines together, in the order of benefitId. */
  readonly tying: Offer[]
  /** Stackable benefits whose maximum amount can bite. */
  readonly loose: Offer[]
  /** All of those, where they tie their lines as other benefits do; none where too many of them meet on a line. */
  readonly binding: Offer[]
}
