import t from 'tap'
import Schema from 'typebox/schema'
import { basketSchema } from '../../../engine/wire/basket-schema.js'
import { compileSchema, namesOfSchemas } from '../../../engine/wire/compile-schema.js'
import { type JsonSchema, objectOf, optional } from '../../../engine/wire/json-schema.js'
import { readJson } from '../../../engine/wire/read-json.js'
import { basketRule, requestNames, saleRule } from '../../../engine/wire/request-rules.js'
import { saleSchema } from '../../../engine/wire/sale-schema.js'
import { fc } from '../../support/seeded.js'
import { basketBody, bytesOf, calculationId } from './basket-body.js'

function fits(value: unknown, rule: typeof basketRule): boolean {
  return readJson(bytesOf(JSON.stringify(value)), requestNames, rule).kind === 'read'
}

/** The value with its numbers rounded to quarters, beyond TypeBox's tolerance. */
function quartered(value: unknown): unknown {
  const onQuarter = (_: string, each: unknown) => (typeof each === 'number' ? Math.round(each * 4) / 4 : each)
  return JSON.parse(JSON.stringify(value), onQuarter)
}

/** Valid and invalid values; none on which TypeBox's counting or rounding differs from the contract. */
const pieces = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    -1,
    0.5,
    1.0004,
    100,
    100.5,
    100_001,
    2 ** 53,
    'x',
    '',
    'EUR',
    calculationId,
  ),
  fc.constantFrom<unknown>(
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(129),
    'a\u0001',
    '\ud800',
    'amount',
    'pos',
    [],
    {},
    [{}],
    [null],
  ),
  fc.jsonValue({ maxDepth: 2 }).map(quartered),
)

/** The places of a value, from the root down. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (value === null || typeof value !== 'object') return [path]
  return [path, ...Object.entries(value).flatMap(([name, each]) => placesIn(each, [...path, name]))]
}

function spoilt(body: object, path: readonly string[], piece: unknown, drop: boolean): unknown {
  const copy = structuredClone(body) as Record<string, unknown>
  const holder = path.slice(0, -1).reduce((at, step) => at[step] as Record<string, unknown>, copy)
  const last = path.at(-1)
  if (last === undefined) return piece
  if (drop && !Array.isArray(holder)) delete holder[last]
  else holder[last] = piece
  return copy
}

const discount = { type: 'percentage', percentage: 12.5, amount: 1, lineDiscountCode: 'c', text: 't', campaign: null }
const full = basketBody(1)
Object.assign(full, { supersedesCalculationId: null, orderDiscounts: [{ orderDiscountId: 'o', ...discount }] })
Object.assign(full.lines[0]!, {
  parentLineId: 'p',
  ean: null,
  overrideUnitPrice: 1,
  discounts: [discount],
  orderDiscountAllocations: [{ orderDiscountId: 'o', amount: 1 }],
  addedByLoyalty: true,
})
const sale = {
  calculationId,
  status: 'failed',
  failureReason: 'timeout',
  transactionId: 't',
  receiptNumber: 1,
  currency: 'EUR',
  paidTotal: 1,
  occurredAt: '2026-11-21T12:00:00Z',
  context: { ...full.context, clerkNumber: 1 },
}

t.test('agrees with TypeBox wherever TypeBox can judge', async (t) => {
  const cases: [object, JsonSchema, typeof basketRule][] = [
    [full, basketSchema, basketRule],
    [sale, saleSchema, saleRule],
  ]
  for (const [body, schema, rule] of cases) {
    t.ok(fits(body, rule) && Schema.Check(schema, body), 'the body itself fits')
    const places = placesIn(body)
    const property = fc.property(fc.nat(places.length - 1), pieces, fc.boolean(), (place, piece, drop) => {
      // Values that JSON cannot express go through JSON first.
      const value = JSON.parse(JSON.stringify(spoilt(body, places[place]!, piece, drop) ?? null)) as unknown
      return fits(value, rule) === Schema.Check(schema, value)
    })
    fc.assert(property, { numRuns: 4000 })
  }
})

t.test('stops at a schema that it does not understand', async (t) => {
  const names = namesOfSchemas([])
  const unknown: Record<string, unknown> = { type: 'string', contentEncoding: 'base64' }
  t.throws(() => compileSchema(unknown as JsonSchema, names), /contentEncoding/)
  t.throws(() => compileSchema({ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, names), /more than null/)
  t.throws(() => compileSchema({ type: 'null' }, names), /not understood: null/)
  const wide = Object.fromEntries(
    Array.from({ length: 32 }, (_, index) => [`field ${index}`, { type: 'boolean' } as const]),
  )
  t.throws(() => compileSchema(objectOf(wide, ''), namesOfSchemas([objectOf(wide, '')])), /more than 31 fields/)
})

t.test('describes every field', async (t) => {
  const visit = (schema: JsonSchema, path: string): void => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const words =
        field.description ?? field.anyOf?.[0]?.description ?? field.items?.description ?? (field.enum && 'its values')
      t.ok(words, `${path}.${name}`)
      visit(field, `${path}.${name}`)
    }
    for (const branch of schema.anyOf ?? []) visit(branch, path)
    if (schema.items !== undefined) visit(schema.items, `${path}[]`)
  }
  visit(basketSchema, 'basket')
  visit(saleSchema, 'sale')
})

t.test('publishes required and optional fields in the terms of JSON Schema', async (t) => {
  const schema = objectOf({ must: { type: 'boolean' }, may: optional({ type: 'boolean' }, 'a choice') }, 'an example')
  t.strictSame(schema, {
    type: 'object',
    description: 'an example',
    required: ['must'],
    properties: {
      must: { type: 'boolean' },
      may: { anyOf: [{ type: 'boolean' }, { type: 'null' }], description: 'a choice' },
    },
  })
})
