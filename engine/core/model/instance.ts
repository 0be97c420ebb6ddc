import type { Basis, BasisLine } from '../base/basis.js'
import type { VenueProduct } from '../base/basket.js'
import type { Money } from '../base/money.js'
import type { LineOffers, LinePlan } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'

export interface BasketLevels {
  readonly basis: Basis
  readonly lineInstance: LineInstance
  readonly orderOffers: OrderOffers
}

export interface BasketInstance extends BasketLevels {
  /** By basis position; true: the line can gain something. */
  readonly canGain: readonly boolean[]
  /** By basis position: lines with the same number have the same order benefits. */
  readonly kinds: readonly number[]
  readonly tying: readonly Offer[]
  readonly cappedStacks: readonly Offer[]
  /** True: plans give exact costs of lines, as there are no own discounts of the POS and no `cappedStacks`. */
  readonly areRestsExact: boolean
}

export interface Completion {
  readonly basis: Basis
  readonly orderOffers: OrderOffers
  readonly free: readonly FreeUnits[]
}

export interface OfferPartition {
  readonly lineOffers: LineOffers[]
  readonly tying: Offer[]
  readonly cappedStacks: Offer[]
  /** `cappedStacks`; empty if too many meet on a line to tie it. */
  readonly binding: Offer[]
}

export interface ComponentInstance extends LineInstance {
  readonly offers: readonly Offer[]
  readonly cappedStacks: readonly Offer[]
  readonly positions: readonly number[]
  readonly indexOf: ReadonlyMap<number, number>
}

export interface LineInstance {
  readonly lines: readonly BasisLine[]
  readonly lineOffers: readonly LineOffers[]
  readonly alone: readonly LinePlan[]
}

/** Order-level offers of a basket: normal ones by benefitId, stackable ones by turn. */
export interface OrderOffers {
  readonly normals: readonly Offer[]
  readonly stacks: readonly Offer[]
  readonly hasOrderDiscounts: boolean
}

/** Order benefits in use; `off`: the POS's order discounts are taken off. */
export interface OrderPlan {
  readonly off: boolean
  /** The normal one first, then the stackable ones by turn. */
  readonly uses: readonly OrderUse[]
}

export interface OrderUse {
  readonly offer: Offer
  readonly lines: readonly number[]
}

export interface FreeUnits {
  readonly offer: Offer
  readonly units: number
  readonly gross: Money
  readonly product: VenueProduct
}

export interface Problem {
  readonly basis: Basis
  readonly offers: readonly Offer[]
  readonly hasOrderDiscounts: boolean
  readonly stepsMax: number
  /** By position of a cluster: offers of each follower that does not follow. */
  readonly alone?: ReadonlyMap<number, readonly LineOffers[]>
}
