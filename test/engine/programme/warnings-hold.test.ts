import t from 'tap'
import type { Basket, Line } from '../../../engine/core/base/basket.js'
import type { Benefit } from '../../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../../engine/core/index.js'
import type { Programme } from '../../../engine/programme/read-programme.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { fc } from '../../support/seeded.js'
import { sized } from '../../support/sized.js'
import { aProgramme, aVenue, type JsonObject } from './a-programme.js'

/** Small numbers, so that ties and roundings to 0, where a warning might be wrong, are common. */
const anAmount = fc.integer({ min: 0, max: 6 })
const aPercentage = fc.constantFrom(10, 20, 50, 60, 100)
const aSelect = fc.option(
  fc.constantFrom<JsonObject>(
    { productIds: ['p-1'] },
    { productGroupIds: ['g-1'] },
    { not: { productIds: ['p-1'] } },
    { productIds: ['p-1'], not: { productIds: ['p-1', 'p-2'] } },
    { productGroupIds: ['g-1'], not: { productIds: ['p-1'] } },
  ),
  { nil: null },
)

const aReward: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ kind: fc.constant('line_percentage'), select: aSelect, percentage: aPercentage }),
  fc.record({
    kind: fc.constant('line_amount'),
    select: aSelect,
    amount: anAmount,
    per: fc.constantFrom('unit', 'line'),
  }),
  fc.record({ kind: fc.constant('member_price'), select: aSelect, unitPrice: anAmount }),
  fc.record({ kind: fc.constant('order_percentage'), select: aSelect, percentage: aPercentage }),
  fc.record({ kind: fc.constant('order_amount'), select: aSelect, amount: anAmount }),
)

const aBenefit = fc.record({
  reward: aReward,
  priority: fc.constantFrom(-1, 0, 0, 0, 1),
  group: fc.constantFrom(null, null, null, 'one', 'two'),
  existingDiscounts: fc.constantFrom('replace', 'keep', 'add'),
  combination: fc.constantFrom('normal', 'normal', 'normal', 'exclusive', 'stackable'),
  venueIds: fc.constantFrom<string[] | null>(null, ['v-1'], ['v-1', 'v-2']),
  audience: fc.constantFrom<JsonObject | null>(null, null, { tiers: ['gold'] }, { tiers: ['silver', 'gold'] }),
  conditions: fc.constantFrom<JsonObject | null>(
    null,
    null,
    ...[5, 20].map((amount) => ({ minimumSpend: { amount } })),
  ),
})

const aLine = fc.record({
  productId: fc.constantFrom('p-1', 'p-2', 'p-3'),
  productGroupId: fc.constantFrom('g-1', 'g-2', null),
  units: fc.integer({ min: 1, max: 3 }),
  unitPrice: fc.integer({ min: 0, max: 12 }),
  existing: fc.constantFrom(0, 0, 0, 1, 3),
  noDiscount: fc.constantFrom(false, false, false, true),
})

const twoFree: JsonObject = { kind: 'free_product', productId: 'p-1', quantity: 2 }
const threeTimes: JsonObject = { kind: 'bundle_price', components: [{ quantity: 1 }], price: 1, maximumTimes: 3 }

const aLimit = fc.record({
  scope: fc.constantFrom('everyone' as const, 'member' as const, 'venue' as const),
  period: fc.constantFrom('ever' as const, 'day' as const, 'week' as const, 'month' as const, 'year' as const),
  counts: fc.constantFrom('baskets' as const, 'units' as const),
  maximum: fc.integer({ min: 1, max: 8 }),
})

/** One basket that wants units: few members, venues and days, so that limits fill up. */
const aUse = fc.record({
  member: fc.integer({ min: 0, max: 1 }),
  venue: fc.integer({ min: 0, max: 1 }),
  day: fc.integer({ min: 0, max: 3 }),
  units: fc.integer({ min: 1, max: 4 }),
})

type DrawnLimit = typeof aLimit extends fc.Arbitrary<infer T> ? T : never
type DrawnUse = typeof aUse extends fc.Arbitrary<infer T> ? T : never

t.test('a benefit reported as never applying, or as always beaten, is never applied', (t) => {
  let warned = 0
  const property = fc.property(
    fc.array(aBenefit, { minLength: 2, maxLength: 5 }),
    fc.array(aLine, { minLength: 1, maxLength: 4 }),
    (benefits, lines) => {
      const read = programmeOf(benefits)
      const suspects = read.warnings
        .filter(({ word }) => word === 'never_applies' || word === 'always_beaten')
        .filter(({ message }) => !message.includes('rounding') || lines.every((line) => line.units === 1))
      if (suspects.length === 0) return
      warned += suspects.length
      const applied = appliedIds(read.programme, basketOf(lines))
      for (const { path, message } of suspects) {
        const benefit = read.programme.benefits[Number(/\d+/.exec(path)?.[0])]
        if (benefit !== undefined && applied.has(benefit.benefitId)) throw new Error(message)
      }
    },
  )
  fc.assert(property, { numRuns: sized(1_500, 20_000) })
  t.ok(warned > 500, `${warned} warnings were put to the test`)
  t.end()
})

t.test('of two benefits reported to tie on one unit the benefitId decides', (t) => {
  let decided = 0
  const pair = fc.tuple(aBenefit, fc.constantFrom(0, 1, 2))
  const property = fc.property(pair, aLine, ([benefit, priority], line) => {
    const alike = [
      { ...benefit, priority },
      { ...benefit, priority },
    ]
    const read = programmeOf(alike)
    if (!read.warnings.some(({ word }) => word === 'tie_by_benefit_id')) return true
    const basket = basketOf([{ ...line, units: 1 }])
    const [first, second] = read.programme.benefits as [Benefit, Benefit]
    const exchanged = [
      { ...first, benefitId: second.benefitId },
      { ...second, benefitId: first.benefitId },
    ]
    const applied = [read.programme.benefits, exchanged].map((benefits) =>
      appliedIds({ ...read.programme, benefits }, basket),
    )
    if (applied[0]!.size > 0) decided++
    return applied.every((ids) => !ids.has(second.benefitId)) && applied[0]!.size === applied[1]!.size
  })
  fc.assert(property, { numRuns: sized(2_000, 10_000) })
  t.ok(decided > 200, `${decided} ties were put to the test`)
  t.end()
})

t.test('a limit reported as never reached is not reached, whoever buys where and when', (t) => {
  let warned = 0
  const property = fc.property(
    fc.tuple(aLimit, aLimit),
    fc.constantFrom<JsonObject>({ kind: 'line_percentage', percentage: 5 }, twoFree, threeTimes),
    fc.array(aUse, { minLength: 30, maxLength: 60 }),
    (limits, reward, uses) => {
      const named = limits.map((limit, at) => ({ ...limit, limitId: `l-${at}` }))
      const [benefit] = [{ benefitId: 'b-1', text: '', reward, limits: named }]
      const read = readProgramme(JSON.stringify(aProgramme(benefit)))
      if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
      for (const { word, path } of read.warnings) {
        if (word !== 'limit_never_reached') continue
        warned++
        const at = Number(/limits\[(\d)/.exec(path)?.[1])
        if (mostUsed(limits, uses, reward)[at]! >= limits[at]!.maximum) return false
      }
      return true
    },
  )
  fc.assert(property, { numRuns: sized(1_000, 20_000) })
  t.ok(warned > 200, `${warned} warnings were put to the test`)
  t.end()
})

t.test('a price reported as not below the list price gives nothing there', (t) => {
  const kind = fc.constantFrom('price_override', 'member_price')
  const property = fc.property(kind, fc.integer({ min: 0, max: 12 }), anAmount, (kind, unitPrice, listPrice) => {
    const products = [{ productId: 'p-1', name: '', unitPrice: listPrice }]
    const benefit = { benefitId: 'b-1', text: '', reward: { kind, select: { productIds: ['p-1'] }, unitPrice } }
    const read = readProgramme(JSON.stringify({ ...aProgramme(benefit), venues: [aVenue({ products })] }))
    if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
    const line = {
      productId: 'p-1',
      productGroupId: null,
      units: 2,
      unitPrice: listPrice,
      existing: 0,
      noDiscount: false,
    }
    const isNamed = read.warnings.some(({ word }) => word === 'price_not_below_list')
    return isNamed === (appliedIds(read.programme, basketOf([line])).size === 0)
  })
  fc.assert(property, { numRuns: sized(200, 5_000) })
  t.end()
})

/** The greatest use of each limit when these baskets come one after the other and every limit holds. */
function mostUsed(limits: readonly DrawnLimit[], uses: readonly DrawnUse[], reward: JsonObject): number[] {
  const used = limits.map(() => new Map<string, number>())
  const perBasket = reward['kind'] === 'line_percentage' ? 4 : reward === twoFree ? 2 : 3
  for (const use of uses) {
    const names = limits.map((limit) => counterOf(limit, use))
    const left = limits.map(({ maximum }, at) => maximum - (used[at]!.get(names[at]!) ?? 0))
    if (left.some((each) => each <= 0)) continue
    const inUnits = left.filter((_, at) => limits[at]!.counts === 'units')
    const units = Math.min(use.units, perBasket, ...inUnits)
    for (const [at, { counts }] of limits.entries()) {
      used[at]!.set(names[at]!, (used[at]!.get(names[at]!) ?? 0) + (counts === 'baskets' ? 1 : units))
    }
  }
  return used.map((counters) => Math.max(0, ...counters.values()))
}

/** Days 0 and 1 are one week and one month, 2 the next week, 3 the next month. */
function counterOf({ scope, period }: DrawnLimit, { member, venue, day }: DrawnUse): string {
  const whose = { everyone: '', member: `m${member}`, venue: `v${venue}` }[scope]
  const when = {
    ever: '',
    day: `d${day}`,
    week: `w${Math.floor(day / 2) + Math.floor(day / 3)}`,
    month: `m${Math.floor(day / 3)}`,
    year: 'y',
  }
  return `${whose}/${when[period]}`
}

function programmeOf(benefits: readonly JsonObject[]) {
  const numbered = benefits.map((benefit, at) => ({ ...benefit, benefitId: `b-${at}`, text: '' }))
  const venues = [aVenue(), aVenue({ venueId: 'v-2', baxIds: ['200'] })]
  const read = readProgramme(JSON.stringify({ ...aProgramme(...numbered.map(withoutForbidden)), venues }))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  return read
}

/** Some rewards cannot be stackable. */
function withoutForbidden(benefit: JsonObject): JsonObject {
  const { kind } = benefit['reward'] as { kind: string }
  return kind === 'member_price' && benefit['combination'] === 'stackable'
    ? { ...benefit, combination: 'normal' }
    : benefit
}

function appliedIds({ benefits, venues }: Programme, basket: Basket): ReadonlySet<string> {
  const calculation = calculate(compileProgramme(benefits), {
    basket,
    member: { memberId: 'm-1', tier: 'gold', segments: [] },
    venue: venues[0]!,
    available: {},
    discountCode: 'OURS',
    stepsMax: 100_000,
  })
  if (calculation.outcome.status === 'unchanged') return new Set()
  return new Set(calculation.benefits.filter(({ dropped }) => dropped === null).map(({ benefitId }) => benefitId))
}

interface DrawnLine {
  readonly productId: string
  readonly productGroupId: string | null
  readonly units: number
  readonly unitPrice: number
  readonly existing: number
  readonly noDiscount: boolean
}

function basketOf(drawn: readonly DrawnLine[]): Basket {
  const lines = drawn.map(lineOf)
  const total = (name: keyof Line['totals']) => lines.reduce((sum, line) => sum + line.totals[name], 0)
  const totals = { gross: total('gross'), lineDiscount: total('lineDiscount'), orderDiscount: 0, net: total('net') }
  return { currency: 'NOK', requestedAt: 0, channel: 'pos', venueId: 'v-1', lines, orderDiscounts: [], totals }
}

function lineOf({ productId, productGroupId, units, unitPrice, existing, noDiscount }: DrawnLine, at: number): Line {
  const gross = units * unitPrice
  const lineDiscount = Math.min(existing, gross)
  const own = {
    type: 'amount',
    percentage: null,
    amount: lineDiscount,
    lineDiscountCode: null,
    text: null,
    campaign: null,
  } as const
  return {
    lineId: `line-${at}`,
    parent: -1,
    productId,
    productGroupId,
    productMasterId: null,
    ean: null,
    quantity: units * 1000,
    unitPrice,
    overrideUnitPrice: null,
    noDiscount,
    noPercentageDiscount: false,
    discounts: existing > 0 ? [own] : [],
    orderDiscountAllocations: [],
    addedByLoyalty: false,
    splitFromLineId: null,
    totals: { gross, lineDiscount, orderDiscount: 0, net: gross - lineDiscount },
  }
}
