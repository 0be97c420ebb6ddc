import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, type LineSketch, percent, price } from '../builders.js'

const stackable: Partial<Benefit> = { combination: 'stackable' }

/** A basket too large to be enumerated. */
const twelve = (unitPrice: number, others: Partial<LineSketch> = {}): LineSketch[] =>
  Array.from({ length: 12 }, (_, at) => ({ product: `p${at}`, price: unitPrice, ...others }))

const off = (value: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(`off-${value}`, { kind: 'line_percentage', percentage: percent(value) }, overrides)
const orderOff = (value: number, overrides: Partial<Benefit> = {}) =>
  aBenefit(`order-off-${value}`, { kind: 'order_percentage', percentage: percent(value) }, overrides)
/** A discount on the first `count` lines. */
const someOff = (value: number, count: number) =>
  aBenefit(`some-off-${value}`, {
    kind: 'order_percentage',
    percentage: percent(value),
    select: { productIds: Array.from({ length: count }, (_, at) => `p${at}`) },
  })

const pair = (bundlePrice: number) =>
  aBenefit('pair', {
    kind: 'bundle_price',
    components: ['p0', 'p1'].map((product) => ({ select: { productIds: [product] }, quantity: 1 })),
    price: bundlePrice,
  })

const upTo = (benefitId: string, value: number, maximumAmount: number) =>
  aBenefit(benefitId, { kind: 'line_percentage', percentage: percent(value), maximumAmount }, stackable)

t.test('an outcome proven with its maximum amounts is not searched again without them', async (t) => {
  const result = price(aBasket(twelve(1000)), [upTo('a', 20, 1000)])
  t.match(result, { value: 1000, optimal: true })
  t.ok(result.steps > 0 && result.steps <= 10 * 12, `${result.steps} steps`)
})

t.test('a large basket in which maximum amounts are shared out is worth as much at every budget', async (t) => {
  const benefits = [upTo('a', 20, 1000), upTo('b', 30, 700), off(50)]
  for (const stepsMax of [200_000, 300, 100, 30, 10, 0]) {
    t.match(price(aBasket(twelve(1000, { own: [100] })), benefits, { stepsMax }), { value: 6500 }, `${stepsMax} steps`)
  }
})

t.test('own discounts that would go for a maximum amount stay where a bundle leaves nothing of it', async (t) => {
  const lines: LineSketch[] = [
    { product: 'a', price: 33, quantity: 2, own: [1] },
    { product: 'b', price: 100, quantity: 3, own: [3] },
    { product: 'c', price: 1000, quantity: 2 },
  ]
  const bundle = aBenefit(
    'bundle',
    { kind: 'bundle_price', components: [{ select: { productIds: ['a'] }, quantity: 1 }], price: 5 },
    { existingDiscounts: 'add' },
  )
  const capped = aBenefit(
    'capped',
    { kind: 'line_percentage', select: { productIds: ['a', 'c'] }, percentage: percent(10), maximumAmount: 5 },
    stackable,
  )
  const { value, optimal } = price(aBasket(lines), [bundle, capped])
  t.ok(optimal)
  for (let stepsMax = 0; stepsMax <= 100; stepsMax += 1) {
    const some = price(aBasket(lines), [bundle, capped], { stepsMax })
    t.ok(some.value <= value && value <= some.value + some.gap, `${some.value} + ${some.gap} at ${stepsMax} steps`)
  }
})

t.test('once the budget is exhausted a basket is not searched again without its maximum amount', async (t) => {
  const products = Array.from({ length: 24 }, (_, at) => `p${at}`)
  const neighbours = products.slice(1).map((product, at) =>
    aBenefit(`${product}-and-before`, {
      kind: 'bundle_price',
      components: [products[at]!, product].map((each) => ({ select: { productIds: [each] }, quantity: 1 })),
      price: 1500 - 13 * ((at * 5) % 7),
    }),
  )
  const capped = aBenefit(
    'capped',
    { kind: 'line_percentage', select: { productIds: ['p0'] }, percentage: percent(50), maximumAmount: 100 },
    stackable,
  )
  const basket = aBasket(products.map((product) => ({ product, price: 1000 })))
  const { steps } = price(basket, [...neighbours, capped], { stepsMax: 0 })
  t.ok(steps <= 300, `${steps} steps`)
})

const add: Partial<Benefit> = { existingDiscounts: 'add' }

for (const { about, carried } of [
  { about: 'fits its lines exactly', carried: 80 },
  { about: 'has to move', carried: 81 },
]) {
  t.test(`with an order discount of the POS that ${about} the best is proven`, async (t) => {
    const lines = twelve(1000, { allocations: { staff: 10 } }).with(0, {
      product: 'p0',
      price: 100,
      allocations: { staff: carried },
    })
    const benefits = [off(20), orderOff(10, add), orderOff(5, { ...stackable, ...add })]
    t.match(price(aBasket(lines), benefits), { optimal: true })
  })
}

t.test('a basket of maximum amounts is proven with hardly any budget', async (t) => {
  const benefits = [upTo('a', 20, 1000), upTo('b', 30, 700), upTo('c', 10, 300), off(50)]
  t.match(price(aBasket(twelve(1000)), benefits, { stepsMax: 1 }), { value: 8000, optimal: true })
})

// With these budgets only the outcome without the maximum amount bounds the basket.
for (const { about, lines, benefits, stepsMax, gapMax } of [
  {
    about: 'three order discounts, one of them of the POS',
    lines: twelve(1000, { allocations: { staff: 10 } }),
    benefits: [orderOff(10, add), orderOff(20, add), orderOff(5, { ...stackable, ...add })],
    stepsMax: 100,
    gapMax: 1064,
  },
  {
    about: 'two order percentages over different lines',
    lines: twelve(1000),
    benefits: [someOff(10, 3), orderOff(5, stackable)],
    stepsMax: 60,
    gapMax: 1297,
  },
]) {
  t.test(`a maximum amount beside ${about} is bounded by what the others come to`, async (t) => {
    const { gap } = price(aBasket(lines), [upTo('a', 20, 1000), ...benefits], { stepsMax })
    t.ok(gap <= gapMax, `${gap}`)
  })
}

t.test('where nothing would bound a basket without its maximum amount that is not looked at', async (t) => {
  const lines = twelve(1000, { allocations: { staff: 10 } })
  const orders = Array.from({ length: 10 }, (_, at) => [
    orderOff(at + 1, { ...add, benefitId: `normal-${at}` }),
    orderOff(at + 1, { ...add, ...stackable, benefitId: `stackable-${at}` }),
  ]).flat()
  const stepsIn = (stepsMax: number) =>
    price(aBasket(lines), [upTo('a', 20, 1000), pair(1600), ...orders], { stepsMax }).steps
  t.ok(stepsIn(100) <= stepsIn(0))
  t.ok(stepsIn(250) <= stepsIn(300))
})

t.test('where own discounts go for a maximum amount the normal benefits are those best without them', async (t) => {
  // An amount of 100 takes more off 500, the percentage more off 1000.
  const each = aBenefit('amount', { kind: 'line_amount', amount: 100, per: 'unit' }, add)
  const maxima = [upTo('a', 60, 700), upTo('b', 1, 5), upTo('c', 1, 5)]
  const { value } = price(aBasket(twelve(1000, { own: [500] })), [off(15, add), each, ...maxima])
  t.equal(value, 1266)
})
