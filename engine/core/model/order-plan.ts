import type { VenueProduct } from '../base/basket.js'
import type { Money } from '../base/money.js'
import type { Offer } from '../offers/offer.js'

/** The order-level offers of a basket, each list in the order of benefitId. */
export interface OrderOffers {
  readonly normals: readonly Offer[]
  readonly stacks: readonly Offer[]
  /** Whether the POS has an order discount above 0 in the basket. */
  readonly hasOrderDiscounts: boolean
}

/** Order-level benefits of a plan: those used, in their order, and whether the POS's order discounts are taken off. */
export interface OrderPlan {
  readonly off: boolean
  /** The normal one first, then the stackable ones by benefitId. */
  readonly uses: readonly OrderUse[]
}

export interface OrderUse {
  readonly offer: Offer
  /** Basis lines it takes from, ascending. */
  readonly lines: readonly number[]
}

/** Units of a free product. */
export interface FreeUnits {
  readonly offer: Offer
  readonly units: number
  /** Its list price times the units. */
  readonly gross: Money
  readonly product: VenueProduct
}
