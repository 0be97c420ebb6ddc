import t from 'tap'
import type { Basket } from '../../../../engine/core/base/basket.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { plansAlone } from '../../../../engine/core/lines/plan.js'
import { completionOf, partitionOffers } from '../../../../engine/core/model/components.js'
import type { BasketInstance } from '../../../../engine/core/model/instance.js'
import { basketInstanceOf } from '../../../../engine/core/search/basket-instance.js'
import { chooseLines } from '../../../../engine/core/search/choose-lines.js'
import { type Joint, staysUnbounded } from '../../../../engine/core/search/choose-together.js'
import { tightCases } from '../../../oracle/tight-cases.js'
import { aBasket, aBenefit, type LineSketch, percent, price } from '../builders.js'
import { offersOf } from '../offers-of.js'

const two: readonly LineSketch[] = [
  { product: 'a', price: 100 },
  { product: 'b', price: 100 },
]
const carrying = two.map((line) => ({ ...line, allocations: { staff: 10 } }))

interface Sketch {
  readonly lines: readonly LineSketch[]
  /** The lines of each benefit that ties some, by basis position. */
  readonly tying: readonly (readonly number[])[]
  /** The products of 80 lines of order discounts: two steps to work them out. */
  readonly products: readonly string[]
}

function instanceOf({ lines, tying, products }: Sketch): BasketInstance {
  const order = aBenefit('order', {
    kind: 'order_percentage',
    percentage: percent(10),
    select: { productIds: products },
  })
  const { basis, offers, hasOrderDiscounts } = offersOf(aBasket(lines), [order])
  const normals = new Array(80 / products.length).fill(offers[0]!)
  const lineOffers = basis.lines.map(() => ({ untied: [], stacks: [] }))
  const levels = {
    basis,
    lineInstance: { lines: basis.lines, lineOffers, alone: [] },
    orderOffers: { normals, stacks: [], hasOrderDiscounts },
  }
  return basketInstanceOf(levels, { tying: tying.map((lines) => ({ ...offers[0]!, lines })), cappedStacks: [] })
}

for (const { about, tying, products, lines = two, stepsMax = 3, expected } of [
  { about: 'lines of which an order discount looks at one are tied', tying: [[0, 1]], products: ['b'], expected: true },
  { about: 'some lines are tied so', tying: [[0], [0, 1]], products: ['b'], expected: true },
  { about: 'no lines are tied', tying: [], products: ['b'], expected: false },
  { about: 'lines are tied that order discounts see alike', tying: [[0, 1]], products: ['a', 'b'], expected: false },
  {
    about: 'lines are tied beside an order discount of the POS',
    tying: [[0, 1]],
    products: ['a', 'b'],
    lines: carrying,
    expected: true,
  },
  {
    about: 'no lines are tied beside an order discount of the POS',
    tying: [],
    products: ['a', 'b'],
    lines: carrying,
    expected: false,
  },
  { about: 'there are steps for two starts', tying: [[0, 1]], products: ['b'], stepsMax: 4, expected: false },
]) {
  t.test(
    `where ${about} nothing ${expected ? 'would bound' : 'says that nothing would bound'} the basket`,
    async (t) => {
      t.equal(staysUnbounded(instanceOf({ lines, tying, products }), stepsMax), expected)
    },
  )
}

/** The joint plans of components whose lines the order level treats differently; fails without any. */
function jointOf(basket: Basket, benefits: readonly Benefit[], stepsMax: number): Joint {
  const { basis, offers, hasOrderDiscounts } = offersOf(basket, benefits)
  const partition = partitionOffers(basis, offers)
  const { lineOffers } = partition
  const { orderOffers, free } = completionOf({ basis, offers, hasOrderDiscounts, stepsMax }, offers)
  const lineInstance = { lines: basis.lines, lineOffers, alone: plansAlone(basis.lines, lineOffers) }
  return chooseLines(basketInstanceOf({ basis, lineInstance, orderOffers }, partition), { partition, free, stepsMax })
    .joint!
}

for (const { kind, seed, stepsMax } of [
  { kind: 'chains', seed: 9, stepsMax: 1000 },
  { kind: 'orders', seed: 6, stepsMax: 1000 },
  { kind: 'orders', seed: 6, stepsMax: 20 },
  { kind: 'maxima', seed: 8, stepsMax: 1000 },
]) {
  t.test(`the bound of ${kind} basket ${seed} follows from sums`, async (t) => {
    const { benefits, input } = tightCases[kind]!(seed)
    t.not(jointOf(input.basket, benefits, stepsMax).choices, null)
  })
}

t.test('a basket that no search bounds is bounded by its cost before', async (t) => {
  const components = ['a', 'b'].map((product) => ({ select: { productIds: [product] }, quantity: 1 }))
  const pair = aBenefit('pair', { kind: 'bundle_price', components, price: 150 })
  // Too many choices on the order for each to be weighed.
  const orders = Array.from({ length: 300 }, (_, at) =>
    aBenefit(
      `order-${at}`,
      { kind: 'order_amount', amount: 1 },
      { combination: at % 2 === 0 ? 'stackable' : 'normal' },
    ),
  )
  t.match(jointOf(aBasket(carrying), [pair, ...orders], 0), { most: 180, choices: null })
})

const on = (...products: string[]) => ({ select: { productIds: products.map((each) => `p${each}`) } })

/** Lines p0, p1 and so on at these prices, and some behind them that change nothing. */
const priced = (lines: readonly Partial<LineSketch>[]): LineSketch[] => [
  ...lines.map((line, at) => ({ product: `p${at}`, price: 0, ...line })),
  ...Array.from({ length: 9 }, () => ({ price: 1, noDiscount: true })),
]

t.test('lines that are only bought make nothing count for more that the others gain', async (t) => {
  const lines = priced([{ price: 37 }, { price: 118 }, { price: 54 }, { price: 69, own: [2] }, { price: 21 }])
  const benefits = [
    aBenefit('free', {
      kind: 'buy_get',
      buy: { ...on('2', '4'), quantity: 1 },
      get: { ...on('1', '3'), quantity: 1, percentage: percent(100) },
    }),
    aBenefit('all', { kind: 'order_percentage', ...on('1', '3', '4'), percentage: percent(100), maximumAmount: 46 }),
    aBenefit('amount', { kind: 'order_amount', ...on('0', '2', '3'), amount: 44 }),
  ]
  t.match(price(aBasket(lines), benefits, { stepsMax: 60 }), { value: 229, gap: 0 })
})

t.test('own discounts of lines that are only bought are never taken off', async (t) => {
  const lines = priced([{ price: 155, own: [5] }, { price: 203 }, { price: 130, own: [5] }, { price: 123 }])
  const benefits = [
    aBenefit('half', {
      kind: 'buy_get',
      buy: { ...on('1', '2'), quantity: 1 },
      get: { ...on('0', '1', '3'), quantity: 1, percentage: percent(50) },
    }),
    aBenefit('most', { kind: 'order_percentage', ...on('1', '2'), percentage: percent(90) }),
    aBenefit('amount', { kind: 'order_amount', ...on('2', '3'), amount: 34 }),
  ]
  // The percentage is chosen without a search of its own for the amount.
  t.match(price(aBasket(lines), benefits), { value: 430, optimal: true })
})
