import type { Basis } from '../base/basis.js'
import type { LineOffers } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'
import type { LineInstance } from './component-instance.js'
import type { FreeUnits, OrderOffers } from './order-plan.js'

/** The two levels of a basket at which benefits apply: its lines, and the order as a whole. */
export interface BasketLevels {
  readonly basis: Basis
  readonly lineInstance: LineInstance
  readonly orderOffers: OrderOffers
}

/** The search problem of a basket: its levels, the benefits that tie lines, and what decides how its lines count. */
export interface BasketInstance extends BasketLevels {
  /** Whether anything can be gained on a line, by basis position. */
  readonly canGain: readonly boolean[]
  /** Lines that the same order-level benefits look at have the same number. */
  readonly kinds: readonly number[]
  /** Benefits that tie lines together. */
  readonly tying: readonly Offer[]
  /** Stackable benefits whose maximum amount can bite. */
  readonly cappedStacks: readonly Offer[]
  /** Whether a plan of a line says what the line costs, but for what several lines share: no own discounts, no such benefits. */
  readonly areRestsExact: boolean
}

/** What completes plans of lines to an outcome: the order level, and free products. */
export interface Completion {
  readonly basis: Basis
  readonly orderOffers: OrderOffers
  readonly free: readonly FreeUnits[]
}

/** Line-level offers, by whether they tie lines. */
export interface OfferPartition {
  /** What each line has to itself. */
  readonly lineOffers: LineOffers[]
  /** The benefits that tie lines together, in the order of benefitId. */
  readonly tying: Offer[]
  /** Stackable benefits whose maximum amount can bite. */
  readonly cappedStacks: Offer[]
  /** All of those, where they tie their lines as other benefits do; none where too many of them meet on a line. */
  readonly binding: Offer[]
}
