import type { Basket, Line } from '../../engine/core/base/basket.js'
import { quantityOne } from '../../engine/core/base/money.js'

/** The calculationId of every basket that the bench sends. */
export const calculationId = '5f0c2b6e-8f2d-4f0a-9d57-3a1f0e6b7c11'

/** The basket as a POS sends it, with a few fields that the contract does not list. */
export function bodyOf(basket: Basket): Buffer {
  const { currency, channel, venueId, orderDiscounts, totals } = basket
  return Buffer.from(
    JSON.stringify({
      calculationId,
      loyaltyId: 'LOY-1',
      currency,
      requestedAt: new Date(basket.requestedAt).toISOString(),
      context: { venueId, baxId: '7100001', cashRegisterId: 'register-1', clerkNumber: 7, channel },
      lines: basket.lines.map((line) => lineOf(line, basket)),
      ...(orderDiscounts.length > 0 ? { orderDiscounts } : {}),
      totals,
    }),
  )
}

function lineOf(
  { parent, orderDiscountAllocations, addedByLoyalty, splitFromLineId, quantity, discounts, ...line }: Line,
  { lines }: Basket,
) {
  return {
    ...line,
    ...(parent === -1 ? {} : { parentLineId: lines[parent]!.lineId }),
    quantity: quantity / quantityOne,
    name: `Product ${line.productId}`,
    vatRate: 25,
    ...(discounts.length > 0 ? { discounts } : {}),
    ...(orderDiscountAllocations.length > 0 ? { orderDiscountAllocations } : {}),
  }
}
