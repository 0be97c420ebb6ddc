import t from 'tap'
import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import { aBasket, aBenefit, aVenue, type LineSketch, percent, price } from './core/builders.js'

/** Cases that merchants reported of other systems, each with a neighbour: one number changed, and the answer is another. */
interface Case {
  readonly title: string
  readonly benefits: readonly Benefit[]
  readonly lines: readonly LineSketch[]
  /** Minor units off; 0: unchanged. */
  readonly off: number
  readonly neighbour: readonly LineSketch[]
  readonly neighbourOff: number
}

const threeForTwo: Reward = { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: percent(100) } }
const coffees = { select: { productGroupIds: ['coffee'], children: true }, quantity: 1 }
const secondCoffee: Reward = { kind: 'buy_get', buy: coffees, get: { ...coffees, percentage: percent(100) } }
const latte: LineSketch = { group: 'coffee', price: 5000 }
const oat = (parent: number): LineSketch => ({ group: 'extra', price: 700, parent })
const fromTenKilos: Reward = {
  kind: 'volume_percentage',
  select: { productIds: ['potato'] },
  tiers: [{ quantity: 10_000, percentage: percent(10) }],
  measure: true,
}
const potatoes = (quantity: number): LineSketch => ({ product: 'potato', price: 2000, quantity, weighed: true })
const offA: Reward = { kind: 'order_amount', select: { productGroupIds: ['A'] }, amount: 1500 }
const fromTwenty = { conditions: { minimumSpend: { amount: 2000, select: { productGroupIds: ['A'] } } } }
const goods = (group: string, value: number, sketch: LineSketch = {}): LineSketch => ({
  group,
  price: value,
  ...sketch,
})

const besideTwo = (first: LineSketch): readonly LineSketch[] => [first, { price: 8000 }, { price: 8000 }]
const gift = (productId: string, amount: number): Benefit =>
  aBenefit(
    productId,
    { kind: 'free_product', productId, quantity: 1 },
    { group: 'gifts', conditions: { minimumSpend: { amount } } },
  )
const venue = aVenue([
  { productId: 'mug', unitPrice: 2000 },
  { productId: 'bag', unitPrice: 4000 },
])
const onTop = (sequence: number) => ({ combination: 'stackable', sequence }) as const

const cases: readonly Case[] = [
  {
    title: '01: bottles with deposit are no three units',
    benefits: [aBenefit('b', threeForTwo)],
    lines: [
      { quantity: 2, price: 1990 },
      { quantity: 2, price: 200, noDiscount: true, parent: 0 },
    ],
    off: 0,
    neighbour: [
      { quantity: 3, price: 1990 },
      { quantity: 2, price: 200, noDiscount: true, parent: 0 },
    ],
    neighbourOff: 1990,
  },
  {
    title: '01: gift cards give no television away',
    benefits: [aBenefit('b', threeForTwo)],
    lines: [{ price: 899_900 }, { quantity: 2, price: 50_000, noDiscount: true }],
    off: 0,
    neighbour: [
      { quantity: 3, price: 899_900 },
      { quantity: 2, price: 50_000, noDiscount: true },
    ],
    neighbourOff: 899_900,
  },
  {
    title: '02: what is marked down by a discount is the cheapest',
    benefits: [aBenefit('b', threeForTwo, { existingDiscounts: 'add' })],
    lines: besideTwo({ price: 10_000, own: [9500] }),
    off: 500,
    neighbour: besideTwo({ price: 10_000, own: [1500] }),
    neighbourOff: 8000,
  },
  {
    title: '02: and by another price',
    benefits: [aBenefit('b', threeForTwo, { existingDiscounts: 'add' })],
    lines: besideTwo({ price: 10_000, override: 500 }),
    off: 500,
    neighbour: besideTwo({ price: 10_000, override: 8500 }),
    neighbourOff: 8000,
  },
  {
    title: '02: kept, it is no third unit',
    benefits: [aBenefit('b', threeForTwo, { existingDiscounts: 'keep' })],
    lines: besideTwo({ price: 10_000, own: [9500] }),
    off: 0,
    neighbour: besideTwo({ price: 10_000, own: [0] }),
    neighbourOff: 8000,
  },
  {
    title: '03: a latte with oat milk is one coffee',
    benefits: [aBenefit('b', secondCoffee)],
    lines: [latte, oat(0)],
    off: 0,
    neighbour: [
      { ...latte, quantity: 2 },
      { ...oat(0), quantity: 2 },
    ],
    neighbourOff: 5700,
  },
  {
    title: '04: 10 % from 10 kg at any weight',
    benefits: [aBenefit('b', fromTenKilos)],
    lines: [potatoes(25.5)],
    off: 5100,
    neighbour: [potatoes(9.999)],
    neighbourOff: 0,
  },
  {
    title: '04: exactly 10 kg are no other goods',
    benefits: [aBenefit('b', fromTenKilos)],
    lines: [potatoes(10)],
    off: 2000,
    neighbour: [potatoes(10.001)],
    neighbourOff: 2000,
  },
  {
    title: '05: at most six of a basket, the dearest',
    benefits: [aBenefit('b', { kind: 'line_percentage', percentage: percent(20), maximumUnits: 6 })],
    lines: [
      { quantity: 5, price: 1300 },
      { quantity: 3, price: 2000 },
    ],
    off: 1980,
    neighbour: [
      { quantity: 5, price: 1300 },
      { quantity: 4, price: 2000 },
    ],
    neighbourOff: 2120,
  },
  {
    title: '07: one gift of a ladder',
    benefits: [gift('mug', 5000), gift('bag', 10_100)],
    lines: [{ price: 12_000 }],
    off: 4000,
    neighbour: [{ price: 10_099 }],
    neighbourOff: 2000,
  },
  {
    title: '10: stackable benefits apply by sequence, not by name',
    benefits: [
      aBenefit('a', { kind: 'line_amount', amount: 1000, per: 'line' }, onTop(2)),
      aBenefit('b', { kind: 'line_percentage', percentage: percent(50) }, onTop(1)),
    ],
    lines: [{ price: 10_000 }],
    off: 6000,
    neighbour: [{ price: 2000 }],
    neighbourOff: 2000,
  },
  {
    title: '11: a threshold counts what its selector takes',
    benefits: [aBenefit('b', offA, fromTwenty)],
    lines: [goods('A', 1000), goods('B', 2000)],
    off: 0,
    neighbour: [goods('A', 2000), goods('B', 2000)],
    neighbourOff: 1500,
  },
  {
    title: '11: gift cards reach no threshold',
    benefits: [aBenefit('b', offA, { conditions: { minimumSpend: { amount: 2000 } } })],
    lines: [goods('A', 1000), goods('C', 50_000, { noDiscount: true })],
    off: 0,
    neighbour: [goods('A', 2000), goods('C', 50_000, { noDiscount: true })],
    neighbourOff: 1500,
  },
]

for (const { title, benefits, lines, off, neighbour, neighbourOff } of cases) {
  t.test(title, async (t) => {
    for (const [sent, value] of [
      [lines, off],
      [neighbour, neighbourOff],
    ] as const) {
      const priced = price(aBasket(sent), benefits, { venue })
      t.equal(priced.value, value)
      t.equal(priced.outcome.status, value === 0 ? 'unchanged' : 'applied')
      t.ok(priced.optimal)
    }
  })
}

t.test('a line of deposit, bag or gift card never changes what the others get', async (t) => {
  for (const { benefits, lines, neighbour } of cases) {
    for (const sent of [lines, neighbour]) {
      for (let at = 0; at <= sent.length; at += 1) {
        const parents = sent.map((line) => ((line.parent ?? -1) >= at ? { ...line, parent: line.parent! + 1 } : line))
        const added = parents.toSpliced(at, 0, { group: 'A', product: 'potato', price: 9900, noDiscount: true })
        t.equal(price(aBasket(added), benefits, { venue }).value, price(aBasket(sent), benefits, { venue }).value)
      }
    }
  }
})

t.test('lines in another order, or split into units, are worth the same', async (t) => {
  for (const { benefits, lines, neighbour } of cases) {
    for (const sent of [lines, neighbour].filter((each) => each.every(({ weighed }) => !weighed))) {
      const { value } = price(aBasket(sent), benefits, { venue })
      const last = sent.length - 1
      const turned = sent
        .toReversed()
        .map((line) => (line.parent === undefined ? line : { ...line, parent: last - line.parent }))
      t.equal(price(aBasket(turned), benefits, { venue }).value, value)
      const parts = sent.map((line) => Array.from({ length: line.quantity ?? 1 }, () => ({ ...line, quantity: 1 })))
      const starts = parts.map((_, at) => parts.slice(0, at).flat().length)
      const split = parts.flatMap((own) =>
        own.map((line, unit) => (line.parent === undefined ? line : { ...line, parent: starts[line.parent]! + unit })),
      )
      t.equal(price(aBasket(split), benefits, { venue }).value, value)
    }
  }
})
