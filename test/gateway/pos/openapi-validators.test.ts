import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { createCatalogue } from '../../../bench/load/catalogue.js'
import { drawBasket, everydayMix } from '../../../bench/load/draw-baskets.js'
import { schemaRows } from '../../hostile/schema-rows.js'
import { Dice } from '../../support/dice.js'
import { bundledSchemas, publishedDocument } from '../../support/openapi-validator.js'
import { fitsInPython, type Judged } from '../../support/python-validator.js'

const count = 10_000
const seed = 7
const schemas = '/$defs'
const line = `${schemas}/Line/properties`
const percentage = `${schemas}/LineDiscount/properties/percentage`

/** The verdict of each validator that clients use, with its default settings. */
async function judge(judged: readonly Judged[]): Promise<Readonly<Record<string, readonly boolean[]>>> {
  const byAjv = (ajv: Ajv | Ajv2020) => {
    ajv.addSchema(bundledSchemas, 'bundle')
    const validate = (pointer: string) => ajv.getSchema(`bundle#${pointer}`)!
    return judged.map(({ pointer, text }) => validate(pointer)(JSON.parse(text)) as boolean)
  }
  return {
    'ajv 2020-12': byAjv(new Ajv2020()),
    'ajv draft 7': byAjv(new Ajv()),
    'python-jsonschema': await fitsInPython(bundledSchemas, judged),
  }
}

/** Asserts that every validator agrees on every text. */
async function allAre(t: Test, expected: boolean, judged: readonly Judged[]): Promise<void> {
  for (const [validator, fits] of Object.entries(await judge(judged))) {
    const others = judged.filter((_, at) => fits[at] !== expected)
    t.same(others.slice(0, 5), [], `${validator}: ${others.length} of ${judged.length} are not ${expected}`)
  }
}

const draw = (text: (dice: Dice) => string, pointer: string): Judged[] => {
  const dice = new Dice(seed)
  return Array.from({ length: count }, () => ({ pointer, text: text(dice) }))
}

/** A decimal in any spelling of a POS: with trailing zeros, or with an exponent. */
function decimal(dice: Dice, scaled: number, decimals: number): string {
  const plain = (scaled / 10 ** decimals).toFixed(decimals)
  return [plain, String(Number(plain)), `${scaled}e-${decimals}`][dice.below(3)]!
}

t.test('every validator accepts quantities with up to 3 decimals, percentages with up to 4, and amounts', async (t) => {
  const quantity = (dice: Dice) => decimal(dice, 1 + dice.below(dice.below(2) === 0 ? 100_000_000 : 20_000), 3)
  const percent = (dice: Dice) => decimal(dice, 1 + dice.below(1_000_000), 4)
  const amount = (dice: Dice) => {
    const value = Math.floor(Number.MAX_SAFE_INTEGER ** dice.next())
    return [String(value), `${value}.0`, `${value}e0`][dice.below(3)]!
  }
  const edges = [
    [`${line}/quantity`, ['0.001', '1e-3', '100000', '100000.000', '1.005', '2.3']],
    [percentage, ['0.0001', '1e-4', '100', '100.0000', '33.3333', 'null']],
    [`${line}/unitPrice`, ['0', '0.0', '4500.0', '45e2', '9007199254740991']],
  ] as const
  await allAre(t, true, [
    ...draw(quantity, `${line}/quantity`),
    ...draw(percent, percentage),
    ...draw(amount, `${line}/unitPrice`),
    ...edges.flatMap(([pointer, texts]) => texts.map((text) => ({ pointer, text }))),
  ])
})

t.test('every validator refuses numbers out of range or in another form', async (t) => {
  const rows = [
    [`${line}/quantity`, ['0', '-1', '0.0009', '100000.001', '"1"', 'null', 'true']],
    [percentage, ['0', '-0.1', '0.00009', '100.0001', '"1"']],
    [`${line}/unitPrice`, ['-1', '0.5', '9007199254740992', '"1"', 'null']],
  ] as const
  const judged = rows.flatMap(([pointer, texts]) => texts.map((text) => ({ pointer, text })))
  await allAre(t, false, judged)
})

t.test('every validator accepts whole baskets as POSs send them, also with null in optional fields', async (t) => {
  const dice = new Dice(seed)
  const catalogue = createCatalogue({ kind: 'retail', seed, benefits: 200, members: 50 })
  const pointer = `${schemas}/Basket`
  const judged = Array.from({ length: 1_000 }, () => {
    const { basket } = drawBasket(dice, catalogue, { ...everydayMix, discountShare: 0.3, orderDiscountShare: 0.3 })
    const whole = { ...basket, calculationId: '5a8c9d7e-3f21-4b6a-9c0d-1e2f3a4b5c6d', ourOwn: [null, { format: 1 }] }
    return { pointer, text: JSON.stringify(dice.below(2) === 0 ? whole : withNulls(whole)) }
  })
  await allAre(t, true, judged)
})

/** Adds every absent optional field as null (wire decisions 9). */
function withNulls(basket: { readonly lines: readonly object[] }): object {
  const ofSchema = (name: string, value: object) => {
    const { properties, required } = publishedDocument.components['schemas']![name]!
    const optional = Object.keys(properties as object).filter((field) => !(required as string[]).includes(field))
    return { ...Object.fromEntries(optional.map((field) => [field, null])), ...value }
  }
  return { ...ofSchema('Basket', basket), lines: basket.lines.map((line) => ofSchema('Line', line)) }
}

/** Faults that only the service can find: dependent values, decimals, invalid days, and lone surrogates. */
const beyondSchemas =
  /^(it supersedes itself|sale \{|a cycle|two lines|two order|parentLineId "|requestedAt "2026-02-30|lineId "\\u?d800|discount \{"type":"percentage"(,"percentage":12.34567)?\}|percentage|without .*percentage)/

t.test('on the catalogue of bad input every validator agrees with the service as far as a schema can', async (t) => {
  const schemaOf = { '/v1/pos/basket': 'Basket', '/v1/pos/sale': 'SaleEvent' }
  const rows = schemaRows().map(({ name, path, status, bytes }) => {
    return { name, status, pointer: `${schemas}/${schemaOf[path]}`, text: bytes.toString() }
  })
  const good = rows.filter(({ status }) => status !== 400)
  t.ok(good.length > 15, `${good.length} good`)
  await allAre(t, true, good)
  const bad = rows.filter(({ name, status }) => status === 400 && !beyondSchemas.test(name))
  t.ok(bad.length > 300, `${bad.length} bad`)
  await allAre(t, false, bad)
})
