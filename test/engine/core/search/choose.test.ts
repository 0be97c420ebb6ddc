import t from 'tap'
import type { Benefit, Reward } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, aVenue, type LineSketch, percent, price } from '../builders.js'

const exclusive: Partial<Benefit> = { combination: 'exclusive' }

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
