import t from 'tap'
import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import { aBasket, aBenefit, type LineSketch, percent, price } from './core/builders.js'

/** Cases that merchants reported of other systems, each with a neighbour: one number changed, and the answer is another. */
interface Case {
  readonly title: string
  readonly benefit: Benefit
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

const cases: readonly Case[] = [
  {
    title: '01: bottles with deposit are no three units',
    benefit: aBenefit('b', threeForTwo),
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
    benefit: aBenefit('b', threeForTwo),
    lines: [{ price: 899_900 }, { quantity: 2, price: 50_000, noDiscount: true }],
    off: 0,
    neighbour: [
      { quantity: 3, price: 899_900 },
      { quantity: 2, price: 50_000, noDiscount: true },
    ],
    neighbourOff: 899_900,
  },
  {
    title: '03: a latte with oat milk is one coffee',
    benefit: aBenefit('b', secondCoffee),
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
    benefit: aBenefit('b', fromTenKilos),
    lines: [potatoes(25.5)],
    off: 5100,
    neighbour: [potatoes(9.999)],
    neighbourOff: 0,
  },
  {
    title: '04: exactly 10 kg are no other goods',
    benefit: aBenefit('b', fromTenKilos),
    lines: [potatoes(10)],
    off: 2000,
    neighbour: [potatoes(10.001)],
    neighbourOff: 2000,
  },
  {
    title: '11: a threshold counts what its selector takes',
    benefit: aBenefit('b', offA, fromTwenty),
    lines: [goods('A', 1000), goods('B', 2000)],
    off: 0,
    neighbour: [goods('A', 2000), goods('B', 2000)],
    neighbourOff: 1500,
  },
  {
    title: '11: gift cards reach no threshold',
    benefit: aBenefit('b', offA, { conditions: { minimumSpend: { amount: 2000 } } }),
    lines: [goods('A', 1000), goods('C', 50_000, { noDiscount: true })],
    off: 0,
    neighbour: [goods('A', 2000), goods('C', 50_000, { noDiscount: true })],
    neighbourOff: 1500,
  },
]

for (const { title, benefit, lines, off, neighbour, neighbourOff } of cases) {
  t.test(title, async (t) => {
    for (const [sent, value] of [
      [lines, off],
      [neighbour, neighbourOff],
    ] as const) {
      const priced = price(aBasket(sent), [benefit])
      t.equal(priced.value, value)
      t.equal(priced.outcome.status, value === 0 ? 'unchanged' : 'applied')
      t.ok(priced.optimal)
    }
  })
}

t.test('a line of deposit, bag or gift card never changes what the others get', async (t) => {
  for (const { benefit, lines, neighbour } of cases) {
    for (const sent of [lines, neighbour]) {
      for (let at = 0; at <= sent.length; at += 1) {
        const parents = sent.map((line) => ((line.parent ?? -1) >= at ? { ...line, parent: line.parent! + 1 } : line))
        const added = parents.toSpliced(at, 0, { group: 'A', product: 'potato', price: 9900, noDiscount: true })
        t.equal(price(aBasket(added), [benefit]).value, price(aBasket(sent), [benefit]).value)
      }
    }
  }
})

t.test('lines in another order, or split into units, are worth the same', async (t) => {
  for (const { benefit, lines, neighbour } of cases) {
    for (const sent of [lines, neighbour].filter((each) => each.every(({ weighed }) => !weighed))) {
      const { value } = price(aBasket(sent), [benefit])
      const last = sent.length - 1
      const turned = sent
        .toReversed()
        .map((line) => (line.parent === undefined ? line : { ...line, parent: last - line.parent }))
      t.equal(price(aBasket(turned), [benefit]).value, value)
      const parts = sent.map((line) => Array.from({ length: line.quantity ?? 1 }, () => ({ ...line, quantity: 1 })))
      const starts = parts.map((_, at) => parts.slice(0, at).flat().length)
      const split = parts.flatMap((own) =>
        own.map((line, unit) => (line.parent === undefined ? line : { ...line, parent: starts[line.parent]! + unit })),
      )
      t.equal(price(aBasket(split), [benefit]).value, value)
    }
  }
})
