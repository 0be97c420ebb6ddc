import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type * as Edits from '../../console/src/areas/programme/builder/edits.js'
import type * as JsonText from '../../console/src/areas/programme/builder/json-text.js'
import type * as SchemaForm from '../../console/src/areas/programme/builder/schema.js'
import type { Schema } from '../../console/src/areas/programme/builder/schema.js'
import type * as Units from '../../console/src/areas/programme/builder/unit-of.js'
import type * as Offsets from '../../console/src/parts/offsets.js'
import { load } from './load.js'

const root = join(import.meta.dirname, '..', '..', '..')
const { find, itemsOf, pathText, readJson, readPath, valueAt, withItem, without, withoutComments, withValue } =
  await load<typeof JsonText>('areas/programme/builder/json-text.ts')
const { fieldAt, firstValue, isOwnName, namesOf, shapeOf } = await load<typeof SchemaForm>(
  'areas/programme/builder/schema.ts',
)
const { endOfDay, localOf, momentAt, withLocal } = await load<typeof Offsets>('parts/offsets.ts')
const { kindsOf, withCopy, withNewEntry, withNewItem } = await load<typeof Edits>('areas/programme/builder/edits.ts')
const { createSaying, segmentsOf } = await load<{
  createSaying: (parts: object) => object
  segmentsOf: (text: string) => readonly { readonly fields: string }[]
}>('areas/programme/describe/saying.ts')
const { benefitFacets, entryText } = await load<{
  benefitFacets: object
  entryText: (saying: object, facets: object, part: object) => string
}>('areas/programme/describe/summary.ts')
const { unitOf } = await load<typeof Units>('areas/programme/builder/unit-of.ts')
const schema = JSON.parse(readFileSync(join(root, 'engine', 'programme', 'programme.schema.json'), 'utf8'))

const text = `{ "a" : 1.50e1,
  "list": [ {"x": "\\u00e5"}, 2 ],  "odd name": [],
  "own": { }
}`

t.test('an edit of a form changes what it names and no other character', (t) => {
  t.equal(withValue(text, ['a'], '2'), text.replace('1.50e1', '2'))
  t.equal(withValue(text, ['list', 0, 'x'], '"b"'), text.replace('"\\u00e5"', '"b"'))
  t.equal(withValue(text, ['list', 0, 'y'], '3'), text.replace('"\\u00e5"}', '"\\u00e5", "y": 3}'))
  t.equal(withValue(text, ['own', 'y'], '3'), text.replace('{ }', '{\n    "y": 3\n  }'))
  t.equal(withValue(text, ['first'], '0', ['first', 'a']), text.replace('"a"', '"first": 0, "a"'))
  t.equal(withValue(text, ['own', 'new', 'y'], '3'), text.replace('{ }', '{\n    "new": { "y": 3 }\n  }'))
  t.equal(withValue(text, ['a', 'y'], '3'), text, 'nothing where there is no such object')
  t.equal(withItem(text, ['list'], 1, '7'), text.replace('}, 2', '}, 7, 2'))
  t.equal(withItem(text, ['list'], 0, '7'), text.replace('[ {', '[ 7, {'))
  t.equal(without(text, ['list', 1]), text.replace(', 2', ''))
  t.equal(without(text, ['a']), text.replace('"a" : 1.50e1,\n  ', ''))
  t.equal(without(text, ['list', 0, 'x']), text.replace('"x": "\\u00e5"', ''))
  t.equal(without(text, ['no']), text)
  t.equal(readJson('{"a": '), null)
  t.end()
})

t.test('comments stay where they are, and the service reads the text without them', (t) => {
  const noted = '{\n  // the café\n  "a": [1, /* two */ 2], "url": "https://x" // end\n}'
  t.equal(withValue(noted, ['a', 1], '3'), noted.replace('2]', '3]'))
  t.match(withValue(noted, ['b'], '4'), /"url": "https:\/\/x",\n {2}"b": 4 \/\/ end/)
  t.match(without(noted, ['url']), /the café[\s\S]*two/)
  const read = withoutComments(noted)
  t.equal(read.indexOf('"url"'), noted.indexOf('"url"'))
  t.same(JSON.parse(read), { a: [1, 2], url: 'https://x' })
  t.end()
})

t.test('a path is read as the service writes it', (t) => {
  const path = ['list', 0, 'odd name', 'x']
  t.equal(pathText(path), 'list[0]["odd name"].x')
  t.same(readPath(pathText(path)), path)
  t.same(find(readJson(text)!, ['list', 0, 'x']), { kind: 'text', start: 34, end: 42, value: 'å' })
  t.end()
})

t.test('every reward of the schema has its own fields, and a new one has what it must have', (t) => {
  const reward = schema.$defs.reward
  const kinds = reward.properties.kind.enum as string[]
  t.equal(kinds.length, 11)
  for (const kind of kinds) {
    const node = readJson(JSON.stringify({ kind }))!
    const shape = shapeOf(schema, reward, node)
    const own = Object.values<{ properties?: { kind?: { const?: string } }; required?: string[] }>(schema.$defs).find(
      ({ properties }) => properties?.kind?.const === kind,
    )!
    const fields = shape.kind === 'object' ? shape.fields : []
    t.same(fields.map(({ name }) => name).toSorted(), Object.keys(own.properties!).toSorted(), kind)
    t.same(
      fields
        .filter(({ isRequired }) => isRequired)
        .map(({ name }) => name)
        .toSorted(),
      own.required!.toSorted(),
    )
    for (const { name } of fields) t.ok(namesOf(schema, reward).has(name))
  }
  t.same(
    firstValue(schema, schema.$defs.benefit),
    { reward: {} },
    'values not typed are missing, so that the service reports them',
  )
  t.end()
})

t.test('whatever is added begins without effect: off, named, and with nothing typed for the person', (t) => {
  const document = '{\n  "benefits": [\n    {"benefitId": "happy-hour"}\n  ]\n}'
  const { benefit, currency, rule, exchange, tier, venue } = schema.$defs
  const added = (list: string, item: Schema, entry: { name: string; kind?: string }) =>
    JSON.parse(withNewEntry(document, schema, item, { list, ...entry }))[list].at(-1)
  for (const kind of kindsOf(schema, benefit)!.kinds) {
    const { reward, ...rest } = added('benefits', benefit, { name: 'Happy hour', kind })
    t.same(rest, { benefitId: 'happy-hour-2', text: 'Happy hour', enabled: false }, kind)
    t.equal(reward.kind, kind)
    t.notMatch(JSON.stringify(reward), /:\s*\d/, 'no number that was not typed')
  }
  t.same(added('currencies', currency, { name: 'Kaffestempler på øl' }), {
    currencyId: 'kaffestempler-pa-ol',
    name: 'Kaffestempler på øl',
  })
  t.same(added('earning', rule, { name: 'stamps' }), { ruleId: 'stamps' })
  t.same(added('exchanges', exchange, { name: 'ten' }), { exchangeId: 'ten', from: {}, to: {} })
  t.same(added('tiers', tier, { name: '金' }), { tierId: 'new' })
  t.notOk(Object.hasOwn(added('venues', venue, { name: 'Oslo' }), 'environment'), 'nor a decision')
  const limited = JSON.parse(withNewItem(document, schema, schema.$defs.limit, ['benefits', 0, 'limits'])).benefits[0]
  t.same(limited.limits, [{ limitId: 'happy-hour-limit' }])
  const copied = JSON.parse(withCopy(document, schema, benefit, ['benefits', 0])).benefits
  t.same(copied, [{ benefitId: 'happy-hour' }, { benefitId: 'happy-hour-2', enabled: false }])
  t.end()
})

const wordsOf = (key: string, values: object = {}) => [key, ...Object.values(values)].join(' ')
const plainSaying = { t: Object.assign(wordsOf, { locale: 'en-GB', of: (_: string, word: string) => word }) }

t.test('every benefit of the recipes and of the sample opens as its sentence and comes out unchanged', (t) => {
  const docs = readFileSync(join(root, 'docs', 'programme.md'), 'utf8')
  const sample = readFileSync(join(root, 'engine', 'programme', 'sample-programme.json'), 'utf8')
  const blocks = [...docs.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const recipes = blocks.flatMap((block) => {
    const isWhole = readJson(block) !== null
    const wrapped = [isWhole ? block : `{${block}}`, `{"benefits": [${block}]}`]
    return wrapped.find((text) => itemsOf(readJson(text), ['benefits']).length > 0 && hasRewards(text)) ?? []
  })
  t.ok(recipes.length >= 20, `${recipes.length} recipes`)
  const saying = { venues: [], products: [], currencies: [], collections: [], ...plainSaying }
  let benefits = 0
  for (const text of [sample, ...recipes]) {
    for (const [at, node] of itemsOf(readJson(text), ['benefits']).entries()) {
      const entry = valueAt(text, node) as Record<string, unknown>
      const segments = segmentsOf(entryText(createSaying({ ...saying, isMarked: true }), benefitFacets, entry))
      const own = segments.flatMap(({ fields }) => (fields === '' ? [] : fields.split(',')))
      for (const fields of own) {
        const path = readPath(fields)
        const found =
          typeof path.at(-1) === 'number' ? find(node, path) : fieldAt(schema, schema.$defs.benefit, node, path)
        t.ok(found, `${fields} of ${entry['benefitId']} can be opened`)
      }
      for (const field of [
        'reward',
        'schedule',
        'audience',
        'conditions',
        'limits',
        'costs',
        'validFrom',
        'combination',
      ]) {
        const isNormal = entry[field] === undefined || entry[field] === 'normal'
        t.ok(isNormal || own.some((fields) => fields.startsWith(field)), `${field} of ${entry['benefitId']} is said`)
      }
      for (const path of leavesOf(node, ['benefits', at])) {
        const value = find(readJson(text)!, path)!
        t.equal(withValue(text, path, text.slice(value.start, value.end)), text)
      }
      benefits += 1
    }
  }
  t.ok(benefits > 40, `${benefits} benefits`)
  t.end()
})

function hasRewards(text: string): boolean {
  return itemsOf(readJson(text), ['benefits']).every((node) => find(node, ['reward']) !== undefined)
}

function leavesOf(node: JsonText.Node, path: JsonText.Path): readonly JsonText.Path[] {
  if (node.kind === 'object') return node.members.flatMap(({ name, value }) => leavesOf(value, [...path, name]))
  if (node.kind === 'list') return node.items.flatMap((item, at) => leavesOf(item, [...path, at]))
  return [path]
}

t.test('an amount is typed in its currency wherever that is one', (t) => {
  const currencies = new Map([
    ['oslo', 'NOK'],
    ['helsinki', 'EUR'],
    ['tokyo', 'JPY'],
  ])
  const document = readJson(
    JSON.stringify({
      benefits: [
        { venueIds: ['oslo'], limits: [{ counts: 'amount' }, { counts: 'units' }] },
        { venueIds: ['tokyo'] },
        {},
      ],
      currencies: [{ currencyId: 'bonus', name: 'Bonus', scale: 2 }],
      earning: [{ currencyId: 'bonus', maximum: {} }],
    }),
  )
  const money = schema.$defs.lineAmount.properties.amount.description
  const give = schema.$defs.rule.properties.give.description
  const most = schema.$defs.rule.properties.maximum.properties.amount.description
  const counted = schema.$defs.limit.properties.maximum.description
  for (const [path, description, expected] of [
    [['benefits', 0, 'reward', 'amount'], money, { digits: 2, name: 'NOK' }],
    [['benefits', 1, 'reward', 'amount'], money, { digits: 0, name: 'JPY' }],
    [['benefits', 2, 'reward', 'amount'], money, null],
    [['benefits', 0, 'limits', 0, 'maximum'], counted, { digits: 2, name: 'NOK' }],
    [['benefits', 0, 'limits', 1, 'maximum'], counted, null],
    [['earning', 0, 'give'], give, { digits: 2, name: 'Bonus' }],
    [['earning', 0, 'maximum', 'amount'], most, { digits: 2, name: 'Bonus' }],
    [['benefits', 0, 'reward', 'percentage'], schema.$defs.percentage.description, null],
  ] as const) {
    t.same(unitOf(document, { name: String(path.at(-1)), description, path }, currencies), expected, path.join('.'))
  }
  t.end()
})

t.test('a copy is renamed where the document may hold a name only once', (t) => {
  const isOwn = (definition: string, name: string) =>
    isOwnName(schema, { name, schema: schema.$defs[definition].properties[name], isRequired: true })
  t.ok(isOwn('benefit', 'benefitId'))
  t.ok(isOwn('limit', 'limitId'))
  t.notOk(isOwn('product', 'productId'), 'a copied venue sells the same products')
  t.notOk(isOwn('rule', 'currencyId'))
  t.end()
})

t.test('every field and word of the schema has a name in each language', (t) => {
  const names = new Set<string>()
  const words = new Set<string>()
  const look = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return
    const { propertyNames: _, ...shown } = one as Record<string, unknown>
    const { properties, enum: options, const: word } = shown
    for (const name of Object.keys(properties ?? {})) names.add(name)
    for (const option of [...((options as unknown[]) ?? []), word]) if (typeof option === 'string') words.add(option)
    for (const below of Object.values(shown)) look(below)
  }
  look(schema)
  for (const language of ['en', 'nb']) {
    const messages = JSON.parse(readFileSync(join(root, 'console', 'src', 'messages', `${language}.json`), 'utf8'))
    const lacking = [
      ...[...names].filter((name) => !name.startsWith('$')).map((name) => `field.${name}`),
      ...[...words].filter((word) => !/^[A-Z]{3}$/.test(word)).map((word) => `option.${word}`),
    ].filter((key) => messages[key] === undefined)
    t.same(lacking, [], language)
  }
  t.end()
})

t.test('a moment keeps its own offset, else has that of the venue', (t) => {
  t.equal(localOf('2026-12-01T08:30:00+01:00'), '2026-12-01T08:30')
  t.equal(localOf('2026-12-01T08:30:12+01:00'), null, 'seconds are no matter of a form')
  for (const [before, local, expected] of [
    ['', '2026-12-01T08:30', '2026-12-01T08:30:00+01:00'],
    ['2026-12-01T08:30:00+01:00', '2026-07-01T08:30', '2026-07-01T08:30:00+02:00'],
    ['2026-12-01T08:30:00Z', '2026-07-01T08:30', '2026-07-01T08:30:00Z'],
    ['', '2026-10-25T02:30', '2026-10-25T02:30:00+02:00'],
    ['2026-12-01T08:30:00+01:00', '', ''],
  ] as const) {
    t.equal(withLocal(before, local, 'Europe/Oslo'), expected, `${before} ${local}`)
  }
  t.end()
})

t.test('a day ends with the clock of its zone, in summer, in winter and as clocks change', (t) => {
  for (const [day, zone, expected] of [
    ['2026-12-31', 'Europe/Oslo', '2026-12-31T23:00:00.000Z'],
    ['2026-06-30', 'Europe/Helsinki', '2026-06-30T21:00:00.000Z'],
    ['2026-10-24', 'Europe/Oslo', '2026-10-24T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Oslo', '2026-10-25T23:00:00.000Z'],
    ['2028-02-29', 'UTC', '2028-03-01T00:00:00.000Z'],
  ] as const) {
    t.equal(endOfDay(day, zone).toISOString(), expected, `${day} ${zone}`)
  }
  t.equal(momentAt('2026-11-24T08:30', 'America/New_York').toISOString(), '2026-11-24T13:30:00.000Z')
  t.end()
})
