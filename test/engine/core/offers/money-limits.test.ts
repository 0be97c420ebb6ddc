import t from 'tap'
import type { Benefit, Reward } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, addedOn, applied, type LineSketch, netsOf, percent, price } from '../builders.js'

const left = (amount: number) => ({ available: { 'l\n\n': amount } })
const keyed = (limitId: string) => ({ limitId, scope: 'everyone', period: 'ever', maximum: 9000 }) as const
const limits = [{ ...keyed('l'), counts: 'amount' }] as const
const half: Reward = { kind: 'line_percentage', percentage: percent(50) }

function budgeted(reward: Reward, other: Partial<Benefit> = {}): Benefit {
  return aBenefit('b', reward, { limits, ...other })
}

/** Lines that change nothing: small baskets are enumerated. */
function padded(lines: readonly LineSketch[]) {
  return aBasket([...lines, ...Array.from({ length: 9 }, () => ({ product: 'padding', price: 1, noDiscount: true }))])
}

t.test('a percentage gives what is left, as if that were its maximum amount', async (t) => {
  const basket = aBasket([{ price: 600 }, { price: 300 }])
  t.same(netsOf(price(basket, [budgeted(half)], left(90))), [540, 270])
  t.same(applied(price(basket, [budgeted(half)], left(90))).lines.map(addedOn), [[['amount', 60]], [['amount', 30]]])
  t.equal(price(basket, [budgeted({ ...half, maximumAmount: 60 })], left(90)).value, 60, 'the smaller counts')
  t.equal(price(basket, [budgeted({ ...half, maximumAmount: 100 })], left(90)).value, 90)
  const order = budgeted({ kind: 'order_percentage', percentage: percent(50) })
  t.equal(price(basket, [order], left(90)).value, 90)
  t.equal(price(basket, [order], left(451)).value, 450)
})

t.test('amounts off the order or a line give what is left', async (t) => {
  const basket = aBasket([{ price: 600 }, { price: 300 }])
  t.equal(price(basket, [budgeted({ kind: 'order_amount', amount: 200 })], left(90)).value, 90)
  t.equal(price(basket, [budgeted({ kind: 'order_amount', amount: 200 })], left(200)).value, 200)
  const perLine = budgeted({ kind: 'line_amount', amount: 100, per: 'line' })
  t.same(netsOf(price(basket, [perLine], left(150))), [525, 225])
  t.same(netsOf(price(basket, [perLine], left(200))), [500, 200])
  const deep = padded([{ price: 600, quantity: 3 }, { price: 300 }])
  t.match(price(deep, [perLine, aBenefit('a', { kind: 'member_price', unitPrice: 560 })], left(150)), {
    value: 220,
    optimal: true,
  })
})

t.test('what takes off units applies to as many as fit whole, those that come closest', async (t) => {
  const lines = [
    { product: 'a', price: 500, quantity: 3 },
    { product: 'b', price: 430, quantity: 3 },
  ]
  const member = budgeted({ kind: 'member_price', unitPrice: 400 })
  for (const basket of [aBasket(lines), padded(lines)]) {
    for (const [amount, value] of [
      [389, 360],
      [390, 390],
      [130, 130],
      [129, 100],
      [99, 90],
      [60, 60],
      [59, 30],
    ] as const) {
      const result = price(basket, [member], left(amount))
      t.match(result, { value, optimal: true }, `${amount} left`)
      t.match(result.wants, [{ limitId: 'l', units: value, maximum: 9000 }])
    }
  }
  const perUnit = budgeted({ kind: 'line_amount', amount: 70, per: 'unit' })
  t.equal(price(aBasket(lines), [perUnit], left(349)).value, 280)
  const weighed = [{ price: 1000, quantity: 1.5 }, { price: 100 }]
  t.equal(price(aBasket(weighed), [perUnit], left(104)).value, 70, 'a weighed line fits whole or not at all')
  t.equal(price(aBasket(weighed), [perUnit], left(105)).value, 105)
  const volume = budgeted({ kind: 'volume_percentage', tiers: [{ quantity: 2, percentage: percent(10) }] })
  t.equal(price(aBasket(lines), [volume], left(140)).value, 136, 'two of 50 and one of 43 would be 143')
})

t.test('what takes off groups applies to as many times as fit whole', async (t) => {
  const lines = [{ price: 100 }, { price: 99 }, { price: 50 }, { price: 45 }]
  const one = { quantity: 1, select: { not: { productIds: ['padding'] } } }
  const pairs = budgeted({ kind: 'buy_get', buy: one, get: { ...one, percentage: percent(100) } })
  for (const basket of [aBasket(lines), padded(lines)]) {
    t.match(price(basket, [pairs], left(144)), { value: 144, optimal: true })
    t.match(price(basket, [pairs], left(143)), { value: 99, optimal: true })
    t.match(price(basket, [pairs], left(98)), { value: 95, optimal: true }, 'dealt into other times')
    t.match(price(basket, [pairs], left(49)), { value: 45, optimal: true })
  }
  const meal = { quantity: 1, select: { productIds: ['a', 'b'] } }
  const drink = { quantity: 1, select: { productIds: ['c'] } }
  const bundle = budgeted({ kind: 'bundle_price', components: [meal, drink], price: 100 })
  const meals = [
    { product: 'a', price: 90, quantity: 2 },
    { product: 'b', price: 120, quantity: 2 },
    { product: 'c', price: 30, quantity: 4 },
  ]
  for (const basket of [aBasket(meals), padded(meals)]) {
    t.match(price(basket, [bundle], left(140)), { value: 140, optimal: true })
    t.match(price(basket, [bundle], left(139)), { value: 120, optimal: true })
    t.match(price(basket, [bundle], left(69)), { value: 50, optimal: true })
    t.match(price(basket, [bundle], left(19)), { value: 0, optimal: true })
  }
})

t.test('of equal units any number is counted without listing them', async (t) => {
  const many = aBasket([
    { product: 'a', price: 500, quantity: 90_000 },
    { product: 'b', price: 500, quantity: 90_000 },
  ])
  const member = budgeted({ kind: 'member_price', unitPrice: 430 })
  t.match(price(many, [member], left(6999)), { value: 6930, optimal: true, wants: [{ units: 6930 }] })
  const odd = budgeted({ kind: 'volume_percentage', tiers: [{ quantity: 2, percentage: percent(33.3) }] })
  const single = aBasket([{ price: 777, quantity: 90_000 }])
  t.match(price(single, [odd], left(1000)), { value: 776, optimal: true })
  const pairs = budgeted({ kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 1, percentage: percent(50) } })
  t.match(price(many, [pairs], left(1249)), { value: 1000, optimal: true })
  const bundle = budgeted({ kind: 'bundle_price', components: [{ quantity: 3 }], price: 1200 })
  t.match(price(many, [bundle], left(1000)), { value: 900, optimal: true })
})

t.test('units that round, or are weighed, do not count as multiples of one unit', async (t) => {
  const two = (line: LineSketch) => [
    { product: 'a', ...line },
    { product: 'b', ...line },
  ]
  const tenth = budgeted({ kind: 'volume_percentage', tiers: [{ quantity: 1, percentage: percent(10) }] })
  const member = budgeted({ kind: 'member_price', unitPrice: 900 })
  const perUnit = budgeted({ kind: 'line_amount', amount: 70, per: 'unit' })
  for (const basketOf of [aBasket, padded]) {
    // One of price 4 gives nothing, two give 0.8; one, two and three of price 5 give 0.5, 1 and 1.5.
    t.match(price(basketOf(two({ price: 4, quantity: 2 })), [tenth], left(1)), { value: 1, optimal: true })
    t.match(price(basketOf(two({ price: 5, quantity: 3 })), [tenth], left(3)), { value: 3, optimal: true })
    // 1.5 of 1000 take off 150, and 1.5 of 90, which cost 135, take off 105.
    const dear = basketOf(two({ price: 1000, quantity: 1.5 }))
    t.equal(price(dear, [member], left(149)).value, 0)
    t.equal(price(dear, [member], left(299)).value, 150)
    t.equal(price(basketOf(two({ price: 90, quantity: 1.5 })), [perUnit], left(104)).value, 0)
  }
})

t.test('all units of a line apply where there is just enough, and no more times than a benefit may', async (t) => {
  const pairs = { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 2, percentage: percent(50) } } as const
  const member = budgeted({ kind: 'member_price', unitPrice: 400 })
  for (const basketOf of [aBasket, padded]) {
    t.equal(price(basketOf([{ price: 500, quantity: 3 }]), [member], left(300)).value, 300)
    const nine = basketOf([{ price: 500, quantity: 9 }])
    t.equal(price(nine, [budgeted({ ...pairs, maximumTimes: 2 })], left(9000)).value, 4 * 250)
  }
})

t.test('a time of a bundle with several units of one component takes its price off once', async (t) => {
  const meal = { quantity: 2, select: { productIds: ['a', 'b'] } }
  const bundle = {
    kind: 'bundle_price',
    components: [meal, { quantity: 1, select: { productIds: ['c'] } }],
    price: 150,
  }
  const lines = [
    { product: 'a', price: 90, quantity: 2 },
    { product: 'b', price: 120, quantity: 2 },
    { product: 'c', price: 30, quantity: 2 },
  ]
  // Two of a save 60, one of each 90, two of b 120; two times save 180.
  for (const basket of [aBasket(lines), padded(lines)]) {
    for (const [amount, value] of [
      [180, 180],
      [179, 120],
      [119, 90],
      [89, 60],
      [59, 0],
    ] as const) {
      t.match(price(basket, [budgeted(bundle as Reward)], left(amount)), { value, optimal: true }, `${amount} left`)
    }
  }
})

t.test('several limits of a benefit hold at once', async (t) => {
  const both = [...limits, { ...keyed('m'), counts: 'amount' }, { ...keyed('u'), counts: 'units' }] as const
  const member = budgeted({ kind: 'member_price', unitPrice: 900 }, { limits: both })
  const basket = aBasket([{ quantity: 9 }])
  const given = (l: number, m: number, u: number) =>
    price(basket, [member], { available: { 'l\n\n': l, 'm\n\n': m, 'u\n\n': u } })
  t.equal(given(500, 900, 9).value, 500)
  t.equal(given(500, 399, 9).value, 300)
  t.same(
    given(500, 399, 2).wants.map(({ limitId, units }) => [limitId, units]),
    [
      ['l', 200],
      ['m', 200],
      ['u', 2],
    ],
  )
  t.same(given(0, 399, 2).outcome, { status: 'unchanged', reason: 'limit_exhausted' })
})

t.test('a discount that takes an own discount off is counted as it is printed', async (t) => {
  const basket = aBasket([{ price: 1000, own: [300] }])
  const replacing = budgeted({ kind: 'member_price', unitPrice: 500 })
  t.match(price(basket, [replacing], left(500)), { value: 200, wants: [{ units: 500 }] })
  t.same(price(basket, [replacing], left(499)).outcome, { status: 'unchanged', reason: 'limit_exhausted' })
})

t.test('what an own discount leaves may fit where the price would not', async (t) => {
  const lines = [{ price: 1000, quantity: 2, own: [300] }]
  const adding = budgeted({ kind: 'member_price', unitPrice: 800 }, { existingDiscounts: 'add' })
  const other = aBenefit('other', { kind: 'line_amount', amount: 160, per: 'unit' })
  for (const basket of [aBasket(lines), padded(lines)]) {
    t.match(price(basket, [adding, other], left(200)), { value: 100, optimal: true })
    t.match(price(basket, [adding, other], left(99)), { value: 50, optimal: true })
    t.match(price(basket, [adding, other], left(49)), { value: 20, optimal: true })
  }
})

t.test('a line that another benefit serves better leaves the money to the others', async (t) => {
  const lines = [{ product: 'a' }, { product: 'b', price: 500, quantity: 3 }]
  const select = { productIds: ['b'] }
  const benefits = [
    budgeted({ kind: 'member_price', unitPrice: 450 }),
    aBenefit('a', { kind: 'line_percentage', select: { productIds: ['a'] }, percentage: percent(90) }),
    aBenefit('s', { kind: 'line_amount', select, amount: 10, per: 'line' }, { combination: 'stackable' }),
  ]
  for (const basket of [aBasket(lines), padded(lines)])
    t.match(price(basket, benefits, left(120)), { value: 1010, optimal: true })
})

t.test('the explanation names the money that is left and wanted', async (t) => {
  const basket = aBasket([{ price: 1000, quantity: 3 }])
  const member = budgeted({ kind: 'member_price', unitPrice: 900 })
  const dropped = (benefit: Benefit, amount: number) => price(basket, [benefit], left(amount)).benefits[0]!.dropped
  const exhausted = { stage: 'limit_exhausted', limitId: 'l', period: '', counts: 'amount', backAt: null }
  t.same(dropped(member, 99), { ...exhausted, left: 99, wanted: 300 })
  t.same(dropped(budgeted(half), 0), { ...exhausted, left: 0, wanted: 1500 })
  t.same(dropped(budgeted({ kind: 'order_amount', amount: 700 }), 0), { ...exhausted, left: 0, wanted: 700 })
  const rich = aBenefit('rich', { kind: 'member_price', unitPrice: 1 })
  t.equal(price(basket, [member, rich], left(100)).benefits[0]!.dropped?.stage, 'beaten')
  const scarce = price(basket, [member, rich], left(99)).benefits[0]!.dropped
  t.same(scarce, { ...exhausted, left: 99, wanted: 300 })
  const unlike = aBasket([{ price: 1000 }, { price: 1100 }])
  const reportOf = (amount: number) => price(unlike, [member, rich], left(amount)).benefits[0]!.dropped
  t.same(reportOf(99), { ...exhausted, left: 99, wanted: 300 })
  t.equal(reportOf(100)?.stage, 'beaten')
})

t.test('without budget no more than is left is given either, and the gap says what may be missing', async (t) => {
  const lines = Array.from({ length: 30 }, (_, at) => ({ product: `p${at}`, price: 1000 + 37 * at, quantity: 3 }))
  const benefits = [
    budgeted({ kind: 'volume_percentage', tiers: [{ quantity: 1, percentage: percent(12.5) }] }),
    aBenefit('c', { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: percent(40) } }),
  ]
  for (const stepsMax of [0, 200, 2000, 12_000]) {
    const { wants, value, gap } = price(aBasket(lines), benefits, { ...left(3333), stepsMax })
    t.ok(wants.every(({ units }) => units <= 3333))
    t.ok(value + gap >= 3333, 'the money left could be given in full, but for what no unit fits')
  }
})
