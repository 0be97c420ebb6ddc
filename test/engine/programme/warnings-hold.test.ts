import t from 'tap'
import type { Basket, Line } from '../../../engine/core/basket.js'
import { calculate, compileProgramme } from '../../../engine/core/index.js'
import type { Programme } from '../../../engine/programme/read-programme.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { fc } from '../../seeded.js'
import { aProgramme, aVenue, type JsonObject } from './a-programme.js'

/** Small numbers, so that ties and roundings to nothing are common: where a hasty warning would be wrong. */
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
  existingDiscounts: fc.constantFrom('replace', 'keep', 'add'),
  combination: fc.constantFrom('normal', 'normal', 'normal', 'exclusive', 'stackable'),
  venueIds: fc.constantFrom<string[] | null>(null, ['v-1'], ['v-1', 'v-2']),
})

const aLine = fc.record({
  productId: fc.constantFrom('p-1', 'p-2', 'p-3'),
  productGroupId: fc.constantFrom('g-1', 'g-2', null),
  units: fc.integer({ min: 1, max: 3 }),
  unitPrice: fc.integer({ min: 0, max: 12 }),
  existing: fc.constantFrom(0, 0, 0, 1, 3),
  noDiscount: fc.constantFrom(false, false, false, true),
})

t.test('a benefit that is said never to apply, or always to be beaten, is never applied', (t) => {
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
  fc.assert(property, { numRuns: 6_000 })
  t.ok(warned > 500, `${warned} warnings were put to the test`)
  t.end()
})

function programmeOf(benefits: readonly JsonObject[]) {
  const numbered = benefits.map((benefit, at) => ({ ...benefit, benefitId: `b-${at}`, text: '' }))
  const venues = [aVenue(), aVenue({ venueId: 'v-2', baxIds: ['200'] })]
  const read = readProgramme(JSON.stringify({ ...aProgramme(...numbered.map(withoutForbidden)), venues }))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  return read
}

/** Stackable is not for every reward. */
function withoutForbidden(benefit: JsonObject): JsonObject {
  const { kind } = benefit['reward'] as { kind: string }
  return kind === 'member_price' && benefit['combination'] === 'stackable'
    ? { ...benefit, combination: 'normal' }
    : benefit
}

function appliedIds({ benefits, venues }: Programme, basket: Basket): ReadonlySet<string> {
  const calculation = calculate(compileProgramme(benefits), {
    basket,
    member: { memberId: 'm-1', tier: null, segments: [] },
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
