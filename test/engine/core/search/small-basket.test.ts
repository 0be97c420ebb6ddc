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
