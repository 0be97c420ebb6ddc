import t from 'tap'
import { percentageOf } from '../../../../engine/core/base/money.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, type LineSketch, percent, price } from '../builders.js'

const top = { combination: 'stackable' } as const

/** Adds lines that change nothing: small baskets are enumerated. */
function alone(lines: readonly LineSketch[]) {
  return aBasket([...lines, ...Array.from({ length: 9 }, () => ({ price: 1, noDiscount: true }))])
}

function maximumOn(products: readonly string[], percentage: number, maximumAmount: number) {
  const select = { productIds: [...products] }
  return aBenefit('m', { kind: 'line_percentage', select, percentage: percent(percentage), maximumAmount }, top)
}

t.test('a maximum on top stands where no later percentage shrinks what it brings', async (t) => {
  const later = { kind: 'line_percentage', select: { productIds: ['a'] }, percentage: percent(30) } as const
  const benefits = [maximumOn(['a', 'b'], 50, 50), aBenefit('p', later, top)]
  const lines = [
    { product: 'a', price: 100 },
    { product: 'b', price: 100 },
  ]
  t.match(price(alone(lines), benefits), { value: 80, optimal: true })
})

t.test('a maximum on top of lines that a group ties is proven, the group taking what it leaves', async (t) => {
  const select = { productIds: ['a', 'b', 'c'] }
  const group = {
    kind: 'buy_get',
    buy: { select, quantity: 1 },
    get: { select, quantity: 1, percentage: percent(100) },
  } as const
  const lines = [
    { product: 'a', price: 1000 },
    { product: 'b', price: 990 },
    { product: 'c', price: 400 },
  ]
  // b for nothing; half of a and c is 700, and 600 may go.
  t.match(price(alone(lines), [aBenefit('g', group), maximumOn(['a', 'b', 'c'], 50, 600)]), {
    value: 1590,
    optimal: true,
  })
  // b for nothing leaves 400 to take half of: 200 less than a, where c is the free unit.
  t.match(price(alone(lines), [aBenefit('g', group), maximumOn(['b', 'c'], 50, 600)]), { value: 1190, optimal: true })
})

t.test('a maximum below an amount off is bounded by itself where nothing may be searched', async (t) => {
  const later = { kind: 'line_amount', amount: 30, per: 'line', select: { productIds: ['a'] } } as const
  const lines = [
    { product: 'a', price: 100 },
    { product: 'b', price: 100 },
  ]
  // Half of b, which is all of the maximum, and 30 off a.
  const { value, gap } = price(aBasket(lines), [maximumOn(['a', 'b'], 50, 50), aBenefit('p', later, top)], {
    stepsMax: 0,
  })
  t.ok(value <= 80 && 80 <= value + gap, `${value} and at most ${gap} more`)
})

t.test('two maxima on one line are proven, each for what it has there', async (t) => {
  const second = {
    kind: 'line_percentage',
    select: { productIds: ['a'] },
    percentage: percent(20),
    maximumAmount: 100,
  } as const
  const benefits = [maximumOn(['a', 'b'], 50, 300), aBenefit('n', second, top)]
  const lines = [
    { product: 'a', price: 1000 },
    { product: 'b', price: 1000 },
  ]
  t.match(price(alone(lines), benefits), { value: 400, optimal: true })
})

t.test('the rest that a maximum leaves to one on top is computed', async (t) => {
  const select = { productIds: ['a', 'c'] }
  const below = { kind: 'line_percentage', select, percentage: percent(50), maximumAmount: 300 } as const
  const lines = [
    { product: 'a', price: 1000 },
    { product: 'b', price: 200 },
    { product: 'c', price: 10 },
  ]
  // 297 of a and 3 of c: 281 of the 703 that a still costs, and 80 of b.
  t.match(price(alone(lines), [maximumOn(['a', 'b'], 40, 500), aBenefit('n', below)]), { value: 661, optimal: true })
})

t.test('the rest that a bundle leaves to a maximum on top is proven', async (t) => {
  const components = ['a', 'c'].map((product) => ({ select: { productIds: [product] }, quantity: 1 }))
  const bundle = aBenefit('x', { kind: 'bundle_price', components, price: 100 })
  const lines = [
    { product: 'a', price: 990 },
    { product: 'b', price: 400 },
    { product: 'c', price: 100, quantity: 2 },
  ]
  // 990 by the bundle; then a and c cost 200: 80 of these go, and not the 300 that there is.
  t.match(price(alone(lines), [maximumOn(['a', 'c'], 40, 300), bundle]), { value: 1070, optimal: true })
})

t.test('the gain of a spread maximum by roundings under a later percentage is never denied', async (t) => {
  for (const [prices, maximum, best] of [
    [[45, 58, 71, 84], 8, 109],
    [[93, 16, 29, 42], 11, 80],
  ] as const) {
    const lines = prices.map((each, at) => ({ product: 'abcd'[at]!, price: each }))
    const products = lines.map(({ product }) => product)
    const later = { kind: 'line_percentage', select: { productIds: products }, percentage: percent(40) } as const
    const benefits = [maximumOn(products, 40, maximum), aBenefit('p', later, top)]
    t.match(price(alone(lines), benefits), { value: best, optimal: true })
  }
})

t.test('a maximum of nothing is not applied: it is on no line, uses no limit, and beats no benefit', async (t) => {
  const once = [{ limitId: 'l', scope: 'member', period: 'day', counts: 'baskets', maximum: 1 }] as const
  const nothing = { kind: 'line_percentage', percentage: percent(99), maximumAmount: 0 } as const
  const half = aBenefit('b', { kind: 'line_percentage', percentage: percent(50) }, top)
  const { benefits, value, wants } = price(aBasket([{ price: 100 }]), [
    aBenefit('a', nothing, { ...top, limits: once }),
    half,
  ])
  t.match({ value, wants }, { value: 50, wants: [] })
  t.equal(wants.length, 0)
  t.match(benefits[0], { benefitId: 'a', dropped: { stage: 'existing_discount_kept' }, value: 0 })
})

t.test('a maximum amount is taken on lines that no percentage comes after, on forty lines too', async (t) => {
  const lines = Array.from({ length: 40 }, (_, at) => ({
    group: at % 2 ? 'odd' : 'even',
    quantity: 2,
    price: 100 + 7 * at,
  }))
  const capped = aBenefit('a', { kind: 'line_percentage', percentage: percent(30), maximumAmount: 500 })
  const select = { productGroupIds: ['even'] }
  const after = aBenefit(
    'b',
    { kind: 'line_percentage', select, percentage: percent(11) },
    { combination: 'stackable' },
  )
  const even = lines.filter(({ group }) => group === 'even')
  const full = even.reduce((sum, { price }) => sum + percentageOf(percent(11), 2 * price), 0)
  t.equal(price(aBasket(lines), [capped, after], { stepsMax: 12_000 }).value, 500 + full)
})

t.test('a maximum on top that other lines exhaust leaves no line without its own discounts', async (t) => {
  const bundle = aBenefit(
    'b',
    {
      kind: 'bundle_price',
      components: [{ select: { productIds: ['b'] }, quantity: 2 }, { quantity: 2 }],
      price: 1,
    },
    { existingDiscounts: 'add' },
  )
  const top = aBenefit(
    's',
    { kind: 'line_percentage', percentage: percent(100), maximumAmount: 2 },
    { combination: 'stackable' },
  )
  const weighed = { product: 'c', quantity: 0.125, price: 100 }
  const result = price(aBasket([{ product: 'b', quantity: 4, price: 10, own: [10] }, weighed]), [bundle, top])
  t.match([result.value, result.optimal], [31, true])
  const order = aBenefit('o', { kind: 'order_amount', select: { productIds: ['c'] }, amount: 3 })
  const joint = price(aBasket([{ product: 'b', quantity: 4, price: 10, own: [10] }, weighed]), [bundle, top, order])
  t.match([joint.value, joint.optimal], [34, true])
})

/** Two bundles whose first lines lose an own discount to a maximum amount that suffices for one. */
const shared: readonly LineSketch[] = [
  { product: 'a', price: 10_000, own: [1] },
  { product: 'b' },
  { product: 'c', price: 100, own: [1] },
  { product: 'd' },
]
const maximumOnTop = aBenefit(
  's',
  { kind: 'line_percentage', select: { productIds: ['a', 'c'] }, percentage: percent(50), maximumAmount: 2 },
  { combination: 'stackable' },
)
const sharing = [bundleOf('x', ['a', 'b'], 10_500), bundleOf('y', ['c', 'd'], 600), maximumOnTop]

function bundleOf(benefitId: string, products: readonly string[], bundlePrice: number): Benefit {
  const components = products.map((product) => ({ select: { productIds: [product] }, quantity: 1 }))
  return aBenefit(benefitId, { kind: 'bundle_price', components, price: bundlePrice }, { existingDiscounts: 'add' })
}

t.test('a maximum on top that two bundles count on, and only one can have, leaves both bundles whole', async (t) => {
  const { value, optimal, benefits } = price(alone(shared), sharing)
  t.match({ value, optimal }, { value: 1000, optimal: true })
  const placesOf = (id: string) => benefits.find(({ benefitId }) => benefitId === id)!.lines.map(({ line }) => line)
  t.strictSame(['x', 'y'].map(placesOf), [
    [0, 1],
    [2, 3],
  ])
  t.equal(placesOf('s').length, 1)
})

t.test(
  'two bundles that count on one maximum on top are bounded below an order discount that separates them',
  async (t) => {
    for (const [products, best] of [
      [['a'], 1955],
      [['b', 'c'], 1101],
    ] as const) {
      const order = aBenefit('o', {
        kind: 'order_percentage',
        select: { productIds: products },
        percentage: percent(10),
      })
      t.match(price(aBasket(shared), [...sharing, order]), { value: best, optimal: true })
      const { value, gap } = price(alone(shared), [...sharing, order])
      t.ok(value <= best && best <= value + gap, `${value} and ${gap}`)
    }
  },
)

t.test('the gain of maxima on top by taking own discounts off is in the bound', async (t) => {
  const top = { combination: 'stackable' } as const
  const adding = { existingDiscounts: 'add' } as const
  const select = { productIds: ['a'] }
  const one = { limitId: 'one', scope: 'everyone', period: 'ever', counts: 'units', maximum: 1 } as const
  const whole = percent(100)
  const benefits = [
    aBenefit('s1', { kind: 'line_percentage', percentage: whole, select, maximumAmount: 2 }, top),
    aBenefit(
      's2',
      { kind: 'line_percentage', percentage: percent(10), select, maximumAmount: 20 },
      { ...top, ...adding },
    ),
    aBenefit('third', { kind: 'line_percentage', percentage: percent(33) }, { ...adding, limits: [one] }),
    bundleOf('two', ['a', 'b'], 1),
  ]
  const lines: LineSketch[] = [
    { product: 'a', price: 999, quantity: 3, own: [1] },
    { product: 'b', price: 7, own: [3] },
  ]
  t.match(price(aBasket(lines), benefits), { value: 1353, optimal: true })
  const { value, gap } = price(alone(lines), benefits)
  t.ok(value <= 1353 && 1353 <= value + gap, `${value} and ${gap}`)
})

t.test('maxima on top are counted on their own lines where an order discount separates these', async (t) => {
  const top = { combination: 'stackable' } as const
  const [a, b] = ['a', 'b'].map((product) => ({ select: { productIds: [product] } }))
  const benefits = [
    aBenefit('s1', { kind: 'line_percentage', percentage: percent(100), ...b!, maximumAmount: 20 }, top),
    aBenefit('order', { kind: 'order_percentage', percentage: percent(10), ...a! }),
    aBenefit(
      's2',
      { kind: 'line_percentage', percentage: percent(50), ...a!, maximumAmount: 5 },
      { ...top, existingDiscounts: 'add' },
    ),
    aBenefit('get', {
      kind: 'buy_get',
      buy: { ...b!, quantity: 1 },
      get: { ...b!, quantity: 1, percentage: percent(100) },
    }),
  ]
  const lines: LineSketch[] = [
    { product: 'a', price: 100, own: [1] },
    { product: 'b', price: 7, quantity: 3 },
  ]
  t.match(price(aBasket(lines), benefits), { value: 35, optimal: true })
  const free = Array.from({ length: 9 }, () => ({ price: 0, noDiscount: true }))
  const { value, gap } = price(aBasket([...lines, ...free]), benefits)
  t.ok(value <= 35 && 35 <= value + gap, `${value} and ${gap}`)
})
