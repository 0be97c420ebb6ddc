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
  readonly canGain: readonly boolean[]
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

export interface OrderOffers {
  readonly normals: readonly Offer[]
  readonly stacks: readonly Offer[]
  readonly hasOrderDiscounts: boolean
}

export interface OrderPlan {
  readonly off: boolean
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
  readonly alone?: ReadonlyMap<number, readonly LineOffers[]>
}
