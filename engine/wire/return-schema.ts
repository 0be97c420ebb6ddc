import { contextSchema, dateTime, identifier, uuid } from './field-schemas.js'
import { objectOf, optional } from './json-schema.js'

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

/** A return of a POS, an addition beyond the draft contract. What fields mean together is checked by `readReturn`. */
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
