import type { VenueProduct } from '../../engine/core/base/basket.js'
import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'

/** A venue that sells a piece, something weighed and a deposit. */
export const venue: ProgrammeVenue = {
  venueId: 'v-1',
  name: 'Venue 1',
  environment: 'staging',
  currency: 'NOK',
  timeZone: 'Europe/Oslo',
  baxIds: ['100'],
  products: [
    product('bun', 'Bun', 4500),
    product('cheese', 'Cheese, per kg', 18_901),
    { ...product('deposit', 'Deposit', 200), noDiscount: true },
  ],
}

function product(productId: string, name: string, unitPrice: number): VenueProduct {
  return {
    productId,
    name,
    unitPrice,
    productGroupId: null,
    productMasterId: null,
    ean: null,
    noDiscount: false,
    noPercentageDiscount: false,
  }
}
