import t from 'tap'
import type { Benefit, Reward } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, aVenue, type LineSketch, percent, price } from '../builders.js'

const exclusive: Partial<Benefit> = { combination: 'exclusive' }
const stackable: Partial<Benefit> = { combination: 'stackable' }

const amountOff = (benefitId: string, amount: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(benefitId, { kind: 'order_amount', amount }, overrides)

const percentOff = (benefitId: string, value: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(benefitId, { kind: 'order_percentage', percentage: percent(value) }, overrides)

const linePercent = (benefitId: string, value: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(benefitId, { kind: 'line_percentage', percentage: percent(value) }, overrides)

type Assertions = Pick<typeof t, 'equal' | 'same'>

interface Expected {
  readonly about: string
  readonly lines: readonly LineSketch[]
  readonly benefits: readonly Benefit[]
  readonly value: number
  readonly applied: readonly string[]
}

function assertChosen(t: Assertions, { lines, benefits, value, applied }: Expected): void {
  const result = price(aBasket(lines), benefits, { venue: aVenue([{ productId: 'gift', unitPrice: 500 }]) })
  const chosen = result.benefits.filter(({ dropped }) => dropped === null).map(({ benefitId }) => benefitId)
  t.equal(result.value, value)
  t.same(chosen, applied)
  t.equal(result.optimal, true)
  t.equal(result.gap, 0)
}

const thousand = [{ price: 1000 }]
const gift: Reward = { kind: 'free_product', productId: 'gift', quantity: 2 }

const exclusives: readonly Expected[] = [
  {
    about: 'an exclusive benefit worth more than the others together',
    lines: thousand,
    benefits: [linePercent('a', 10), percentOff('b', 10), linePercent('x', 20, exclusive)],
    value: 200,
    applied: ['x'],
  },
  {
    about: 'the others together where they are worth more',
    lines: thousand,
    benefits: [linePercent('a', 10), percentOff('b', 20), linePercent('x', 20, exclusive)],
    value: 280,
    applied: ['a', 'b'],
  },
  {
    about: 'the better one of two exclusive benefits, never both',
    lines: thousand,
    benefits: [linePercent('x', 20, exclusive), percentOff('y', 30, exclusive), linePercent('z', 25, exclusive)],
    value: 300,
    applied: ['y'],
  },
  {
    about: 'at equal value, an exclusive benefit of higher priority',
    lines: thousand,
    benefits: [linePercent('a', 20), linePercent('x', 20, { ...exclusive, priority: 1 })],
    value: 200,
    applied: ['x'],
  },
  {
    about: 'at equal value, another benefit of higher priority',
    lines: thousand,
    benefits: [linePercent('b', 20, { priority: 1 }), linePercent('a', 20, exclusive)],
    value: 200,
    applied: ['b'],
  },
  {
    about: 'at equal value, one exclusive benefit and not two others',
    lines: thousand,
    benefits: [
      amountOff('a', 100),
      linePercent('b', 10),
      linePercent('x', 19, exclusive),
      amountOff('y', 200, exclusive),
    ],
    value: 200,
    applied: ['y'],
  },
  {
    about: 'an exclusive free product that is worth more',
    lines: thousand,
    benefits: [linePercent('a', 90), aBenefit('x', gift, exclusive)],
    value: 1000,
    applied: ['x'],
  },
  {
    about: 'others where an exclusive free product is worth less',
    lines: [{ price: 2000 }],
    benefits: [linePercent('a', 51), aBenefit('x', gift, exclusive)],
    value: 1020,
    applied: ['a'],
  },
  {
    about: 'an exclusive grouping against a percentage of the same units',
    lines: [{ price: 1000, quantity: 3 }],
    benefits: [
      linePercent('a', 30),
      aBenefit(
        'x',
        { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: percent(100) } },
        exclusive,
      ),
    ],
    value: 1000,
    applied: ['x'],
  },
  {
    about: 'nothing where an exclusive benefit is worth nothing',
    lines: [{ price: 0 }],
    benefits: [linePercent('x', 50, exclusive)],
    value: 0,
    applied: [],
  },
  {
    about: 'an exclusive benefit that takes a discount of the POS off, where it gains',
    lines: [{ price: 1000, own: [150] }],
    benefits: [linePercent('a', 20, { existingDiscounts: 'keep' }), linePercent('x', 20, exclusive)],
    value: 50,
    applied: ['x'],
  },
]

for (const expected of exclusives) {
  t.test(`chooses ${expected.about}`, async (t) => assertChosen(t, expected))
}

/** Two lines of 1000; the POS's order discount has taken 300 off the first. */
const discounted: readonly LineSketch[] = [{ price: 1000, allocations: { staff: 300 } }, { price: 1000 }]
const add: Partial<Benefit> = { existingDiscounts: 'add' }
const keep: Partial<Benefit> = { existingDiscounts: 'keep' }

const besideOrders: readonly Expected[] = [
  {
    about: 'stays where the new one is smaller',
    lines: discounted,
    benefits: [percentOff('a', 10)],
    value: 0,
    applied: [],
  },
  {
    about: 'stays where the new one is as large',
    lines: discounted,
    benefits: [percentOff('a', 15)],
    value: 0,
    applied: [],
  },
  {
    about: 'goes where the new one is larger',
    lines: discounted,
    benefits: [percentOff('a', 20)],
    value: 100,
    applied: ['a'],
  },
  {
    about: 'stays under one that adds',
    lines: discounted,
    benefits: [percentOff('a', 10, add)],
    value: 170,
    applied: ['a'],
  },
  {
    about: 'keeps away one that keeps',
    lines: discounted,
    benefits: [percentOff('a', 50, keep)],
    value: 0,
    applied: [],
  },
  {
    about: 'stays where adding gives more than replacing',
    lines: discounted,
    benefits: [percentOff('a', 10, add), percentOff('b', 20)],
    value: 170,
    applied: ['a'],
  },
  {
    about: 'goes where replacing gives more than adding',
    lines: discounted,
    benefits: [percentOff('a', 10, add), percentOff('b', 30)],
    value: 300,
    applied: ['b'],
  },
  {
    about: 'stays where a stackable one would replace it and gain less',
    lines: discounted,
    benefits: [percentOff('a', 30, add), percentOff('b', 5, stackable)],
    value: 510,
    applied: ['a'],
  },
  {
    about: 'goes with a stackable one that replaces it beside one that adds',
    lines: discounted,
    benefits: [percentOff('a', 5, add), percentOff('b', 20, stackable)],
    value: 180,
    applied: ['a', 'b'],
  },
  {
    about: 'stays under a stackable one that adds',
    lines: discounted,
    benefits: [percentOff('b', 20, { ...stackable, ...add })],
    value: 340,
    applied: ['b'],
  },
  {
    about: 'leaves an amount that adds only what the line still costs',
    lines: [{ price: 1000, allocations: { staff: 900 } }],
    benefits: [amountOff('a', 500, add)],
    value: 100,
    applied: ['a'],
  },
]

for (const expected of besideOrders) {
  t.test(`an order discount of the POS ${expected.about}`, async (t) => assertChosen(t, expected))
}

const lines: readonly LineSketch[] = [
  { product: 'a', price: 1000 },
  { product: 'b', price: 500 },
]
const onlyOf = (product: string) => ({ select: { productIds: [product] } })

const orderLevel: readonly Expected[] = [
  {
    about: 'the larger one, first',
    lines,
    benefits: [amountOff('a', 300), amountOff('b', 200)],
    value: 300,
    applied: ['a'],
  },
  {
    about: 'the larger one, last',
    lines,
    benefits: [amountOff('a', 200), amountOff('b', 300)],
    value: 300,
    applied: ['b'],
  },
  {
    about: 'at equal amounts the smaller id',
    lines,
    benefits: [amountOff('b', 300), amountOff('a', 300)],
    value: 300,
    applied: ['a'],
  },
  {
    about: 'at equal amounts the higher priority',
    lines,
    benefits: [amountOff('a', 300), amountOff('b', 300, { priority: 1 })],
    value: 300,
    applied: ['b'],
  },
  {
    about: 'a stackable one on top of the normal one',
    lines,
    benefits: [percentOff('a', 10, stackable), amountOff('b', 500)],
    value: 600,
    applied: ['a', 'b'],
  },
  {
    about: 'the normal one that leaves most with the stackable ones after it',
    lines,
    benefits: [amountOff('a', 100), amountOff('b', 200), percentOff('c', 50, stackable)],
    value: 850,
    applied: ['b', 'c'],
  },
  {
    about: 'stackable ones over different lines',
    lines,
    benefits: [
      aBenefit('a', { kind: 'order_percentage', percentage: percent(10), ...onlyOf('a') }, stackable),
      aBenefit('b', { kind: 'order_percentage', percentage: percent(10), ...onlyOf('b') }, stackable),
    ],
    value: 150,
    applied: ['a', 'b'],
  },
  {
    about: 'stackable ones over lines of which one has both',
    lines,
    benefits: [
      aBenefit('a', { kind: 'order_amount', amount: 100, ...onlyOf('a') }, stackable),
      aBenefit('b', { kind: 'order_amount', amount: 200 }, stackable),
    ],
    value: 300,
    applied: ['a', 'b'],
  },
]

for (const expected of orderLevel) {
  t.test(`on order level, chooses ${expected.about}`, async (t) => assertChosen(t, expected))
}

t.test('the lines are left to the order discount that needs them', async (t) => {
  const result = price(aBasket(lines), [
    aBenefit('a', { kind: 'order_amount', amount: 1000, ...onlyOf('a') }, stackable),
    aBenefit('b', { kind: 'order_percentage', percentage: percent(100), ...onlyOf('b') }, stackable),
  ])
  t.equal(result.value, 1500)
})

t.test('without a budget an outcome is still chosen, with a true bound on what is missed', async (t) => {
  const limits = [{ limitId: 'l', scope: 'member', period: 'day', counts: 'units', maximum: 2 }] as const
  const basket = aBasket([{ price: 1000 }, { price: 900, quantity: 3 }, { price: 700, quantity: 2 }])
  const benefits = [linePercent('a', 50, { limits }), linePercent('b', 20), linePercent('x', 21, exclusive)]
  const whole = price(basket, benefits)
  const none = price(basket, benefits, { stepsMax: 0 })
  t.equal(whole.optimal, true)
  t.ok(none.value > 0)
  t.ok(none.value <= whole.value)
  t.ok(none.value + none.gap >= whole.value)
})
