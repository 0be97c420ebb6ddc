import t from 'tap'
import * as basketWords from '../../../../engine/core/base/basket.js'
import { floorProduct, moneyMax, roundProduct } from '../../../../engine/core/base/money.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import * as programmeWords from '../../../../engine/core/base/programme.js'
import {
  aBasket,
  aBenefit,
  applied,
  aVenue,
  basketOf,
  code,
  type LineSketch,
  percent,
  price,
  sentBack,
} from '../builders.js'

const ten = aBenefit('ten', { kind: 'line_percentage', percentage: percent(10) })

t.test('the words of basket and programme are types alone', async (t) => {
  t.strictSame([Object.keys(basketWords), Object.keys(programmeWords)], [[], []])
})

t.test('a product of safe integers is divided exactly', async (t) => {
  for (const divisor of [1, 3, 7, 1000, 999_983, 1_000_000]) {
    for (const factor of [1, 2, 3, 94_906_265, moneyMax - 1, moneyMax]) {
      for (const by of [1, 2, 999, 94_906_266]) {
        const exact = (BigInt(factor) * BigInt(by)) / BigInt(divisor)
        if (exact <= BigInt(moneyMax)) t.equal(BigInt(floorProduct(factor, by, divisor)), exact)
      }
    }
  }
})

t.test('an added line that comes again while another line is split is no outcome as sent', async (t) => {
  const limit = { limitId: 'l', scope: 'everyone', period: 'ever', counts: 'units', maximum: 1 } as const
  const override = aBenefit('o', { kind: 'price_override', unitPrice: 10 }, { limits: [limit] })
  const basket = aBasket([
    { id: 'a', quantity: 2 },
    { id: 'gift', addedByLoyalty: true, own: [{ amount: 1000, lineDiscountCode: code }] },
  ])
  t.match(applied(price(basket, [override])).lines, [
    { lineId: 'a', quantity: 1000 },
    { kind: 'split', splitFromLineId: 'a', overrideUnitPrice: 10 },
  ])
})

t.test('order discounts of ours that come again are compared line by line', async (t) => {
  const order = aBenefit('o', { kind: 'order_amount', amount: 100 })
  const basket = aBasket([{ price: 300 }, { price: 300 }])
  const answered = sentBack(basket, applied(price(basket, [order])))
  t.equal(price(answered, [order]).outcome.status, 'unchanged')
  const elsewhere = answered.lines.map((line, at) => {
    const share = at === 1 ? 100 : 0
    const orderDiscountAllocations = share > 0 ? [{ orderDiscountId: 'loyalty-1', amount: share }] : []
    return { ...line, orderDiscountAllocations, totals: { ...line.totals, orderDiscount: share, net: 300 - share } }
  })
  const moved = basketOf(elsewhere, { orderDiscounts: answered.orderDiscounts })
  t.match(applied(price(moved, [order])).lines, [{ totals: { orderDiscount: 50 } }, { totals: { orderDiscount: 50 } }])
})

t.test('of benefits that the basket does not touch a hundred are listed', async (t) => {
  const others = Array.from({ length: 150 }, (_, at): Benefit => {
    return aBenefit(`x${1000 + at}`, { kind: 'member_price', select: { productIds: ['x'] }, unitPrice: 1 })
  })
  const { benefits } = price(aBasket([{}]), [ten, ...others])
  t.equal(benefits.length, 101)
  t.equal(benefits.at(-1)!.benefitId, 'x1099')
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

t.test('what a line could gain by being shared out in too many ways stays within the bound', async (t) => {
  const thirds = ['a', 'b', 'c'].map((id) => aBenefit(id, { kind: 'line_percentage', percentage: 333_333 }))
  const unproven: number[] = []
  for (const [quantity, unitPrice] of [
    [100, 333],
    [60, 37],
    [200, 1],
    [101, 2],
  ] as const) {
    const { value, gap, optimal } = price(aBasket([{ quantity, price: unitPrice }]), thirds)
    const most = mostOfThree(quantity, (pieces) => roundProduct(333_333, pieces * unitPrice, 1_000_000))
    t.ok(value <= most && most <= value + gap, `${quantity} at ${unitPrice}`)
    if (!optimal) unproven.push(quantity)
  }
  t.strictSame(unproven, [100, 200])
})

t.test('a buy_get is applied whole times only', async (t) => {
  const ids = (id: string) => ({ productIds: [id] })
  const two = aBenefit('t', {
    kind: 'buy_get',
    buy: { select: ids('a'), quantity: 2 },
    get: { select: ids('b'), quantity: 2, percentage: percent(100) },
  })
  const three = aBasket([
    { product: 'a', quantity: 3 },
    { product: 'b', quantity: 3, price: 100 },
  ])
  t.equal(price(three, [two]).value, 200)
})

t.test('a free product with noDiscount in the price list is not discountable', async (t) => {
  const gift = aBenefit('g', { kind: 'free_product', productId: 'gift', quantity: 1 })
  const venue = aVenue([{ noDiscount: true }])
  t.match(price(aBasket([{}]), [gift], { venue }).outcome, { reason: 'not_discountable' })
})

/** The greatest gain of so many pieces, shared among three benefits. */
function mostOfThree(pieces: number, gainOf: (pieces: number) => number): number {
  let most = 0
  for (let first = 0; first <= pieces; first++) {
    for (let second = 0; first + second <= pieces; second++) {
      most = Math.max(most, gainOf(first) + gainOf(second) + gainOf(pieces - first - second))
    }
  }
  return most
}

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

/** Adds lines that change nothing: small baskets are enumerated. */
function behind(lines: readonly LineSketch[]): LineSketch[] {
  return [...lines, ...Array.from({ length: 9 }, () => ({ price: 1, noDiscount: true }))]
}

t.test('a maximum on top that two bundles count on, and only one can have, leaves both bundles whole', async (t) => {
  const { value, optimal, benefits } = price(aBasket(behind(shared)), sharing)
  t.match({ value, optimal }, { value: 1000, optimal: true })
  const placesOf = (id: string) => benefits.find(({ benefitId }) => benefitId === id)!.lines.map(({ line }) => line)
  t.strictSame(['x', 'y'].map(placesOf), [
    [0, 1],
    [2, 3],
  ])
  t.equal(placesOf('s').length, 1)
})

t.test('the same below an order discount that separates the bundles', async (t) => {
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
    const { value, gap } = price(aBasket(behind(shared)), [...sharing, order])
    t.ok(value <= best && best <= value + gap, `${value} and ${gap}`)
  }
})

t.test('what maxima on top can win by taking own discounts off is in the bound', async (t) => {
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
  const { value, gap } = price(aBasket(behind(lines)), benefits)
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
