import { reasons } from '../../../engine/core/base/outcome.js'
import {
  allocationSchema,
  basketSchema,
  lineDiscountSchema,
  lineSchema,
  orderDiscountSchema,
  totalsSchema,
} from '../../../engine/wire/basket-schema.js'
import { contextSchema } from '../../../engine/wire/field-schemas.js'
import { faultsMax } from '../../../engine/wire/json-faults.js'
import { returnLineSchema, returnSchema, saleSchema } from '../../../engine/wire/sale-schema.js'
import { statusOfCode } from '../errors.js'
import { type JsonSchema, publishedSchema, uuidInAnyCaseSchema, uuidSchema } from './published-schema.js'

/** The request schemas by name: the objects that requests are checked against, published by `publishedSchema`. */
const requestSchemas: readonly (readonly [string, object])[] = [
  ['Basket', basketSchema],
  ['Line', lineSchema],
  ['LineDiscount', lineDiscountSchema],
  ['OrderDiscount', orderDiscountSchema],
  ['OrderDiscountAllocation', allocationSchema],
  ['Totals', totalsSchema],
  ['Context', contextSchema],
  ['SaleEvent', saleSchema],
  ['ReturnEvent', returnSchema],
  ['ReturnLine', returnLineSchema],
]

export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

const calculationId: JsonSchema = {
  ...uuidSchema,
  description: "Echo of the request's calculationId.",
}

const moneySchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const

const faultFields: JsonSchema = {
  field: { type: 'string' },
  expected: { type: 'string' },
  received: { type: 'string' },
}

const answerSchemas: Readonly<Record<string, JsonSchema>> = {
  BasketAnswer: {
    description: 'One of three outcomes.',
    oneOf: ['BasketApplied', 'BasketUnchanged', 'BasketMemberNotFound'].map(schemaRef),
  },
  BasketApplied: {
    type: 'object',
    description: 'The basket changed in at least one way: replace the basket with the returned one.',
    required: ['calculationId', 'status', 'basket'],
    properties: {
      calculationId,
      status: { const: 'applied' },
      basket: { ...schemaRef('Basket'), description: "The request's object, modified." },
    },
  },
  BasketUnchanged: {
    type: 'object',
    description:
      'The member is known, and the basket as sent already is the outcome: charge it as it was sent. `reason` says why nothing was added. Where it was sent with discounts of an earlier answer, these stay in it, and the sale event carries no `loyaltyDiscountTotal`: so send every basket as it was before loyalty.',
    required: ['calculationId', 'status', 'reason'],
    properties: {
      calculationId,
      status: { const: 'unchanged' },
      reason: { enum: [...reasons], description: 'The furthest stage that any benefit reached; for support only.' },
    },
  },
  BasketMemberNotFound: {
    type: 'object',
    description: 'Without a `loyaltyId`, or with one that is unknown: charge the basket as it was before loyalty.',
    required: ['calculationId', 'status'],
    properties: { calculationId, status: { const: 'member_not_found' } },
  },
  SaleAnswer: {
    type: 'object',
    required: ['calculationId', 'result'],
    properties: {
      calculationId,
      result: {
        enum: ['recorded', 'duplicate', 'unknown_calculation'],
        description:
          '`recorded`: stored. `duplicate`: one was stored more than 24 hours ago, nothing changed; until then a repeat gets the first answer again. `unknown_calculation`: there is no calculation with this GUID; the event is stored for reconciliation. All three are final, not to be retried.',
      },
    },
  },
  ReturnAnswer: {
    type: 'object',
    description:
      'An addition beyond the draft contract. With `unknown_calculation` there are only `returnId` and `result`.',
    required: ['returnId', 'result'],
    properties: {
      returnId: { ...uuidSchema, description: "Echo of the request's returnId." },
      result: {
        enum: ['recorded', 'duplicate', 'unknown_calculation', 'quoted'],
        description:
          '`recorded`: stored. `duplicate`: one was stored under this returnId more than 24 hours ago; the amounts are its own. `unknown_calculation`: no such sale of this venue was charged, nothing is stored. `quoted`: what the return would be now, with `dryRun`.',
      },
      refund: {
        ...moneySchema,
        description: 'What the guest gets back, in minor units of the sale. The sum over `lines`.',
      },
      lines: {
        type: 'array',
        description: 'The returned lines, in the order of the charged basket.',
        items: {
          type: 'object',
          required: ['lineId', 'refund'],
          properties: {
            lineId: { type: 'string' },
            refund: { ...moneySchema, description: 'Its share of the refund.' },
          },
        },
      },
      takenBack: {
        ...moneySchema,
        description:
          'Value that the sale earned and the return takes back: smallest units of all currencies together. For logs.',
      },
      givenBack: { ...moneySchema, description: 'Value that the sale spent and the return gives back, likewise.' },
    },
  },
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'requestId'],
        properties: {
          code: { enum: Object.keys(statusOfCode), description: 'Stable.' },
          message: { type: 'string', description: 'For logs; never shown to staff or guests.' },
          details: {
            type: 'object',
            description: 'Where a field is at fault: its path, what it must be, and what came, cut to 64 characters.',
            properties: {
              ...faultFields,
              faults: {
                type: 'array',
                minItems: 1,
                maxItems: faultsMax,
                description:
                  'Only with 400: every fault that was found, this one first. What is checked later is not among them.',
                items: { type: 'object', required: Object.keys(faultFields), properties: faultFields },
              },
            },
          },
          requestId: { ...uuidInAnyCaseSchema, description: 'The X-Request-Id of the answer.' },
        },
      },
    },
  },
}

/** Every schema of the document, by name, without those of returns if they are off; a request schema inside another one is a reference. */
export function documentSchemas(posReturns: boolean): Readonly<Record<string, JsonSchema>> {
  const named = new Map(requestSchemas.map(([name, schema]) => [schema, name]))
  const requests = requestSchemas.map(([name, schema]) => [name, withReferences(schema, named, true)])
  const all = [...requests, ...Object.entries(answerSchemas)] as const
  return Object.fromEntries(all.filter(([name]) => posReturns || !String(name).startsWith('Return')))
}

function withReferences(value: unknown, named: ReadonlyMap<object, string>, isRoot = false): unknown {
  if (typeof value !== 'object' || value === null) return value
  const name = named.get(value)
  if (name !== undefined && !isRoot) return schemaRef(name)
  if (Array.isArray(value)) return value.map((item) => withReferences(item, named))
  // Fields may have a keyword's name, such as `format`: only a schema itself is published anew.
  const entries = Object.entries(isSchema(value) ? publishedSchema(value) : value)
  return Object.fromEntries(entries.map(([key, item]) => [key, withReferences(item, named)]))
}

function isSchema(value: object): value is JsonSchema {
  return 'type' in value && typeof value.type === 'string'
}
