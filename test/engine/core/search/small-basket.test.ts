import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, percent, price } from '../builders.js'

const stackable: Partial<Benefit> = { combination: 'stackable' }
const onlyA = { select: { productIds: ['a'] } }
const onlyB = { select: { productIds: ['b'] } }

for (const { about, benefits, value } of [
  {
    about: 'over different lines',
    benefits: [
      aBenefit('a', { kind: 'order_percentage', percentage: percent(10), ...onlyA }, stackable),
      aBenefit('b', { kind: 'order_percentage', percentage: percent(10), ...onlyB }, stackable),
    ],
    value: 150,
  },
  {
    about: 'over lines of which one has both',
    benefits: [
      aBenefit('a', { kind: 'order_amount', amount: 100, ...onlyA }, stackable),
      aBenefit('b', { kind: 'order_amount', amount: 200 }, stackable),
    ],
    value: 300,
  },
]) {
  t.test(`in a small basket stackable order discounts ${about} are proven`, async (t) => {
    const basket = aBasket([
      { product: 'a', price: 1000 },
      { product: 'b', price: 500 },
    ])
    t.match(price(basket, benefits), { value, optimal: true, gap: 0 })
  })
}

t.test('an order amount is given fewer times where roundings after it gain more', async (t) => {
  const basket = aBasket([
    { product: 'b', price: 10, quantity: 2 },
    { product: 'a', price: 11 },
  ])
  const benefits = [
    aBenefit('n', { kind: 'order_amount', amount: 2, maximumTimes: 3, ...onlyA }),
    aBenefit('o', { kind: 'order_percentage', percentage: percent(15) }, stackable),
    aBenefit('p', { kind: 'order_percentage', percentage: percent(90) }, stackable),
    aBenefit('q', { kind: 'order_amount', amount: 14, ...onlyA }, { ...stackable, sequence: 2 }),
  ]
  t.match(price(basket, benefits), { value: 30, optimal: true })
})
