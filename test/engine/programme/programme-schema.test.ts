import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import type { Fault } from '../../../engine/programme/place.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { Dice } from '../../support/dice.js'
import { sized } from '../../support/sized.js'
import { aProgramme, changed, type JsonObject } from './a-programme.js'
import { drawProgramme, mutated } from './draw-programme.js'
import { rich } from './rich-programme.js'

const folder = join(import.meta.dirname, '..', '..', '..', 'engine', 'programme')
const schema = JSON.parse(readFileSync(join(folder, 'programme.schema.json'), 'utf8'))
const sample = JSON.parse(readFileSync(join(folder, 'sample-programme.json'), 'utf8')) as JsonObject
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
})
const validate = ajv.compile(schema)
const drawn = sized(1_000, 20_000)

/** Rules that the reader checks and a schema cannot express: numbered in the schema's description, recognised by the fault. */
const rulesBeyondSchema: readonly ((fault: Fault) => boolean)[] = [
  ({ expected, received }) => /^(each member name once|JSON|at most)/.test(expected) || isRounded(received),
  ({ expected }) =>
    /^a (benefitId|collectionId|limitId|venueId|baxId|memberId|loyaltyId|currencyId|exchangeId|tierId|ruleId|productId) of its own/.test(
      expected,
    ),
  ({ expected }) => expected === 'a moment after validFrom',
  ({ expected }) => /than the tier before/.test(expected),
  ({ expected, received }) =>
    (expected.startsWith('a percentage') && /^\d+(\.\d{5,}|e-\d+)$/.test(received)) ||
    (expected.startsWith('a quantity') && /^\d+(\.\d{4,}|e-\d+)$/.test(received)),
  ({ expected, received }) => /^an RFC 3339|^a date as/.test(expected) && /^"\d{4}-\d\d-\d\d[T"]/i.test(received),
  ({ expected, received }) => expected.startsWith('the IANA name') && /^"[A-Z]/.test(received),
  ({ expected }) => expected === 'the currencyId of one of the currencies',
  ({ expected }) => expected.startsWith('fewer days than until it expires'),
  ({ expected }) => /^(another currency than|a currency that no exchange)/.test(expected),
  ({ expected }) => expected.startsWith('a rank of its own'),
  ({ expected }) => /^as much as (from|atLeastDays), or more$/.test(expected),
  ({ expected }) => expected.startsWith('no amount, since the benefit is open at venues of several currencies'),
  ({ expected }) => expected === 'the collectionId of one of the collections',
  ({ expected }) => expected.startsWith('another period, since birthday is for'),
]

/** True: the number has more digits than its double prints. */
function isRounded(received: string): boolean {
  return /^-?\d/.test(received) && String(Number(received)) !== received
}

/** Compares the verdicts of reader and schema on a text; returns the rules beyond the schema that the reader named. */
function compare(text: string): {
  readonly isValid: boolean
  readonly beyond: readonly number[]
  readonly odd: string[]
  /** Paths of the faults, where the schema refuses the text too. */
  readonly paths: readonly string[]
} {
  const read = readProgramme(text)
  const isValid = validate(JSON.parse(text))
  if (read.kind === 'read') {
    return {
      isValid: true,
      beyond: [],
      odd: isValid ? [] : [`only the schema refuses ${ajv.errorsText(validate.errors)}`],
      paths: [],
    }
  }
  const paths = read.faults.map(({ path }) => path)
  if (!isValid) return { isValid: false, beyond: [], odd: [], paths }
  const beyond = read.faults.map((fault) => rulesBeyondSchema.findIndex((isOf) => isOf(fault)))
  const odd = read.faults
    .filter((_, at) => beyond[at] === -1)
    .map((fault) => `only the reader: ${JSON.stringify(fault)}`)
  return { isValid: false, beyond: beyond.filter((rule) => rule >= 0), odd, paths: [] }
}

t.test('the schema is one of draft 2020-12 and describes every field', async (t) => {
  t.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
  t.ok(ajv.validateSchema(schema))
  const fields = [schema, ...Object.values(schema.$defs)].flatMap((each) => fieldsOf(each as JsonObject))
  t.ok(fields.length > 90, String(fields.length))
  for (const [name, field] of fields) t.match(field['description'], /^\S.{6,}\.$/s, name)
})

t.test('every rule beyond the schema is numbered in its description, and there are no more', async (t) => {
  const numbers = [...(schema.description as string).matchAll(/\((\d+)\) /g)].map(([, number]) => Number(number))
  t.same(
    numbers,
    rulesBeyondSchema.map((_, at) => at + 1),
  )
})

t.test('the schema lists the active currencies of CLDR, without precious metals, funds and test codes', async (t) => {
  const tables = createRequire(import.meta.url)('cldr-core/supplemental/currencyData.json')
  const regions: Record<string, { _to?: string; _tender?: string }>[][] = Object.values(
    tables.supplemental.currencyData.region,
  )
  const active = regions
    .flatMap((uses) => uses.flatMap(Object.entries))
    .filter(([, record]) => record._to === undefined && record._tender !== 'false')
  t.same(schema.$defs.currencyCode.enum, [...new Set(active.map(([code]) => code))].sort())
})

t.test('the sample programme names the schema and is valid by it', async (t) => {
  t.equal(sample['$schema'], './programme.schema.json')
  t.same(compare(JSON.stringify(sample)), { isValid: true, beyond: [], odd: [], paths: [] })
  t.same(compare(JSON.stringify(rich)), { isValid: true, beyond: [], odd: [], paths: [] })
  const neverExpiring = changed(rich, 'currencies[1].expires', null)
  t.same(compare(JSON.stringify(neverExpiring)), { isValid: true, beyond: [], odd: [], paths: [] })
})

t.test('reader and schema agree on every field that is removed, of another type or out of range', async (t) => {
  const disagreements: string[] = []
  let refused = 0
  let documents = 0
  const every = sized(10, 1)
  const bases = (sample['benefits'] as JsonObject[]).map((benefit) => ({ benefits: [benefit] }))
  for (const base of [...bases, rich]) {
    for (const [at, document] of [...mutated(base)].entries()) {
      if (at % every !== 0) continue
      documents += 1
      const { isValid, odd, paths } = compare(JSON.stringify(document.value))
      if (!isValid) refused += 1
      const [entry] = /^[$\w]+(\[\d+\])?/.exec(document.path)!
      if (paths.length > 0 && !paths.some((path) => path.startsWith(entry))) odd.push(`faults at ${paths.join()}`)
      for (const each of odd) disagreements.push(`${document.what}: ${each}`)
    }
  }
  t.same(disagreements.slice(0, 5), [])
  t.ok(documents > 5_000 / every, `${documents} documents`)
  t.ok(refused > documents / 3 && refused < documents, `${refused} of ${documents} refused`)
})

t.test('reader and schema agree on programmes that are drawn, valid ones and faulty ones', async (t) => {
  const disagreements: string[] = []
  const counts = { valid: 0, refused: 0 }
  const seen = new Set<number>()
  for (let seed = 1; seed <= drawn; seed += 1) {
    const { isValid, beyond, odd } = compare(JSON.stringify(drawProgramme(new Dice(seed))))
    counts[isValid ? 'valid' : 'refused'] += 1
    for (const rule of beyond) seen.add(rule)
    for (const each of odd) disagreements.push(`seed ${seed}: ${each}`)
  }
  t.same(disagreements.slice(0, 5), [])
  t.ok(counts.valid > drawn / 5 && counts.refused > drawn / 5, JSON.stringify(counts))
  t.same([...seen].sort(), [1, 2, 3, 4, 5, 6], 'every rule beyond the schema but that of the JSON text was met')
})

t.test('a JSON text that the reader alone refuses is one of the first rule', async (t) => {
  const text = JSON.stringify(aProgramme())
  const texts = [
    text.replace('"benefits":', '"benefits":[],"benefits":'),
    text.replace('"unitPrice":1000', '"unitPrice":1000.00000000000000000001'),
    text.replace('"unitPrice":1000', '"unitPrice":1e-400'),
    text.replace('{', `{"metadata":{"deep":${'['.repeat(40)}${']'.repeat(40)}},`),
  ]
  for (const text of texts) t.match(compare(text), { isValid: false, beyond: [0], odd: [] }, text.slice(0, 60))
})

/** The fields that a schema defines itself, with their names; conditions only restrict fields of `properties`. */
function fieldsOf(value: JsonObject): [string, JsonObject][] {
  const properties = Object.entries((value['properties'] ?? {}) as Record<string, JsonObject>)
  const items = value['items'] as JsonObject | undefined
  return [
    ...properties.flatMap(([name, field]): [string, JsonObject][] => [[name, field], ...fieldsOf(field)]),
    ...(items === undefined ? [] : fieldsOf(items)),
  ]
}
