import type { Basket, Line, OrderDiscount } from '../../engine/core/base/basket.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { aDiscount, aMember, aLine as aSketchedLine, aVenue, basketOf, code } from '../engine/core/builders.js'
import type { PricingCase } from './pricing-case.js'
import { withTotals } from './with-totals.js'

/** A plain line of whole units, with the given changes. */
export function aLine(productId: string, units: number, unitPrice: number, other: Partial<Line> = {}): Line {
  return { ...aSketchedLine({ id: productId, product: productId, quantity: units, price: unitPrice }), ...other }
}

/** A discount of the POS's own on a line. */
export function staff(amount: number): Pick<Line, 'discounts'> {
  return { discounts: [aDiscount({ amount })] }
}

export function aCase(lines: readonly Line[], benefits: readonly Benefit[], other: Partial<Basket> = {}): PricingCase {
  const basket = withTotals(basketOf(lines, { orderDiscounts: [], ...other }))!
  const facts = { member: aMember, venue: aVenue(), available: {}, discountCode: code }
  return { benefits, input: { ...facts, stepsMax: 200_000, basket } }
}

export function limitedTo(maximum: number): Pick<Benefit, 'limits'> {
  return { limits: [{ limitId: 'l', scope: 'everyone', period: 'ever', counts: 'units', maximum }] }
}

/** An order discount of the POS: its amounts are on the lines with the same id in `aLine`. */
export function anOrderDiscount(orderDiscountId: string, amount: number): OrderDiscount {
  return { orderDiscountId, ...aDiscount({ amount }) }
}

export function carrying(orderDiscountId: string, amount: number): Pick<Line, 'orderDiscountAllocations'> {
  return { orderDiscountAllocations: [{ orderDiscountId, amount }] }
}
