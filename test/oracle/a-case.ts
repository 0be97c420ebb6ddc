import type { Basket, Line, OrderDiscount } from '../../engine/core/base/basket.js'
import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import { discountCode } from './generate-basket.js'
import type { PricingCase } from './pricing-case.js'
import { withTotals } from './with-totals.js'

/** A plain line of whole units, with the given changes. */
export function aLine(productId: string, units: number, unitPrice: number, other: Partial<Line> = {}): Line {
  return {
    lineId: productId,
    parent: -1,
    productId,
    productGroupId: null,
    productMasterId: null,
    ean: null,
    quantity: units * 1000,
    unitPrice,
    overrideUnitPrice: null,
    noDiscount: false,
    noPercentageDiscount: false,
    discounts: [],
    orderDiscountAllocations: [],
    addedByLoyalty: false,
    splitFromLineId: null,
    totals: { gross: 0, lineDiscount: 0, orderDiscount: 0, net: 0 },
    ...other,
  }
}

/** A discount of the POS's own on a line. */
export function staff(amount: number): Pick<Line, 'discounts'> {
  const none = { percentage: null, lineDiscountCode: null, text: null, campaign: null }
  return { discounts: [{ type: 'amount', amount, ...none }] }
}

/** A benefit open to everybody, `replace` and `normal`, with the given changes. */
export function aBenefit(benefitId: string, reward: Reward, other: Partial<Benefit> = {}): Benefit {
  const absent = { campaign: null, validFrom: null, validUntil: null, schedule: null, venueIds: null, channels: null }
  return {
    ...absent,
    benefitId,
    text: benefitId,
    priority: 0,
    audience: null,
    conditions: null,
    existingDiscounts: 'replace',
    combination: 'normal',
    reward,
    limits: [],
    ...other,
  }
}

/** A basket of these lines, priced with these benefits. */
export function aCase(lines: readonly Line[], benefits: readonly Benefit[], other: Partial<Basket> = {}): PricingCase {
  const totals = { gross: 0, lineDiscount: 0, orderDiscount: 0, net: 0 }
  const place = { currency: 'NOK', requestedAt: Date.parse('2026-11-21T12:00:00Z'), venueId: 'V1' }
  const basket = withTotals({ ...place, channel: 'pos', lines, orderDiscounts: [], totals, ...other })!
  const member = { memberId: 'm1', tier: null, segments: [] }
  const venue = { venueId: 'V1', currency: 'NOK', timeZone: 'Europe/Oslo', products: [] }
  return { benefits, input: { member, venue, available: {}, discountCode, stepsMax: 200_000, basket } }
}

/** A limit of so many units. */
export function limitedTo(maximum: number): Pick<Benefit, 'limits'> {
  return { limits: [{ limitId: 'l', scope: 'everyone', period: 'ever', counts: 'units', maximum }] }
}

/** An order discount of the POS: its amounts are on the lines with the same id in `aLine`. */
export function anOrderDiscount(orderDiscountId: string, amount: number): OrderDiscount {
  const none = { percentage: null, lineDiscountCode: null, text: null, campaign: null }
  return { orderDiscountId, type: 'amount', amount, ...none }
}

/** A line's share of an order discount. */
export function carrying(orderDiscountId: string, amount: number): Pick<Line, 'orderDiscountAllocations'> {
  return { orderDiscountAllocations: [{ orderDiscountId, amount }] }
}
