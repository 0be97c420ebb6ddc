import type { VenueFacts, VenueProduct } from '../../engine/core/base/basket.js'
import type { Dice } from '../../test/support/dice.js'

export interface Product extends VenueProduct {
  readonly productGroupId: string
  /** Sold by weight: its lines have no units. */
  readonly weighed: boolean
}

export interface Shop {
  readonly products: readonly Product[]
  readonly groups: readonly string[]
  readonly venue: VenueFacts
}

export interface ShopSize {
  /** Prefix of every id, so that two shops have no product in common. */
  readonly name: string
  readonly products: number
  readonly groups: number
}

const weighedEvery = 20
/** One product in this many never gets a discount: deposits, gift cards. */
const noDiscountEvery = 40

/**
 * A shop of products at everyday prices, identified by master number, EAN or the venue's own id, as in real price
 * lists.
 */
export function createShop(dice: Dice, { name, products: count, groups: groupCount }: ShopSize): Shop {
  const groups = Array.from({ length: groupCount }, (_, at) => `${name}-group-${at}`)
  const products = Array.from({ length: count }, (_, at) =>
    createProduct(dice, `${name}-${at}`, groups[at % groupCount]!),
  )
  return {
    products,
    groups,
    venue: { venueId: 'venue-1', currency: 'NOK', timeZone: 'Europe/Oslo', products },
  }
}

function createProduct(dice: Dice, productId: string, productGroupId: string): Product {
  const naming = dice.below(3)
  return {
    productId,
    name: productId,
    unitPrice: everydayPrice(dice),
    productGroupId,
    productMasterId: naming === 0 ? `master-${productId}` : null,
    ean: naming === 1 ? `ean-${productId}` : null,
    noDiscount: dice.below(noDiscountEvery) === 0,
    noPercentageDiscount: dice.below(noDiscountEvery) === 0,
    weighed: dice.below(weighedEvery) === 0,
  }
}

/** 9.90 to 299.90, mostly cheap, ending in 90 or 00. */
function everydayPrice(dice: Dice): number {
  const whole = 10 + Math.floor(dice.next() ** 2 * 290)
  return whole * 100 - (dice.below(3) === 0 ? 0 : 10)
}
