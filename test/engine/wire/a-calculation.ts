import type { Basket, LineDiscount, VenueProduct } from '../../../engine/core/base/basket.js'
import type { Calculation, OutcomeLine, PricedBasket } from '../../../engine/core/base/outcome.js'

/** The outcome that leaves a basket unchanged, for tests to modify. */
export function outcomeAsSent(basket: Basket): PricedBasket {
  const lines = basket.lines.map(
    (line, source): OutcomeLine => ({
      kind: 'sent',
      source,
      lineId: line.lineId,
      quantity: line.quantity,
      overrideUnitPrice: line.overrideUnitPrice,
      splitFromLineId: line.splitFromLineId,
      discounts: line.discounts.map((_, position) => ({ kind: 'kept', position })),
      amounts: line.discounts.map(({ amount }) => amount),
      orderDiscountAllocations: line.orderDiscountAllocations,
      totals: line.totals,
      product: null,
    }),
  )
  const orderDiscounts = basket.orderDiscounts.map(
    ({ amount }, position) => ({ kind: 'kept', position, amount }) as const,
  )
  return { lines, orderDiscounts, totals: basket.totals }
}

/** Recomputes the sums of identities 3, 4 and 6. */
export function summed(outcome: PricedBasket): PricedBasket {
  const totals = { gross: 0, lineDiscount: 0, orderDiscount: 0, net: 0 }
  for (const line of outcome.lines) {
    totals.gross += line.totals.gross
    totals.lineDiscount += line.totals.lineDiscount
    totals.orderDiscount += line.totals.orderDiscount
    totals.net += line.totals.net
  }
  return { ...outcome, totals }
}

export function applied(basket: PricedBasket): Calculation {
  return { ...nothing, outcome: { status: 'applied', basket } }
}

export function unchanged(reason: 'no_benefits' | 'limit_exhausted'): Calculation {
  return { ...nothing, outcome: { status: 'unchanged', reason } }
}

const nothing = {
  value: 0,
  loyaltyDiscountTotal: 0,
  netAfter: 0,
  wants: [],
  spending: [],
  optimal: true,
  gap: 0,
  steps: 0,
  bounded: false,
  benefits: [],
  entered: [],
  earning: null,
}

export function loyaltyDiscount(amount: number, more: Partial<LineDiscount> = {}): LineDiscount {
  const code = { lineDiscountCode: 'THIRD_PARTY_LOYALTY', text: 'Für Mitglieder 😀', campaign: null }
  return { type: 'amount', percentage: null, amount, ...code, ...more }
}

export function aProduct(more: Partial<VenueProduct> = {}): VenueProduct {
  const optional = { productGroupId: null, productMasterId: null, ean: null }
  const flags = { noDiscount: false, noPercentageDiscount: false }
  return { productId: 'gift', name: 'A gift', unitPrice: 300, ...optional, ...flags, ...more }
}
