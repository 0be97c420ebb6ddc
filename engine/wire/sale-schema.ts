import { contextSchema, count, currencyCode, dateTime, identifier, loyaltyId, money, uuid } from './field-schemas.js'
import { objectOf, optional } from './json-schema.js'

const saleStatuses = ['applied', 'unchanged', 'member_not_found', 'failed', 'cancelled'] as const

export const failureReasons = [
  'timeout',
  'connection_error',
  'http_error',
  'invalid_response',
  'offline',
  'pos_error',
] as const

export const saleSchema = objectOf(
  {
    calculationId: uuid('Equals the Idempotency-Key header.'),
    status: { type: 'string', enum: saleStatuses, description: 'What became of the calculation (contract 2.3).' },
    failureReason: optional(
      { type: 'string', enum: failureReasons },
      'Required when `status` is `failed`, absent with every other.',
    ),
    transactionId: optional(
      identifier('POS transaction id, one sale each. Required, but absent when `status` is `cancelled`.'),
    ),
    receiptNumber: optional(count('POS receipt number.')),
    loyaltyId: optional(loyaltyId()),
    currency: currencyCode(),
    paidTotal: optional(money('Amount actually charged. Absent when `status` is `cancelled`.')),
    loyaltyDiscountTotal: optional(
      money('Loyalty discount on the finalised transaction. 0 or absent unless `status` is `applied`.'),
    ),
    occurredAt: dateTime('RFC 3339 with an offset: when the transaction was finalised or the payment abandoned.'),
    context: contextSchema,
  },
  'Outcome of one calculation, sent exactly once per calculationId.',
)

export const returnLineSchema = objectOf(
  {
    lineId: identifier('A line of the basket that was charged, once.'),
    quantity: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 100_000,
      multipleOf: 0.001,
      description: 'What comes back; whole unless the line is weighed.',
    },
  },
  'What comes back of one line.',
)

export const returnSchema = objectOf(
  {
    returnId: uuid('One per return; equals the Idempotency-Key header.'),
    calculationId: optional(uuid('The sale. This, or `transactionId`.')),
    transactionId: optional(
      identifier(
        'The sale, by the POS transaction id that its event had, at the venue of `context`. This, or `calculationId`.',
      ),
    ),
    lines: { type: 'array', minItems: 1, items: returnLineSchema },
    occurredAt: dateTime('RFC 3339 with an offset: when the goods came back.'),
    context: contextSchema,
    dryRun: optional(
      { type: 'boolean' },
      'true: answers what the return would be, and records nothing. Default false.',
    ),
  },
  'Goods that come back of one recorded sale, at its venue.',
)
