import t from 'tap'
import type { Reward } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, type LineSketch, percent, price } from '../builders.js'

const on = (productId: string) => ({ select: { productIds: [productId] }, quantity: 1 })
const secondFree = (...productIds: string[]): Reward => ({
  kind: 'buy_get',
  buy: { select: { productIds }, quantity: 1 },
  get: { select: { productIds }, quantity: 1, percentage: percent(100) },
})

interface Chain {
  /** Price and quantity of the products a, b, c and d; no percentage may discount a. */
  readonly lines: readonly (readonly [price: number, quantity: number])[]
  /** Order percentages, the second applied on the rest of the first. */
  readonly percentages: readonly [number, number]
  readonly group: Reward
  readonly value: number
}

const bundle: Reward = { kind: 'bundle_price', components: [on('a'), on('c'), on('d')], price: 100 }

/** Baskets where weights without roundings do not decide which units a group gives. */
const chains: readonly Chain[] = [
  {
    lines: [
      [810, 1],
      [980, 1],
      [103, 1],
      [100, 1],
    ],
    percentages: [33, 33],
    group: secondFree('a', 'c'),
    value: 698,
  },
  {
    lines: [
      [990, 1],
      [98, 2],
      [106, 1],
      [105, 2],
    ],
    percentages: [5, 5],
    group: secondFree('a', 'd'),
    value: 144,
  },
  {
    lines: [
      [930, 2],
      [900, 1],
      [108, 2],
      [1080, 2],
    ],
    percentages: [5, 5],
    group: secondFree('a', 'd'),
    value: 2224,
  },
  {
    lines: [
      [936, 2],
      [1000, 1],
      [101, 1],
      [900, 2],
    ],
    percentages: [5, 10],
    group: secondFree('a', 'd'),
    value: 2126,
  },
  {
    lines: [
      [98, 2],
      [100, 2],
      [1080, 1],
      [930, 2],
    ],
    percentages: [10, 5],
    group: secondFree('a', 'b'),
    value: 651,
  },
  {
    lines: [
      [91, 2],
      [96, 1],
      [1000, 2],
      [900, 1],
    ],
    percentages: [33, 33],
    group: bundle,
    value: 2547,
  },
]

/** Adds lines that change nothing: in a small basket enumeration would correct the search. */
const padding = Array.from({ length: 9 }, (): LineSketch => ({ price: 1, noDiscount: true }))

for (const { lines, percentages, group, value } of chains) {
  t.test(`below ${percentages.join(' and ')} % of the order the best group worth ${value} is proven`, async (t) => {
    const [first, second] = percentages.map((each): Reward => ({ kind: 'order_percentage', percentage: percent(each) }))
    const benefits = [
      aBenefit('first', first!),
      aBenefit('group', group),
      aBenefit('second', second!, { combination: 'stackable' }),
    ]
    const sketches = lines.map(
      ([unitPrice, quantity], at): LineSketch => ({
        product: 'abcd'[at]!,
        price: unitPrice,
        quantity,
        noPercentageDiscount: at === 0,
      }),
    )
    const basket = aBasket([...sketches, ...padding])
    t.match(price(basket, benefits), { value, optimal: true })
    for (const stepsMax of [100, 40, 0]) {
      const some = price(basket, benefits, { stepsMax })
      t.ok(some.value <= value && value <= some.value + some.gap, `${some.value} + ${some.gap} at ${stepsMax} steps`)
    }
  })
}

interface LineStage {
  readonly title: string
  readonly lines: Chain['lines']
  /** Products of each of the two order percentages. */
  readonly products: readonly [string, string]
  readonly percentages: readonly [number, number]
  readonly group?: Reward
  readonly expected: { readonly value: number; readonly optimal: boolean }
}

const crossings: readonly LineStage[] = [
  {
    title: 'percentages over different lines are proven where each line must cost what it does',
    lines: [
      [197, 1],
      [637, 1],
      [591, 2],
      [652, 1],
    ],
    products: ['abcd', 'd'],
    percentages: [33, 5],
    expected: { value: 902, optimal: true },
  },
  {
    title: 'so are they where a group gives units of one line or the other',
    lines: [
      [96, 2],
      [67, 1],
    ],
    products: ['ab', 'a'],
    percentages: [33, 10],
    group: secondFree('a', 'b'),
    expected: { value: 156, optimal: true },
  },
  {
    title: 'nothing is proven where a percentage may do better without a line that costs next to nothing',
    lines: [
      [20, 2],
      [1, 2],
      [13, 1],
      [11, 2],
    ],
    products: ['bcd', 'abc'],
    percentages: [33, 50],
    expected: { value: 37, optimal: false },
  },
]

for (const { title, lines, products, percentages, group, expected } of crossings) {
  t.test(title, async (t) => {
    const orders = products.map((each, at) => {
      const reward: Reward = {
        kind: 'order_percentage',
        select: { productIds: [...each] },
        percentage: percent(percentages[at]!),
      }
      return aBenefit(`order-${at}`, reward, at === 0 ? {} : { combination: 'stackable' })
    })
    const benefits = group === undefined ? orders : [aBenefit('group', group), ...orders]
    const sketches = lines.map(([unitPrice, quantity], at): LineSketch => {
      return { product: 'abcd'[at]!, price: unitPrice, quantity }
    })
    t.match(price(aBasket([...sketches, ...padding]), benefits), expected)
  })
}
