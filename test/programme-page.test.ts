import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { counterKey } from '../engine/core/base/outcome.js'
import { type CalculationInput, calculate, checkIdentities, compileProgramme } from '../engine/core/index.js'
import { type Programme, readProgramme } from '../engine/programme/read-programme.js'
import { sentBack } from './engine/core/builders.js'
import { aLine, staff } from './oracle/a-case.js'
import { withTotals } from './oracle/with-totals.js'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'programme.md'), 'utf8')
const schema = JSON.parse(readFileSync(join(root, 'engine', 'programme', 'programme.schema.json'), 'utf8'))
const validate = new Ajv2020({ strict: false }).compile(schema)

type Facts = Readonly<Record<string, string>>

/** A basket of the page, `> 2 latte 10000 → 9000`: its lines, their total, and the facts in the paragraph above it (`tier: gold`). */
interface Basket {
  readonly facts: Facts
  readonly lines: readonly BasketLine[]
  readonly total: Costs
  /** Counts of each rule in the charged basket, by ruleId. */
  readonly earns: Readonly<Record<string, number>>
}

/** Cost before and after; an added line has no price before. */
interface Costs {
  readonly before: number | null
  readonly after: number
}

interface BasketLine extends Costs {
  /** `added`: the service adds it. */
  readonly quantity: string
  readonly productId: string
  /** Product of the line above it in the order; undefined: none. */
  readonly below: string | undefined
  readonly posDiscount: number
}

/** A JSON block of the page with the baskets that follow it. */
interface Example {
  readonly heading: string
  readonly json: unknown
  readonly baskets: readonly Basket[]
}

const [whole, ...examples] = readExamples(page)

t.test('the page has an example of each kind of reward, each combination and nine recipes', async (t) => {
  const kinds = new Set(
    examples.flatMap(({ json }) =>
      isPart(json) ? [] : [json].flat().map((benefit) => (benefit as Benefit).reward.kind),
    ),
  )
  t.same([...kinds].sort(), [...schema.$defs.reward.properties.kind.enum].sort())
  t.equal(examples.filter(({ heading }) => /^\d+\. /.test(heading)).length, 9)
  t.ok(examples.length >= 26, `${examples.length} examples`)
})

t.test('every line of the page with an arrow is read as a basket', async (t) => {
  const arrows = page.split('\n').filter((line) => line.includes(' → ') && /\d/.test(line))
  t.equal(examples.flatMap(({ baskets }) => baskets).length, arrows.length)
  t.ok(arrows.length >= 30, `${arrows.length} baskets`)
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
      t.same(priced(read.programme, basket), costsOf(basket), `${heading} ${JSON.stringify(basket.facts)}`)
    }
  }
})

t.test('the page names every field of the schema and every warning', async (t) => {
  const fields = [...JSON.stringify(schema).matchAll(/"properties":\{/g)].length
  t.ok(fields > 20)
  // Experiments have a page of their own.
  const pages = page + readFileSync(join(root, 'docs', 'experiments.md'), 'utf8')
  for (const name of propertiesIn(schema))
    t.match(pages, new RegExp(`[\`"]\\$?${name.replace('$', '\\$')}[\`":]`), name)
  const source = readFileSync(join(root, 'engine', 'programme', 'warning.ts'), 'utf8')
  const words = [...source.matchAll(/^ {4}\| '(\w+)'$/gm)].map(([, word]) => word)
  const list = /^Each warning explains itself: (.+)$/m.exec(page)?.[1] ?? ''
  const listed = [...list.matchAll(/`(\w+)`/g)].map(([, word]) => word)
  t.same(listed.sort(), words.sort())
})

t.test('the page has at most 4,000 words', async (t) => {
  const words = page.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word))
  t.ok(words.length <= 4_000, `${words.length} words`)
})

interface Benefit {
  readonly reward: { readonly kind: string }
}

/** A block with lists of a document, such as earning rules with their currencies; any other is benefits. */
function isPart(json: unknown): json is object {
  return typeof json === 'object' && json !== null && ('earning' in json || 'venues' in json)
}

function documentWith(benefits: unknown): object {
  // Exchanges of the page name currencies that an example of its own may leave out.
  if (isPart(benefits)) return { ...(whole!.json as object), exchanges: [], ...benefits }
  return { ...(whole!.json as object), benefits: [benefits].flat() }
}

/** Cost of each product of a basket before and after, and of the whole. */
function priced(programme: Programme, basket: Basket): Record<string, number> {
  const input = inputOf(programme, basket)
  const compiled = compileProgramme(programme.benefits, programme.rules)
  const { wants } = calculate(compiled, input)
  const available = Object.fromEntries(
    wants.flatMap((want) => {
      const left = [`left of ${want.limitId}`, `left of ${want.limitId} on ${want.period}`]
        .map((name) => basket.facts[name])
        .find((fact) => fact !== undefined)
      return left === undefined ? [] : [[counterKey(want), Number(left)]]
    }),
  )
  const { outcome, netAfter, earning } = calculate(compiled, { ...input, available })
  const after = outcome.status === 'applied' ? sentBack(input.basket, outcome.basket) : input.basket
  t.equal(checkIdentities(after), null)
  const costs: Record<string, number> = { total: input.basket.totals.net, 'total after': netAfter }
  for (const line of input.basket.lines) costs[line.productId] = line.totals.net
  for (const { rule, returned, factor } of earning?.counted ?? []) {
    costs[`earns ${rule.ruleId}`] = (returned * factor) / 10_000
  }
  for (const { productId, totals } of after.lines) {
    costs[`${productId} after`] = (costs[`${productId} after`] ?? 0) + totals.net
  }
  return costs
}

function inputOf({ venues }: Programme, basket: Basket): CalculationInput {
  const { facts } = basket
  const [venue] = venues
  const sent = basket.lines.filter(({ quantity }) => quantity !== 'added')
  const lines = sent.map(({ productId, quantity, below, posDiscount }) => {
    const product = venue!.products.find((each) => each.productId === productId)
    if (product === undefined) throw new Error(`${productId} has no price on the page`)
    return {
      ...aLine(productId, 1, product.unitPrice),
      quantity: Math.round(Number(quantity) * 1000),
      productGroupId: product.productGroupId,
      noDiscount: product.noDiscount,
      parent: sent.findIndex((each) => each.productId === below),
      ...(posDiscount > 0 ? staff(posDiscount) : {}),
    }
  })
  const totals = { gross: 0, lineDiscount: 0, orderDiscount: 0, net: 0 }
  const requestedAt = Date.parse(facts['requestedAt'] ?? '2026-11-23T12:00:00+01:00')
  const place = { currency: venue!.currency, venueId: venue!.venueId, channel: 'pos' as const }
  return {
    basket: withTotals({ ...place, requestedAt, lines, orderDiscounts: [], totals })!,
    member: memberOf(facts),
    venue: venue!,
    available: {},
    discountCode: 'LOYALTY',
    stepsMax: 12_000,
  }
}

/** From facts such as `stamps of the member: 9`. */
function balancesOf(facts: Facts): Record<string, number> {
  const owned = Object.entries(facts).filter(([name]) => name.endsWith(ofMember))
  return Object.fromEntries(owned.map(([name, amount]) => [name.slice(0, -ofMember.length), Number(amount)]))
}

const ofMember = ' of the member'

function memberOf(facts: Facts): CalculationInput['member'] {
  const { tier, segments, visits, birthday } = facts
  return {
    memberId: 'm-1',
    tier: tier ?? null,
    segments: segments?.split(', ') ?? [],
    balances: balancesOf(facts),
    ...(visits !== undefined && { visits: Number(visits) }),
    ...(birthday !== undefined && { birthday }),
  }
}

/** Costs on the page, in the form of `priced`. */
function costsOf({ lines, total, earns }: Basket): Record<string, number> {
  const counted = Object.entries(earns).map(([ruleId, count]) => [`earns ${ruleId}`, count] as const)
  const entries = [...lines, { ...total, productId: 'total' }].flatMap(({ productId, before, after }) => [
    ...(before === null ? [] : [[productId, before] as const]),
    [`${productId} after`, after] as const,
  ])
  return Object.fromEntries([...entries, ...counted])
}

/** The JSON blocks of a page, each with the baskets behind it. */
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
  return paragraphs.flatMap((paragraph, at): Basket[] => {
    if (!paragraph.startsWith('> ')) return []
    const facts = [...(paragraphs[at - 1] ?? '').matchAll(/`([^`:]+): ([^`]+)`/g)].map(([, name, value]) => [
      name,
      value,
    ])
    const [costs = '', counts] = paragraph.slice(2).split('; counts ')
    const parts = costs.split(', ')
    const earns = (counts?.split(', ') ?? []).map((each) => [each.split(' ')[0]!, Number(each.split(' ')[1])] as const)
    const [, before, after] = /^total (\d+) → (\d+)$/.exec(parts.at(-1)!) ?? []
    const hasTotal = after !== undefined
    t.equal(hasTotal, parts.length > 1, `${paragraph}: a total after more than one line`)
    const lines = (hasTotal ? parts.slice(0, -1) : parts).map(readLine)
    const total = hasTotal ? { before: Number(before), after: Number(after) } : lines[0]!
    return [{ facts: Object.fromEntries(facts), lines, total, earns: Object.fromEntries(earns) }]
  })
}

/** `2 latte 10000 → 9000`, `1 oat-milk in latte 700 → 560`, `1 latte (POS discount 500) 4500 → 4000`, `added cookie → 0`. */
function readLine(text: string): BasketLine {
  const form = /^(\S+) (\S+)(?: in (\S+))?(?: \(POS discount (\d+)\))?(?: (\d+))? → (\d+)$/
  const [, quantity, productId, below, posDiscount = 0, before, after] = form.exec(text) ?? []
  if (after === undefined) throw new Error(`no line of a basket: ${text}`)
  return {
    ...{ quantity: quantity!, productId: productId!, below, posDiscount: Number(posDiscount) },
    before: before === undefined ? null : Number(before),
    after: Number(after),
  }
}

/** Names of the fields that a schema defines, at any depth. */
function propertiesIn(value: unknown): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set()
  const own = 'properties' in value ? Object.keys(value.properties as object) : []
  return new Set([...own, ...Object.values(value).flatMap((each) => [...propertiesIn(each)])])
}
