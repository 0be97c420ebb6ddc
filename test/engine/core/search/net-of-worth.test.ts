import t from 'tap'
import { aBasket, aBenefit, percent, price } from '../builders.js'
import { aCost, coffee, free, freeOf, having, paid } from './stamps.js'

const member = having(10)
const cups = aBasket([{ quantity: 3, price: 3500 }])

t.test('worth counts in full below a stackable discount of a line', async (t) => {
  // The first is free: 22.00 less 10.00, and the other is half off. On the second it would be 20.00 more less 10.00.
  const basket = aBasket([
    { product: 'a', price: 2200 },
    { product: 'b', price: 4000 },
  ])
  const select = { productIds: ['b'] }
  const half = aBenefit(
    'half',
    { kind: 'line_percentage', select, percentage: percent(50) },
    { combination: 'stackable' },
  )
  t.match(price(basket, [coffee, half], { member }), { value: 2200 - 1000 + 2000, optimal: true })
})

t.test('worth counts in full below order discounts over different lines', async (t) => {
  // Without stamps 20.00 and half of 22.00 + 20.00 are off: 41.00. With a free, 22.00, 20.00 and 10.00, less 10.00 of worth: 42.00.
  const basket = aBasket([
    { product: 'a', price: 2200 },
    { product: 'b', price: 4000 },
  ])
  const half = (id: string, productIds: string[], combination: 'normal' | 'stackable') =>
    aBenefit(id, { kind: 'order_percentage', select: { productIds }, percentage: percent(50) }, { combination })
  for (const combination of ['normal', 'stackable'] as const) {
    const benefits = [coffee, half('one', ['b'], combination), half('two', ['a', 'b'], 'stackable')]
    t.match(price(basket, benefits, { member }), { value: 6200 - 1000 - 1000, optimal: true, netAfter: 1000 })
  }
})

t.test('a discount of the POS that a free line cannot hold is not taken for a gain', async (t) => {
  // b costs 10.00 after its discount, as much as the stamps are worth.
  const basket = aBasket([
    { product: 'a', price: 1900 },
    { product: 'b', price: 4000, allocations: { staff: 3000 } },
  ])
  t.match(price(basket, [coffee], { member }), { value: 900, optimal: true, netAfter: 1000 })
})

t.test('below order discounts too, net offers find an outcome and bound it without a budget', async (t) => {
  const amount = { kind: 'order_amount', amount: 50 } as const
  const orders = ['a', 'b'].map((id) => aBenefit(id, { ...amount, select: { productIds: [id] } }))
  const basket = aBasket([
    { product: 'a', price: 5000, quantity: 2 },
    { product: 'b', price: 3000, quantity: 2 },
  ])
  // All is free: 160.00 less 40.00 of worth. Net offers leave 10.00 a unit, and an order discount might take 0.50 of it.
  const said = price(basket, [coffee, ...orders], { member: having(40), stepsMax: 0 })
  t.match(said, { value: 12_000, gap: 50, netAfter: 0 })
  t.match(price(cups, [coffee, aBenefit('o', amount)], { member: having(30), stepsMax: 0 }), { value: 7500, gap: 50 })
})

t.test('worth of a time is not that of each unit', async (t) => {
  const reward = { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 2, percentage: percent(100) } } as const
  const pairs = aBenefit('pairs', reward, aCost(1, { per: 'times', worth: 1100 }))
  const said = price(aBasket([{ price: 1000, quantity: 6 }]), [pairs], { member })
  t.match(said, { value: 2 * (2000 - 1100), optimal: true })
})

t.test("another benefit's discount on units that are not paid counts unchanged", async (t) => {
  const ten = aBenefit('ten', { kind: 'line_percentage', percentage: percent(10) })
  t.match(price(cups, [coffee, ten], { member }), { value: 3500 - 1000 + 2 * 350, optimal: true })
})

t.test('worth that is not off the amounts is taken off their bound', async (t) => {
  const basket = aBasket([
    { product: 'a', price: 3500 },
    { product: 'b', price: 3000 },
  ])
  const select = { productIds: ['b'] }
  const half = { kind: 'line_percentage', select, percentage: percent(50) } as const
  const once = aBenefit('once', half, aCost(5, { per: 'basket', worth: 300 }))
  const said = price(basket, [freeOf('a', 10, { worth: 1000 }), once], { member: having(15) })
  t.match(said, { value: 2500 + 1500 - 300, optimal: true })
})

t.test('worth that is off the amounts already is not taken off a bound again', async (t) => {
  // Teas gain 30.00 and 1.00, a cake 30.00 for twice the stamps: two teas gain more for each stamp, but a tea and the cake more.
  const basket = aBasket([
    { product: 'cake', price: 6500 },
    { product: 'tea', price: 4000 },
    { product: 'tea', price: 1100 },
  ])
  const said = price(basket, [freeOf('cake', 20, { worth: 3500 }), freeOf('tea', 10, { worth: 1000 })], {
    member: having(30),
  })
  t.match(said, { value: 3000 + 3000, optimal: true })
  t.same(paid(said), [
    ['cake', 1],
    ['tea', 1],
  ])
})

t.test('units that are not worth it are left to a benefit that costs nothing', async (t) => {
  const other = aBenefit('other', { kind: 'line_amount', amount: 10, per: 'unit' })
  const said = price(
    aBasket([{ price: 900, quantity: 2 }, { price: 1500 }]),
    [aBenefit('x', free, aCost(1, { worth: 1000 })), other],
    { member },
  )
  t.match(said, { value: 500 + 20, optimal: true })
})
