import t from 'tap'
import type { Selector } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, percent, price } from '../builders.js'

const many = Array.from({ length: 40 }, (_, at) => `elsewhere-${at}`)

const basket = aBasket([
  { product: 'elsewhere-7', price: 1000 },
  { product: 'here', group: 'fruit', price: 500 },
])

/** The discount of 10 % on the lines of a selector. */
function worthTenth(select: Selector): number {
  return price(basket, [aBenefit('tenth', { kind: 'line_percentage', percentage: percent(10), select })]).value
}

t.test('of lists far longer than the basket the lines are looked for in the list', async (t) => {
  t.equal(worthTenth({ not: { productIds: many } }), 50)
  t.equal(worthTenth({ not: { productIds: many.slice(0, 7) } }), 150)
  t.equal(worthTenth({ not: { productIds: many, productGroupIds: ['fruit'] } }), 0)
  t.equal(worthTenth({ productGroupIds: ['fruit'], not: { productIds: many } }), 50)
})

t.test('what a basket must have besides is counted the same way', async (t) => {
  const worthWith = (select: Selector) => {
    const conditions = { requires: [{ select, quantity: 2 }] }
    return price(basket, [aBenefit('half', { kind: 'line_percentage', percentage: percent(50) }, { conditions })]).value
  }
  t.equal(worthWith({ not: { productIds: ['nowhere'] } }), 750)
  t.equal(worthWith({ not: { productIds: many } }), 0)
  t.equal(worthWith({ not: { productIds: many, not: { productIds: ['elsewhere-7'] } } }), 750)
})
