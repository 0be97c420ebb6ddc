import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import type { OrderChoice } from '../../../../engine/core/order/choose-orders.js'
import type { LineSketch } from '../builders.js'
import { anAmount, aShare, chosenOver } from './order-offers.js'

const stackable: Partial<Benefit> = { combination: 'stackable' }
const add: Partial<Benefit> = { existingDiscounts: 'add' }

function summary({ plan, net }: OrderChoice) {
  return { off: plan.off, uses: plan.uses.map(({ offer }) => offer.benefit.benefitId), net }
}

const two: readonly LineSketch[] = [
  { product: 'a', price: 1000 },
  { product: 'b', price: 500 },
]
/** Products a, b, c at these prices. */
const priced = (...prices: number[]): LineSketch[] => prices.map((price, at) => ({ product: 'abc'[at]!, price }))
/** The same, with an order discount of the POS of 300 on the first line. */
const discounted = two.map((line, at) => (at === 0 ? { ...line, allocations: { staff: 300 } } : line))

interface Case {
  readonly about: string
  readonly lines: readonly LineSketch[]
  readonly benefits: readonly Benefit[]
  readonly expected: ReturnType<typeof summary>
  /** The bound is no lower than this; absent: it is the net itself. */
  readonly boundMin?: number
}

const cases: readonly Case[] = [
  {
    about: 'no offers, the lines as they are',
    lines: two,
    benefits: [],
    expected: { off: false, uses: [], net: 1500 },
  },
  {
    about: 'the largest of several, wherever it stands',
    lines: two,
    benefits: [anAmount('a', 200), anAmount('b', 400), anAmount('c', 300)],
    expected: { off: false, uses: ['b'], net: 1100 },
  },
  {
    about: 'the smaller id of two equal ones',
    lines: two,
    benefits: [anAmount('a', 300), anAmount('b', 300)],
    expected: { off: false, uses: ['a'], net: 1200 },
  },
  {
    about: 'the higher priority of two equal ones',
    lines: two,
    benefits: [anAmount('a', 300), anAmount('b', 300, { priority: 1 })],
    expected: { off: false, uses: ['b'], net: 1200 },
  },
  {
    about: 'nothing where lines cost nothing',
    lines: [{ price: 0 }],
    benefits: [anAmount('a', 300), anAmount('b', 400, { priority: 1 })],
    expected: { off: false, uses: [], net: 0 },
  },
  {
    about: 'no stackable ones where lines cost nothing',
    lines: [{ price: 0 }],
    benefits: [anAmount('a', 300, stackable), aShare('b', 50, stackable)],
    expected: { off: false, uses: [], net: 0 },
  },
  {
    about: 'stackable ones over the same lines, proven',
    lines: two,
    benefits: [aShare('a', 10, stackable), aShare('b', 50, stackable)],
    expected: { off: false, uses: ['a', 'b'], net: 675 },
  },
  {
    about: 'the normal one that leaves least with the stackable one',
    lines: two,
    benefits: [anAmount('a', 100), anAmount('b', 500), anAmount('c', 200), aShare('d', 50, stackable)],
    expected: { off: false, uses: ['b', 'd'], net: 500 },
  },
  {
    about: 'the first of two normal ones that leave the same',
    lines: two,
    benefits: [anAmount('a', 500), anAmount('b', 500), aShare('c', 50, stackable)],
    expected: { off: false, uses: ['a', 'c'], net: 500 },
  },
  {
    about: 'an amount before a percentage, proven where it has no line to itself',
    lines: two,
    benefits: [anAmount('a', 100, { ...stackable, products: ['a'] }), aShare('b', 10, stackable)],
    expected: { off: false, uses: ['a', 'b'], net: 1260 },
  },
  {
    about: 'stackable ones over as many lines that are others, with a bound that allows for roundings',
    lines: [...two, { product: 'c', price: 100 }],
    benefits: [
      aShare('a', 10, { ...stackable, products: ['a', 'b'] }),
      aShare('b', 10, { ...stackable, products: ['a', 'c'] }),
    ],
    expected: { off: false, uses: ['a', 'b'], net: 1350 },
    boundMin: 1344,
  },
  {
    about: 'stackable ones that together could take more than there is, with a bound of nothing left',
    lines: two,
    benefits: [anAmount('a', 1000, { ...stackable, products: ['a'] }), anAmount('b', 1500, stackable)],
    expected: { off: false, uses: ['a', 'b'], net: 0 },
  },
  {
    about: 'the discount of the POS that stays where nothing replaces it',
    lines: discounted,
    benefits: [aShare('a', 10, add)],
    expected: { off: false, uses: ['a'], net: 1080 },
  },
  {
    about: 'the discount of the POS that stays where replacing leaves as much',
    lines: discounted,
    benefits: [aShare('a', 20)],
    expected: { off: false, uses: [], net: 1200 },
  },
  {
    about: 'the discount of the POS that stays where replacing leaves more',
    lines: discounted,
    benefits: [aShare('a', 19)],
    expected: { off: false, uses: [], net: 1200 },
  },
  {
    about: 'the discount of the POS taken off where replacing leaves less',
    lines: discounted,
    benefits: [aShare('a', 21)],
    expected: { off: true, uses: ['a'], net: 1185 },
  },
  {
    about: 'the discount of the POS taken off by a stackable one, though the normal one adds',
    lines: discounted,
    benefits: [aShare('a', 10, add), aShare('b', 40, stackable)],
    expected: { off: true, uses: ['a', 'b'], net: 810 },
  },
  {
    about: 'the discount of the POS taken off by the normal one, with a stackable one that adds',
    lines: discounted,
    benefits: [aShare('a', 40), aShare('b', 10, { ...stackable, ...add })],
    expected: { off: true, uses: ['a', 'b'], net: 810 },
  },
  {
    about: 'the discount of the POS that stays beside a stackable one that adds',
    lines: discounted,
    benefits: [aShare('b', 20, { ...stackable, ...add })],
    expected: { off: false, uses: ['b'], net: 960 },
  },
  {
    about: 'the discount of the POS that stays where a stackable one would replace it and leave more',
    lines: discounted,
    benefits: [aShare('a', 30, add), aShare('b', 5, stackable)],
    expected: { off: false, uses: ['a'], net: 840 },
  },
  {
    about: 'stackable ones each over lines of its own',
    lines: two,
    benefits: [
      anAmount('a', 1000, { ...stackable, products: ['a'] }),
      aShare('b', 100, { ...stackable, products: ['b'] }),
    ],
    expected: { off: false, uses: ['a', 'b'], net: 0 },
  },
  {
    about: 'the discount of the POS taken off by one normal one of two',
    lines: discounted,
    benefits: [aShare('a', 5, add), aShare('b', 40)],
    expected: { off: true, uses: ['b'], net: 900 },
  },
  {
    about: 'the discount of the POS taken off by one stackable one of two',
    lines: discounted,
    benefits: [aShare('a', 10, { ...stackable, ...add }), aShare('b', 40, stackable)],
    expected: { off: true, uses: ['a', 'b'], net: 810 },
  },
  {
    about: 'stackable ones of which the later takes fewer lines, with a bound that allows for roundings',
    lines: two,
    benefits: [aShare('a', 10, stackable), aShare('b', 10, { ...stackable, products: ['a'] })],
    expected: { off: false, uses: ['a', 'b'], net: 1260 },
    boundMin: 1255,
  },
  {
    about: 'three stackable ones of which one differs, with a bound that allows for roundings',
    lines: two,
    benefits: [
      aShare('a', 10, stackable),
      aShare('b', 10, stackable),
      aShare('c', 10, { ...stackable, products: ['a'] }),
    ],
    expected: { off: false, uses: ['a', 'b', 'c'], net: 1134 },
    boundMin: 1126,
  },
  {
    about: 'the first of two normal ones that leave the same, though the second could have left less',
    lines: priced(100, 30, 20),
    benefits: [
      anAmount('a', 10, { products: ['a'] }),
      anAmount('b', 20, { products: ['c'] }),
      aShare('y', 50, { ...stackable, products: ['c'] }),
      anAmount('z', 30, { ...stackable, products: ['a', 'c'] }),
    ],
    expected: { off: false, uses: ['a', 'y', 'z'], net: 100 },
    boundMin: 90,
  },
  {
    about: 'the first of two normal ones that leave the same, where both could have left less',
    lines: priced(100, 30, 50),
    benefits: [
      aShare('a', 20, { products: ['a'] }),
      anAmount('b', 20, { products: ['c'] }),
      aShare('y', 50, { ...stackable, products: ['a', 'c'] }),
      aShare('z', 10, { ...stackable, products: ['b'] }),
    ],
    expected: { off: false, uses: ['a', 'y', 'z'], net: 92 },
    boundMin: 73,
  },
  {
    about: 'the first of two normal ones that are alike, where both could have left less',
    lines: priced(50, 50, 20),
    benefits: [
      aShare('a', 20, { products: ['b'] }),
      aShare('b', 20, { products: ['b'] }),
      aShare('y', 10, { ...stackable, products: ['a', 'c'] }),
    ],
    expected: { off: false, uses: ['a', 'y'], net: 103 },
    boundMin: 97,
  },
  {
    about: 'the normal one that leaves least, though another could have left less',
    lines: priced(50, 10, 30),
    benefits: [
      aShare('a', 10, { products: ['c'] }),
      anAmount('b', 5, { products: ['b', 'c'] }),
      aShare('y', 20, { ...stackable, products: ['a'] }),
    ],
    expected: { off: false, uses: ['b', 'y'], net: 75 },
    boundMin: 71,
  },
  {
    about: 'the normal one that leaves least, though an earlier one could have left as little',
    lines: priced(20, 10, 20),
    benefits: [
      anAmount('a', 10),
      anAmount('b', 20, { products: ['a', 'b'] }),
      anAmount('y', 30, { ...stackable, products: ['c'] }),
    ],
    expected: { off: false, uses: ['b', 'y'], net: 10 },
    boundMin: 0,
  },
  {
    about: 'an amount beside the discount of the POS, no more than is left',
    lines: [{ product: 'a', price: 1000, allocations: { staff: 900 } }],
    benefits: [anAmount('a', 500, add)],
    expected: { off: false, uses: ['a'], net: 0 },
  },
]

for (const { about, lines, benefits, expected, boundMin = expected.net } of cases) {
  t.test(`chooses ${about}`, async (t) => {
    const choice = chosenOver(lines, benefits)
    t.same(summary(choice), expected)
    t.ok(choice.netBound >= boundMin && choice.netBound <= choice.net, `${choice.netBound} for ${choice.net}`)
  })
}
