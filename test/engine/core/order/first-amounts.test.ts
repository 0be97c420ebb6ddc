import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { anAmount, aShare, chosenOver, type OrderSketch } from './order-offers.js'

const onTop = { combination: 'stackable' } as const

interface Beside {
  readonly about: string
  /** Prices of lines; negative: no percentage applies to the line. */
  readonly prices: readonly number[]
  readonly benefits: (inside: { readonly products: readonly string[] }) => readonly Benefit[]
  /** The lines of each benefit used, in their order. */
  readonly lines: readonly (readonly number[])[]
  readonly net: number
}

const half = (benefitId: string, inside: OrderSketch) => aShare(benefitId, 50, { ...onTop, ...inside })
const first = (off: number) => anAmount('a', off, onTop)

const besides: readonly Beside[] = [
  {
    about: 'the lines that no percentage looks at, where they hold it exactly',
    prices: [-100, 60, 500],
    benefits: (inside) => [first(100), half('p', inside)],
    lines: [[0], [1, 2]],
    net: 280,
  },
  {
    about: 'the lines that no percentage looks at, where they hold more',
    prices: [60, 500, -100],
    benefits: (inside) => [first(80), half('p', inside)],
    lines: [[2], [0, 1]],
    net: 20 + 280,
  },
  {
    about: 'with what is missing the cheapest line that holds it, in basket order',
    prices: [500, 60, 200, -100],
    benefits: (inside) => [first(150), half('p', inside)],
    lines: [
      [1, 3],
      [0, 1, 2],
    ],
    // 94 and 56 of 100 and 60.
    net: 6 + (4 + 700) / 2,
  },
  {
    about: 'with what is missing no line that holds less',
    prices: [-100, 20, 60, 500],
    benefits: (inside) => [first(150), half('p', inside)],
    lines: [
      [0, 2],
      [1, 2, 3],
    ],
    net: 6 + (20 + 4 + 500) / 2,
  },
  {
    about: 'with what is missing a line that holds just that',
    prices: [-100, 50, 500],
    benefits: (inside) => [first(150), half('p', inside)],
    lines: [
      [0, 1],
      [1, 2],
    ],
    net: 250,
  },
  {
    about: 'with what is missing the first of two lines that cost the same',
    prices: [-100, 60, 60],
    benefits: (inside) => [first(150), half('p', inside)],
    lines: [
      [0, 1],
      [1, 2],
    ],
    net: 6 + (4 + 60) / 2,
  },
  {
    about: 'with what is missing another line, also where its own is cheaper',
    prices: [-100, 120, 500],
    benefits: (inside) => [first(150), half('p', inside)],
    lines: [
      [0, 1],
      [1, 2],
    ],
    // 68 and 82 of 100 and 120.
    net: 32 + (38 + 500) / 2,
  },
  {
    about: 'all lines where no other holds what is missing',
    prices: [-10, 20, 20],
    benefits: (inside) => [first(45), half('p', inside)],
    lines: [
      [0, 1, 2],
      [1, 2],
    ],
    net: 1 + 2,
  },
  {
    about: 'all lines where that leaves as little',
    prices: [-100, 1],
    benefits: (inside) => [first(10), aShare('p', 1, { ...onTop, ...inside })],
    lines: [[0, 1]],
    net: 91,
  },
  {
    about: 'the lines of the percentages for a second amount that finds nothing left beside them',
    prices: [-100, 300, 500],
    benefits: (inside) => [first(100), anAmount('b', 80, onTop), half('p', inside)],
    lines: [[0], [1, 2], [1, 2]],
    net: 360,
  },
  {
    about: 'all lines for an amount behind the percentages',
    prices: [-100, 300, 500],
    benefits: (inside) => [first(60), half('p', inside), anAmount('z', 30, onTop)],
    lines: [[0], [1, 2], [0, 1, 2]],
    net: 40 + 400 - 30,
  },
  {
    about: 'the lines that none of two percentages looks at',
    prices: [-100, 300, 500],
    benefits: (inside) => [first(60), half('p', inside), half('q', inside)],
    lines: [[0], [1, 2], [1, 2]],
    net: 40 + 200,
  },
]

for (const { about, prices, benefits, lines, net } of besides) {
  t.test(`an amount that comes first takes ${about}`, async (t) => {
    const inside = { products: prices.flatMap((price, at) => (price > 0 ? [`product-${at}`] : [])) }
    const choice = chosenOver(
      prices.map((price) => ({ price: Math.abs(price) })),
      benefits(inside),
    )
    t.same(
      choice.plan.uses.map((use) => use.lines),
      lines,
    )
    t.equal(choice.net, net)
  })
}
