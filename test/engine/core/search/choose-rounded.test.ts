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
