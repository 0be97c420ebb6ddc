import t from 'tap'
import type { Selector } from '../../../../engine/core/base/programme.js'
import { lineIndexOf } from '../../../../engine/core/match/line-index.js'
import { lineTreeOf, takenBy } from '../../../../engine/core/match/matched-lines.js'
import { createSelectors } from '../../../../engine/core/match/selector.js'
import { aBasket, aBenefit, aLine, percent, price } from '../builders.js'

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

t.test('a line keys on its master, else its ean, else its product, or on its group', async (t) => {
  const lines = [
    aLine({ product: 'p', master: 'm', ean: 'e' }),
    aLine({ product: 'p', ean: 'e' }),
    aLine({ product: 'p', group: 'g' }),
    aLine({ product: 'q', parent: 2 }),
    aLine({ product: 'r', parent: 3 }),
  ]
  const taken = (selector: Selector | undefined) => {
    const { keys, compiled } = createSelectors()
    const select = compiled(selector)
    const each = takenBy(select, lineIndexOf(keys, lines), lineTreeOf(lines))
    return [...each.keys()].filter((position) => each[position] === 1)
  }
  t.same(taken({ productMasterIds: ['m'] }), [0])
  t.same(taken({ eans: ['e'] }), [1])
  t.same(taken({ productIds: ['p'] }), [2])
  t.same(taken({ productGroupIds: ['g'], children: true }), [2, 3, 4])
  t.same(taken({ children: true, not: { productIds: ['q'], children: true } }), [0, 1, 2])
  t.same(taken({}), [0, 1, 2, 3, 4])
  t.same(taken(undefined), [0, 1, 2, 3, 4])
})
