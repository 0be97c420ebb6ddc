import type { Basis } from '../base/basis.js'
import type { LineOffers } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'
import type { LineInstance } from './component-instance.js'
import type { FreeUnits, OrderOffers } from './order-plan.js'

export interface BasketLevels {
  readonly basis: Basis
  readonly lineInstance: LineInstance
  readonly orderOffers: OrderOffers
}

export interface BasketInstance extends BasketLevels {
  /** Whether a line can gain anything, by basis position. */
  readonly canGain: readonly boolean[]
  /** By basis position: lines with the same number have the same order benefits. */
  readonly kinds: readonly number[]
  readonly tying: readonly Offer[]
  readonly cappedStacks: readonly Offer[]
  /** Whether plans give exact costs of lines: no own discounts of the POS, no `cappedStacks`. */
  readonly areRestsExact: boolean
}

export interface Completion {
  readonly basis: Basis
  readonly orderOffers: OrderOffers
  readonly free: readonly FreeUnits[]
}

export interface OfferPartition {
  /** Per line, the offers that tie it to no other. */
  readonly lineOffers: LineOffers[]
  /** In the order of benefitId. */
  readonly tying: Offer[]
  readonly cappedStacks: Offer[]
  /** `cappedStacks`; empty if too many meet on a line to tie it. */
  readonly binding: Offer[]
}
