import {
  contextSchema,
  currencyCode,
  dateTime,
  identifier,
  loyaltyId,
  money,
  receiptText,
  uuid,
} from './field-schemas.js'
import { objectOf, optional } from './json-schema.js'

export const totalsSchema = objectOf(
  {
    gross: money('Quantity times the unit price that counts, rounded half up.'),
    lineDiscount: money('Sum of the line discounts.'),
    orderDiscount: money('Sum of the order discount allocations.'),
    net: money('gross - lineDiscount - orderDiscount.'),
  },
  'Minor units of the basket currency.',
)

const discountFields = {
  type: { type: 'string', enum: ['amount', 'percentage'] } as const,
  percentage: optional(
    { type: 'number', exclusiveMinimum: 0, maximum: 100, multipleOf: 0.0001 },
    'Required when `type` is `percentage`; at most 4 decimals.',
  ),
  amount: money('What the discount takes off.'),
  lineDiscountCode: optional(
    identifier(
      'Every discount the service adds carries its one code, `THIRD_PARTY_LOYALTY` unless the environment has another. Reserved for it: a discount sent with it is taken off first.',
    ),
  ),
  text: optional(receiptText('Receipt text.')),
  campaign: optional(receiptText('Campaign.')),
}

export const lineDiscountSchema = objectOf(discountFields, 'A discount on a line, in the order in which it applies.')

export const orderDiscountSchema = objectOf(
  { orderDiscountId: identifier('Unique in the basket.'), ...discountFields },
  'A discount on the order; its amount is the sum of its allocations on the lines.',
)

export const allocationSchema = objectOf(
  {
    orderDiscountId: identifier('An order discount of the basket.'),
    amount: money('Its share on this line.'),
  },
  'The share of an order discount on a line.',
)

export const lineSchema = objectOf(
  {
    lineId: identifier('Unique in the basket.'),
    parentLineId: optional(identifier('lineId of another line of the basket; no cycle.')),
    productId: identifier('Venue product id.'),
    productGroupId: optional(identifier('Product group.')),
    productMasterId: optional(identifier('Product master id: the product identity where present.')),
    ean: optional(identifier('EAN: the product identity where there is no productMasterId.')),
    quantity: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 100_000,
      multipleOf: 0.001,
      description: 'At most 3 decimals (weighed goods).',
    },
    unitPrice: money('Price of one unit.'),
    overrideUnitPrice: optional(money('The unit price that counts, where present.')),
    noDiscount: { type: 'boolean', description: 'The line never gets a discount.' },
    noPercentageDiscount: optional({ type: 'boolean' }, 'The line never gets a percentage discount. Default false.'),
    weighed: optional(
      { type: 'boolean' },
      'The quantity is a measure and never units, even when it is whole. A quantity that is not whole is one anyway. Default false.',
    ),
    discounts: optional({ type: 'array', items: lineDiscountSchema }, 'Default `[]`.'),
    orderDiscountAllocations: optional({ type: 'array', items: allocationSchema }, 'Default `[]`.'),
    addedByLoyalty: optional({ type: 'boolean' }, 'Set by the service on lines it adds.'),
    splitFromLineId: optional(identifier('Set by the service on lines it splits off.')),
    totals: totalsSchema,
  },
  'One line of the basket. Fields not listed belong to the POS and come back as they were sent.',
)

/** Check 11 (`too_many_lines`) limits the lines, so that a malformed one among too many is reported as malformed (contract 2.7). */
export const basketSchema = objectOf(
  {
    calculationId: uuid('One per basket calculation; equals the Idempotency-Key header.'),
    supersedesCalculationId: optional(
      uuid('The calculation sent last, answered or not, when the basket changed after it.'),
    ),
    loyaltyId: optional(
      loyaltyId(),
      'Opaque member identifier from the terminal lookup, without personal data. Absent or null: the answer is `member_not_found`.',
    ),
    currency: currencyCode(),
    requestedAt: dateTime('RFC 3339 with an offset; benefits are judged at this moment.'),
    context: contextSchema,
    lines: { type: 'array', minItems: 1, items: lineSchema },
    orderDiscounts: optional({ type: 'array', items: orderDiscountSchema }, 'Default `[]`.'),
    totals: totalsSchema,
  },
  "The POS's own order object. Fields not listed, at any depth, belong to the POS and come back with the same name, place and value.",
)
