import t from 'tap'
import type { Benefit } from '../../../engine/core/base/programme.js'
import { chooseOrders, orderBound } from '../../../engine/core/order/choose-orders.js'
import { aBasket, aBenefit, type LineSketch, percent } from './builders.js'
import { offersOf } from './offers-of.js'

const stackable: Partial<Benefit> = { combination: 'stackable' }
const add: Partial<Benefit> = { existingDiscounts: 'add' }
type Sketch = Partial<Benefit> & { readonly products?: readonly string[] }
const on = (productIds: readonly string[]) => (productIds.length === 0 ? {} : { select: { productIds } })

function amount(benefitId: string, off: number, { products = [], ...overrides }: Sketch = {}): Benefit {
  return aBenefit(benefitId, { kind: 'order_amount', amount: off, ...on(products) }, overrides)
}

function share(benefitId: string, value: number, { products = [], ...overrides }: Sketch = {}): Benefit {
  return aBenefit(benefitId, { kind: 'order_percentage', percentage: percent(value), ...on(products) }, overrides)
}

/** The order level chosen for lines without earlier discounts, and what none leaves less than. */
function chosen(lines: readonly LineSketch[], benefits: readonly Benefit[]) {
  const { basis, offers, hasOrderDiscounts } = offersOf(aBasket(lines), benefits)
  const isStack = (offer: (typeof offers)[number]) => offer.benefit.combination === 'stackable'
  const rests = basis.lines.map(({ gross }) => gross)
  const orderOffers = { normals: offers.filter((offer) => !isStack(offer)), stacks: offers.filter(isStack) }
  const choice = chooseOrders(basis, rests, { ...orderOffers, hasOrderDiscounts })
  return { ...choice, netBound: orderBound(basis, rests, { ...orderOffers, hasOrderDiscounts }) }
}

function summary({ plan, net, netBound }: ReturnType<typeof chosen>) {
  return { off: plan.off, uses: plan.uses.map(({ offer }) => offer.benefit.benefitId), net, netBound }
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
}

const cases: readonly Case[] = [
  {
    about: 'no offers, the lines as they are',
    lines: two,
    benefits: [],
    expected: { off: false, uses: [], net: 1500, netBound: 1500 },
  },
  {
    about: 'the largest of several, wherever it stands',
    lines: two,
    benefits: [amount('a', 200), amount('b', 400), amount('c', 300)],
    expected: { off: false, uses: ['b'], net: 1100, netBound: 1100 },
  },
  {
    about: 'the smaller id of two equal ones',
    lines: two,
    benefits: [amount('a', 300), amount('b', 300)],
    expected: { off: false, uses: ['a'], net: 1200, netBound: 1200 },
  },
  {
    about: 'the higher priority of two equal ones',
    lines: two,
    benefits: [amount('a', 300), amount('b', 300, { priority: 1 })],
    expected: { off: false, uses: ['b'], net: 1200, netBound: 1200 },
  },
  {
    about: 'nothing where lines cost nothing',
    lines: [{ price: 0 }],
    benefits: [amount('a', 300), amount('b', 400, { priority: 1 })],
    expected: { off: false, uses: [], net: 0, netBound: 0 },
  },
  {
    about: 'no stackable ones where lines cost nothing',
    lines: [{ price: 0 }],
    benefits: [amount('a', 300, stackable), share('b', 50, stackable)],
    expected: { off: false, uses: [], net: 0, netBound: 0 },
  },
  {
    about: 'stackable ones over the same lines, proven',
    lines: two,
    benefits: [share('a', 10, stackable), share('b', 50, stackable)],
    expected: { off: false, uses: ['a', 'b'], net: 675, netBound: 675 },
  },
  {
    about: 'the normal one that leaves least with the stackable one',
    lines: two,
    benefits: [amount('a', 100), amount('b', 500), amount('c', 200), share('d', 50, stackable)],
    expected: { off: false, uses: ['b', 'd'], net: 500, netBound: 500 },
  },
  {
    about: 'the first of two normal ones that leave the same',
    lines: two,
    benefits: [amount('a', 500), amount('b', 500), share('c', 50, stackable)],
    expected: { off: false, uses: ['a', 'c'], net: 500, netBound: 500 },
  },
  {
    about: 'an amount before a percentage, proven where it has no line to itself',
    lines: two,
    benefits: [amount('a', 100, { ...stackable, products: ['a'] }), share('b', 10, stackable)],
    expected: { off: false, uses: ['a', 'b'], net: 1260, netBound: 1260 },
  },
  {
    about: 'stackable ones over as many lines that are others, with a bound that allows for roundings',
    lines: [...two, { product: 'c', price: 100 }],
    benefits: [
      share('a', 10, { ...stackable, products: ['a', 'b'] }),
      share('b', 10, { ...stackable, products: ['a', 'c'] }),
    ],
    expected: { off: false, uses: ['a', 'b'], net: 1350, netBound: 1344 },
  },
  {
    about: 'stackable ones that together could take more than there is, with a bound of nothing left',
    lines: two,
    benefits: [amount('a', 1000, { ...stackable, products: ['a'] }), amount('b', 1500, stackable)],
    expected: { off: false, uses: ['a', 'b'], net: 0, netBound: 0 },
  },
  {
    about: 'the discount of the POS that stays where nothing replaces it',
    lines: discounted,
    benefits: [share('a', 10, add)],
    expected: { off: false, uses: ['a'], net: 1080, netBound: 1080 },
  },
  {
    about: 'the discount of the POS that stays where replacing leaves as much',
    lines: discounted,
    benefits: [share('a', 20)],
    expected: { off: false, uses: [], net: 1200, netBound: 1200 },
  },
  {
    about: 'the discount of the POS that stays where replacing leaves more',
    lines: discounted,
    benefits: [share('a', 19)],
    expected: { off: false, uses: [], net: 1200, netBound: 1200 },
  },
  {
    about: 'the discount of the POS taken off where replacing leaves less',
    lines: discounted,
    benefits: [share('a', 21)],
    expected: { off: true, uses: ['a'], net: 1185, netBound: 1185 },
  },
  {
    about: 'the discount of the POS taken off by a stackable one, though the normal one adds',
    lines: discounted,
    benefits: [share('a', 10, add), share('b', 40, stackable)],
    expected: { off: true, uses: ['a', 'b'], net: 810, netBound: 810 },
  },
  {
    about: 'the discount of the POS taken off by the normal one, with a stackable one that adds',
    lines: discounted,
    benefits: [share('a', 40), share('b', 10, { ...stackable, ...add })],
    expected: { off: true, uses: ['a', 'b'], net: 810, netBound: 810 },
  },
  {
    about: 'the discount of the POS taken off by one normal one of two',
    lines: discounted,
    benefits: [share('a', 5, add), share('b', 40)],
    expected: { off: true, uses: ['b'], net: 900, netBound: 900 },
  },
  {
    about: 'the discount of the POS taken off by one stackable one of two',
    lines: discounted,
    benefits: [share('a', 10, { ...stackable, ...add }), share('b', 40, stackable)],
    expected: { off: true, uses: ['a', 'b'], net: 810, netBound: 810 },
  },
  {
    about: 'stackable ones of which the later takes fewer lines, with a bound that allows for roundings',
    lines: two,
    benefits: [share('a', 10, stackable), share('b', 10, { ...stackable, products: ['a'] })],
    expected: { off: false, uses: ['a', 'b'], net: 1260, netBound: 1255 },
  },
  {
    about: 'three stackable ones of which one differs, with a bound that allows for roundings',
    lines: two,
    benefits: [share('a', 10, stackable), share('b', 10, stackable), share('c', 10, { ...stackable, products: ['a'] })],
    expected: { off: false, uses: ['a', 'b', 'c'], net: 1134, netBound: 1126 },
  },
  {
    about: 'the first of two normal ones that leave the same, though the second could have left less',
    lines: priced(100, 30, 20),
    benefits: [
      amount('a', 10, { products: ['a'] }),
      amount('b', 20, { products: ['c'] }),
      share('y', 50, { ...stackable, products: ['c'] }),
      amount('z', 30, { ...stackable, products: ['a', 'c'] }),
    ],
    expected: { off: false, uses: ['a', 'y', 'z'], net: 100, netBound: 90 },
  },
  {
    about: 'the first of two normal ones that leave the same, where both could have left less',
    lines: priced(100, 30, 50),
    benefits: [
      share('a', 20, { products: ['a'] }),
      amount('b', 20, { products: ['c'] }),
      share('y', 50, { ...stackable, products: ['a', 'c'] }),
      share('z', 10, { ...stackable, products: ['b'] }),
    ],
    expected: { off: false, uses: ['a', 'y', 'z'], net: 92, netBound: 73 },
  },
  {
    about: 'the first of two normal ones that are alike, where both could have left less',
    lines: priced(50, 50, 20),
    benefits: [
      share('a', 20, { products: ['b'] }),
      share('b', 20, { products: ['b'] }),
      share('y', 10, { ...stackable, products: ['a', 'c'] }),
    ],
    expected: { off: false, uses: ['a', 'y'], net: 103, netBound: 97 },
  },
  {
    about: 'the normal one that leaves least, though another could have left less',
    lines: priced(50, 10, 30),
    benefits: [
      share('a', 10, { products: ['c'] }),
      amount('b', 5, { products: ['b', 'c'] }),
      share('y', 20, { ...stackable, products: ['a'] }),
    ],
    expected: { off: false, uses: ['b', 'y'], net: 75, netBound: 71 },
  },
  {
    about: 'the normal one that leaves least, though an earlier one could have left as little',
    lines: priced(20, 10, 20),
    benefits: [
      amount('a', 10),
      amount('b', 20, { products: ['a', 'b'] }),
      amount('y', 30, { ...stackable, products: ['c'] }),
    ],
    expected: { off: false, uses: ['b', 'y'], net: 10, netBound: 0 },
  },
  {
    about: 'an amount beside the discount of the POS, no more than is left',
    lines: [{ product: 'a', price: 1000, allocations: { staff: 900 } }],
    benefits: [amount('a', 500, add)],
    expected: { off: false, uses: ['a'], net: 0, netBound: 0 },
  },
]

for (const { about, lines, benefits, expected } of cases) {
  t.test(`chooses ${about}`, async (t) => {
    t.same(summary(chosen(lines, benefits)), expected)
  })
}

interface Beside {
  readonly about: string
  /** Prices of lines; negative: no percentage applies to the line. */
  readonly prices: readonly number[]
  readonly benefits: (inside: { readonly products: readonly string[] }) => readonly Benefit[]
  /** The lines of each benefit used, in their order. */
  readonly lines: readonly (readonly number[])[]
  readonly net: number
}

const half = (benefitId: string, inside: Sketch) => share(benefitId, 50, { ...stackable, ...inside })
const first = (off: number) => amount('a', off, stackable)

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
    benefits: (inside) => [first(10), share('p', 1, { ...stackable, ...inside })],
    lines: [[0, 1]],
    net: 91,
  },
  {
    about: 'the lines of the percentages for a second amount that finds nothing left beside them',
    prices: [-100, 300, 500],
    benefits: (inside) => [first(100), amount('b', 80, stackable), half('p', inside)],
    lines: [[0], [1, 2], [1, 2]],
    net: 360,
  },
  {
    about: 'all lines for an amount behind the percentages',
    prices: [-100, 300, 500],
    benefits: (inside) => [first(60), half('p', inside), amount('z', 30, stackable)],
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
    const choice = chosen(
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
