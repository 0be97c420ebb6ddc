import type { VenueProduct } from '../base/basket.js'
import type { Money } from '../base/money.js'
import type { Offer } from '../offers/offer.js'

/** Order-level offers of a basket, each list in the order of benefitId. */
export interface OrderOffers {
  readonly normals: readonly Offer[]
  readonly stacks: readonly Offer[]
  readonly hasOrderDiscounts: boolean
}

/** Order benefits in use; `off`: the POS's order discounts are taken off. */
export interface OrderPlan {
  readonly off: boolean
  /** The normal one first, then the stackable ones by benefitId. */
  readonly uses: readonly OrderUse[]
}

export interface OrderUse {
  readonly offer: Offer
  /** Basis positions, ascending. */
  readonly lines: readonly number[]
}

export interface FreeUnits {
  readonly offer: Offer
  readonly units: number
  readonly gross: Money
  readonly product: VenueProduct
}
