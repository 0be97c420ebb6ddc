import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { type CalculationInput, calculate, checkIdentities, compileProgramme } from '../engine/core/index.js'
import { counterKey } from '../engine/core/outcome.js'
import { type Programme, readProgramme } from '../engine/programme/read-programme.js'
import { sentBack } from './engine/core/builders.js'
import { aLine, staff } from './oracle/a-case.js'
import { withTotals } from './oracle/with-totals.js'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'programme.md'), 'utf8')
const schema = JSON.parse(readFileSync(join(root, 'engine', 'programme', 'programme.schema.json'), 'utf8'))
const validate = new Ajv2020({ strict: false }).compile(schema)

type Row = Readonly<Record<string, string>>

/** A basket of the page: the facts in the paragraph above it (`tier: gold`), and a row a line. */
interface Basket {
  readonly facts: Row
  readonly rows: readonly Row[]
  readonly total: Row
}

/** A JSON block of the page with the baskets that follow it. */
interface Example {
  readonly heading: string
  readonly json: unknown
  readonly baskets: readonly Basket[]
}

const [whole, ...examples] = readExamples(page)

t.test('the page has an example of each kind of reward, each combination and ten recipes', async (t) => {
  const kinds = new Set(
    examples.flatMap(({ json }) => [json].flat().map((benefit) => (benefit as Benefit).reward.kind)),
  )
  t.same([...kinds].sort(), [...schema.$defs.reward.properties.kind.enum].sort())
  t.equal(examples.filter(({ heading }) => /^\d+\. /.test(heading)).length, 10)
  t.ok(examples.length >= 26, `${examples.length} examples`)
})

t.test('every table with a column `after` is read as a basket', async (t) => {
  const tables = page.split('\n').filter((line) => /^\| line \|.* after \|$/.test(line))
  t.equal(examples.flatMap(({ baskets }) => baskets).length, tables.length)
  t.ok(tables.length >= 30, `${tables.length} tables`)
})

t.test('every document of the page is valid by the schema, and read without faults or warnings', async (t) => {
  for (const { heading, json } of [whole!, ...examples]) {
    const document = json === whole!.json ? json : documentWith(json)
    t.ok(validate(document), `${heading}: ${JSON.stringify(validate.errors?.[0])}`)
    const read = readProgramme(JSON.stringify(document))
    t.match(read, { kind: 'read', warnings: [] }, heading)
    t.same(read.kind === 'faulty' ? read.faults : read.warnings, [], heading)
  }
})

t.test('every basket of the page costs what the page says, line by line', async (t) => {
  for (const { heading, json, baskets } of examples) {
    t.ok(baskets.length > 0, `${heading} has a basket`)
    const read = readProgramme(JSON.stringify(documentWith(json)))
    if (read.kind === 'faulty') throw new Error(heading)
    for (const basket of baskets) {
      const said = { ...column(basket, 'before'), ...suffixed(column(basket, 'after')) }
      t.same(priced(read.programme, basket), said, `${heading} ${JSON.stringify(basket.facts)}`)
    }
  }
})

t.test('the page names every field of the schema, every warning and only commands that there are', async (t) => {
  const fields = [...JSON.stringify(schema).matchAll(/"properties":\{/g)].length
  t.ok(fields > 20)
  for (const name of propertiesIn(schema)) t.match(page, new RegExp(`[\`"]\\$?${name.replace('$', '\\$')}[\`":]`), name)
  const source = readFileSync(join(root, 'engine', 'programme', 'warnings.ts'), 'utf8')
  const words = [...source.matchAll(/^ {4}\| '(\w+)'$/gm)].map(([, word]) => word)
  const listed = [...page.matchAll(/^\| `(\w+_\w+)` \|/gm)].map(([, word]) => word)
  t.same(listed.sort(), words.sort())
  const main = readFileSync(join(root, 'clients', 'lps', 'main.ts'), 'utf8')
  for (const [, command] of page.matchAll(/npx lps (\w+)/g)) t.match(main, `from './${command}.js'`, command)
})

t.test('the page has at most 3,500 words', async (t) => {
  const words = page.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word))
  t.ok(words.length <= 3_500, `${words.length} words`)
})

interface Benefit {
  readonly reward: { readonly kind: string }
}

function documentWith(benefits: unknown): object {
  return { ...(whole!.json as object), benefits: [benefits].flat() }
}

/** What each product of a basket costs before and after, and the whole of it. */
function priced(programme: Programme, basket: Basket): Record<string, number> {
  const input = inputOf(programme, basket)
  const compiled = compileProgramme(programme.benefits)
  const { wants } = calculate(compiled, input)
  const available = Object.fromEntries(
    wants.flatMap((want) => {
      const left = basket.facts[`left of ${want.limitId}`]
      return left === undefined ? [] : [[counterKey(want), Number(left)]]
    }),
  )
  const { outcome, netAfter } = calculate(compiled, { ...input, available })
  const after = outcome.status === 'applied' ? sentBack(input.basket, outcome.basket) : input.basket
  t.equal(checkIdentities(after), null)
  const costs: Record<string, number> = { total: input.basket.totals.net, 'total after': netAfter }
  for (const line of input.basket.lines) costs[line.productId] = line.totals.net
  for (const { productId, totals } of after.lines) {
    costs[`${productId} after`] = (costs[`${productId} after`] ?? 0) + totals.net
  }
  return costs
}

function inputOf({ venues }: Programme, { facts, rows }: Basket): CalculationInput {
  const sent = rows.filter(({ quantity }) => quantity !== 'added')
  const lines = sent.map((row) => ({
    ...aLine(row['line']!, 1, Number(row['price'])),
    quantity: Math.round(Number(row['quantity']) * 1000),
    productGroupId: row['group'] || null,
    parent: sent.findIndex(({ line }) => line === row['below']),
    ...(Number(row['POS discount'] ?? 0) > 0 ? staff(Number(row['POS discount'])) : {}),
  }))
  const totals = { gross: 0, lineDiscount: 0, orderDiscount: 0, net: 0 }
  const requestedAt = Date.parse(facts['requestedAt'] ?? '2026-11-23T12:00:00+01:00')
  const [venue] = venues
  const place = { currency: venue!.currency, venueId: venue!.venueId, channel: 'pos' as const }
  return {
    basket: withTotals({ ...place, requestedAt, lines, orderDiscounts: [], totals })!,
    member: { memberId: 'm-1', tier: facts['tier'] ?? null, segments: facts['segments']?.split(', ') ?? [] },
    venue: venue!,
    available: {},
    discountCode: 'LOYALTY',
    stepsMax: 12_000,
  }
}

/** The amounts of a column by line, `total` included; an added line has none before. */
function column({ rows, total }: Basket, name: string): Record<string, number> {
  const filled = [...rows, total].filter((row) => row[name] !== '')
  return Object.fromEntries(filled.map((row) => [row['line']!, Number(row[name])]))
}

function suffixed(costs: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(costs).map(([name, cost]) => [`${name} after`, cost]))
}

/** The JSON blocks of a page, each with the baskets behind it: tables with a column `after`. */
function readExamples(text: string): Example[] {
  return text
    .split('\n```json\n')
    .map((part, at, parts): Example => {
      const heading = /(?:^|\n)#+ ([^\n]+)\n(?![\s\S]*\n#+ )/.exec(parts[at - 1] ?? '')?.[1] ?? ''
      const [json = '', rest = ''] = part.split('\n```\n')
      return { heading, json: at === 0 ? null : JSON.parse(json), baskets: readBaskets(rest) }
    })
    .slice(1)
}

function readBaskets(text: string): Basket[] {
  const paragraphs = text.trim().split(/\n{2,}/)
  return paragraphs.flatMap((table, at): Basket[] => {
    const [head = [], , ...rows] = table.split('\n').map(cellsOf)
    if (!head.includes('after')) return []
    const above = paragraphs[at - 1] ?? ''
    const records = rows.map((cells): Row => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])))
    const facts = Object.fromEntries(
      [...above.matchAll(/`([^`:]+): ([^`]+)`/g)].map(([, name, value]) => [name, value]),
    )
    return [{ facts, rows: records.slice(0, -1), total: records.at(-1)! }]
  })
}

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/** Names of the fields that a schema defines, at any depth. */
function propertiesIn(value: unknown): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set()
  const own = 'properties' in value ? Object.keys(value.properties as object) : []
  return new Set([...own, ...Object.values(value).flatMap((each) => [...propertiesIn(each)])])
}
