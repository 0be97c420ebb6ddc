import t from 'tap'
import type { Line } from '../../engine/core/base/basket.js'
import type { Benefit, Reward, Selector } from '../../engine/core/base/programme.js'
import { aBenefit, aProduct } from '../engine/core/builders.js'
import { aCase, aLine, anOrderDiscount, carrying, limitedTo, staff } from './a-case.js'
import { bestOutcome } from './best-outcome.js'
import type { PricingCase } from './pricing-case.js'
import { spread } from './spread.js'
import { unchangedReason } from './unchanged-reason.js'

const percent = 10_000
const tenPercent: Reward = { kind: 'line_percentage', percentage: 10 * percent }
const half: Reward = { kind: 'line_percentage', percentage: 50 * percent }
const onlyA = { productIds: ['A'] }
const onTop = { combination: 'stackable' } as const
const free = 100 * percent
const threeForTwo = (other: Partial<Reward> = {}): Reward =>
  ({ kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: free }, ...other }) as Reward
const secondFree = (select: Selector): Reward => ({
  kind: 'buy_get',
  buy: { select, quantity: 1 },
  get: { select, quantity: 1, percentage: free },
})
const lattes = { productGroupIds: ['coffee'], children: true }
const latte = (units: number) => aLine('latte', units, 5000, { productGroupId: 'coffee' })
const oat = (units: number, other: Partial<Line> = {}) => aLine('oat', units, 700, { parent: 0, ...other })
const deposit = aLine('deposit', 2, 200, { noDiscount: true })
const acme = { ...aLine('A', 1, 100), fields: { brand: '"acme' } }
const other = { ...aLine('B', 1, 40), fields: { brand: '"other' } }
const byAcme = { fields: [{ name: 'brand', values: ['"acme'] }] }
const weighed = (quantity: number) => aLine('cheese', 1, 100, { quantity, weighed: true })
const gift = (other: Partial<Reward> = {}): Reward =>
  ({ kind: 'free_product', productId: 'A', quantity: 1, ...other }) as Reward
const selling = (question: PricingCase, unitPrice: number): PricingCase => {
  const venue = { ...question.input.venue, products: [aProduct({ productId: 'A', unitPrice })] }
  return { ...question, input: { ...question.input, venue } }
}
const perTwo = { per: { select: onlyA, quantity: 2 } }

/** The rules of lines, selectors, units and gifts, with their worth computed by hand from benefits 1 to 3. */
const ruled: readonly (readonly [
  title: string,
  lines: readonly Line[],
  benefits: readonly Benefit[],
  value: number,
])[] = [
  ['deposits are not bought', [aLine('A', 2, 1990), deposit], [aBenefit('a', threeForTwo())], 0],
  [
    'but where a selector says so',
    [aLine('A', 2, 1990), deposit],
    [aBenefit('a', threeForTwo({ buy: { select: { includeNoDiscount: true }, quantity: 2 } } as Partial<Reward>))],
    1990,
  ],
  ['one latte with oat milk is one coffee', [latte(1), oat(1)], [aBenefit('a', secondFree(lattes))], 0],
  ['the second latte is free with its oat milk', [latte(2), oat(2)], [aBenefit('a', secondFree(lattes))], 5700],
  ['so is half of one oat milk', [latte(2), oat(1)], [aBenefit('a', secondFree(lattes))], 5350],
  [
    'what follows a line may be a benefit of its own',
    [latte(2), oat(3)],
    [
      aBenefit('a', secondFree(lattes)),
      aBenefit('b', { kind: 'member_price', select: { productIds: ['oat'] }, unitPrice: 100 }),
    ],
    6800,
  ],
  [
    'two percentages share a line and what follows it',
    [latte(2), oat(2)],
    [aBenefit('a', { ...half, select: lattes }, limitedTo(1)), aBenefit('b', { ...tenPercent, select: lattes })],
    2850 + 570,
  ],
  [
    'amounts leave followers alone',
    [latte(1), oat(1)],
    [aBenefit('a', { kind: 'member_price', select: lattes, unitPrice: 0 })],
    5000,
  ],
  [
    'an order percentage takes them',
    [latte(1), oat(1)],
    [aBenefit('a', { kind: 'order_percentage', select: lattes, percentage: free })],
    5700,
  ],
  ['own members of a line', [acme, other], [aBenefit('a', { ...half, select: byAcme })], 50],
  ['and what is left out by them', [acme, other], [aBenefit('a', { ...half, select: { not: byAcme } })], 20],
  [
    'a collection narrows its lines alone',
    [acme, other, aLine('C', 1, 10)],
    [aBenefit('a', { ...half, select: { productIds: ['C'], collections: [byAcme] } })],
    55,
  ],
  [
    'full-price goods',
    [aLine('A', 1, 100, staff(30)), aLine('B', 1, 40), aLine('C', 1, 40, { overrideUnitPrice: 20 })],
    [aBenefit('a', { ...half, select: { fullPrice: true } })],
    20,
  ],
  [
    'a tier of kilograms',
    [weighed(2000), weighed(500)],
    [aBenefit('a', { kind: 'volume_percentage', tiers: [{ quantity: 2500, percentage: free }], measure: true })],
    250,
  ],
  ['kilograms are no units', [weighed(2000)], [aBenefit('a', half, limitedTo(2))], 0],
  [
    'at most so many units',
    [aLine('A', 3, 100), aLine('B', 1, 40)],
    [aBenefit('a', { ...half, maximumUnits: 2 })],
    100,
  ],
  [
    'the cheapest unit by what it costs as sent',
    [aLine('A', 1, 10_000, staff(9500)), aLine('B', 2, 8000)],
    [aBenefit('a', threeForTwo(), { existingDiscounts: 'add' })],
    500,
  ],
  [
    'what is bought is passed over too where own discounts are kept',
    [aLine('A', 1, 10_000, staff(9500)), aLine('B', 2, 8000)],
    [aBenefit('a', threeForTwo(), { existingDiscounts: 'keep' })],
    0,
  ],
  [
    'one identity each time',
    [aLine('A', 2, 100), aLine('B', 1, 40)],
    [aBenefit('a', threeForTwo({ sameProduct: true }))],
    0,
  ],
  [
    'so much less for each bundle',
    [aLine('A', 4, 100)],
    [aBenefit('a', { kind: 'bundle_discount', components: [{ quantity: 2 }], off: { amount: 30 } })],
    60,
  ],
  [
    'or a percentage of it, rounded once a line',
    [aLine('A', 1, 5), aLine('B', 1, 5)],
    [aBenefit('a', { kind: 'bundle_discount', components: [{ quantity: 2 }], off: { percentage: 10 * percent } })],
    2,
  ],
  [
    'an amount as often as it fits',
    [aLine('A', 1, 250)],
    [aBenefit('a', { kind: 'order_amount', amount: 100, maximumTimes: 5 })],
    250,
  ],
  [
    'one of a group',
    [aLine('A', 1, 100)],
    [aBenefit('a', half, { ...onTop, group: 'g' }), aBenefit('b', tenPercent, { group: 'g' })],
    50,
  ],
  [
    'a lower sequence first',
    [aLine('A', 1, 100)],
    [
      aBenefit('a', { kind: 'line_amount', amount: 10, per: 'line' }, { ...onTop, sequence: 2 }),
      aBenefit('b', half, { ...onTop, sequence: 1 }),
    ],
    60,
  ],
  ['a gift that is not there is added', [aLine('B', 1, 100)], [aBenefit('a', gift())], 30],
  ['one that is there is free instead', [aLine('A', 1, 100)], [aBenefit('a', gift())], 100],
  ['of two, one is there', [aLine('A', 1, 100)], [aBenefit('a', gift({ quantity: 2 }))], 130],
  [
    'what is asked for stays paid',
    [aLine('A', 1, 100)],
    [aBenefit('a', gift(), { conditions: { requires: [{ select: onlyA, quantity: 1 }] } })],
    30,
  ],
  ['three there: one for two', [aLine('A', 3, 100)], [aBenefit('a', gift(perTwo))], 100],
  ['five there: one, and one more is added', [aLine('A', 5, 100)], [aBenefit('a', gift(perTwo))], 130],
  ['a gift that is flagged is not given twice', [aLine('A', 1, 100, { noDiscount: true })], [aBenefit('a', gift())], 0],
]

for (const [title, lines, benefits, value] of ruled) {
  t.test(title, async (t) => {
    t.equal(bestOutcome(selling(aCase(lines, benefits), 30)).value, value)
  })
}

/** Worked out by hand from benefits 2 to 5. */
const worked: readonly { title: string; question: PricingCase; value: number }[] = [
  {
    title: 'a percentage is rounded half up',
    question: aCase([aLine('A', 1, 5)], [aBenefit('a', tenPercent)]),
    value: 1,
  },
  {
    title: 'two benefits share the units of a line where one is limited',
    question: aCase([aLine('A', 3, 100)], [aBenefit('a', half, limitedTo(1)), aBenefit('b', tenPercent)]),
    value: 70,
  },
  {
    title: 'an own discount that is larger stays',
    question: aCase([aLine('A', 1, 100, staff(30))], [aBenefit('a', tenPercent)]),
    value: 0,
  },
  {
    title: 'a replaced own discount counts against the benefit',
    question: aCase([aLine('A', 1, 100, staff(30))], [aBenefit('a', half)]),
    value: 20,
  },
  {
    title: 'where replace and add stand on one line, its own discounts go',
    question: aCase(
      [aLine('A', 1, 100, staff(30))],
      [aBenefit('a', half), aBenefit('b', tenPercent, { combination: 'stackable', existingDiscounts: 'add' })],
    ),
    value: 25,
  },
  {
    title: 'the cheapest of the units that could be either are free',
    question: aCase(
      [aLine('A', 1, 100), aLine('B', 1, 40)],
      [aBenefit('a', { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 1, percentage: 100 * percent } })],
    ),
    value: 40,
  },
  {
    title: 'units may form any times',
    question: aCase(
      [aLine('A', 2, 100), aLine('B', 2, 40)],
      [aBenefit('a', { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 1, percentage: 100 * percent } })],
    ),
    value: 140,
  },
  {
    title: 'a bundle leaves out the time that would cost more',
    question: aCase(
      [aLine('A', 2, 100), aLine('B', 2, 40)],
      [aBenefit('a', { kind: 'bundle_price', components: [{ quantity: 2 }], price: 150 })],
    ),
    value: 50,
  },
  {
    title: 'an order discount that no longer fits moves, and what fits nowhere is dropped',
    question: aCase(
      [aLine('A', 1, 100, carrying('o', 40)), aLine('B', 1, 100, carrying('o', 40))],
      [aBenefit('a', { kind: 'line_amount', amount: 90, per: 'line' })],
      { orderDiscounts: [anOrderDiscount('o', 80)] },
    ),
    value: 120,
  },
  {
    title: 'an exclusive benefit that takes off more stands alone',
    question: aCase(
      [aLine('A', 1, 100), aLine('B', 1, 100)],
      [
        aBenefit('a', { ...half, select: onlyA }),
        aBenefit('b', { kind: 'order_percentage', percentage: 30 * percent }, { combination: 'exclusive' }),
      ],
    ),
    value: 60,
  },
]

for (const { title, question, value } of worked) {
  t.test(title, async (t) => {
    t.equal(bestOutcome(question).value, value)
  })
}

t.test('the reason is the furthest stage that any benefit reached', async (t) => {
  const lines = [aLine('A', 2, 100, staff(110)), aLine('B', 1, 100, { noDiscount: true })]
  const elsewhere = aBenefit('x', tenPercent, { venueIds: ['V2'] })
  const missing = aBenefit('c', { ...tenPercent, select: { productIds: ['C'] } })
  const flagged = aBenefit('b', { ...tenPercent, select: { productIds: ['B'] } })
  const smaller = aBenefit('a', tenPercent)
  const scarce = aBenefit('l', { kind: 'member_price', unitPrice: 10 }, limitedTo(1))
  const steps = [elsewhere, missing, flagged, smaller, scarce]
  const said = steps.map((_, at) => unchangedReason(aCase(lines, steps.slice(0, at + 1))))
  t.same(said, ['no_benefits', 'conditions_not_met', 'not_discountable', 'existing_discount_kept', 'limit_exhausted'])
})

t.test('spreading rounds down and gives the rest to the largest remainders, earlier lines first', async (t) => {
  t.same(spread(2, [1, 1, 1]), [1, 1, 0])
  t.same(spread(5, [10, 0, 10]), [3, 0, 2])
  t.same(spread(100, [50, 30, 20]), [50, 30, 20])
})
