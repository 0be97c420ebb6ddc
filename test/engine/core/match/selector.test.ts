import t from 'tap'
import { basisFrom } from '../../../../engine/core/base/basis.js'
import type { Selector } from '../../../../engine/core/base/programme.js'
import { lineIndexOf } from '../../../../engine/core/match/line-index.js'
import { matchedIn } from '../../../../engine/core/match/matched-lines.js'
import { createSelectors } from '../../../../engine/core/match/selector.js'
import { fieldValueOf } from '../../../../engine/wire/field-value.js'
import { aBasket, aBenefit, code, type LineSketch, percent, price } from '../builders.js'

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

t.test('the conditions of a basket are counted the same way', async (t) => {
  const worthWith = (select: Selector) => {
    const conditions = { requires: [{ select, quantity: 2 }] }
    return price(basket, [aBenefit('half', { kind: 'line_percentage', percentage: percent(50) }, { conditions })]).value
  }
  t.equal(worthWith({ not: { productIds: ['nowhere'] } }), 750)
  t.equal(worthWith({ not: { productIds: many } }), 0)
  t.equal(worthWith({ not: { productIds: many, not: { productIds: ['elsewhere-7'] } } }), 750)
})

/** Lines of a selector: those that match by themselves, and `follower>leader`. */
function takenOf(sketches: readonly LineSketch[], select: Selector | undefined, withNoDiscount = false) {
  const basis = basisFrom(aBasket(sketches), code)
  const { keys, compiled } = createSelectors()
  const made = compiled(select)
  const matched = matchedIn(basis, lineIndexOf(keys, basis.lines))
  const leaders = [...matched.leaders(made, withNoDiscount)].sort(([a], [b]) => a - b)
  return [...matched.own(made, withNoDiscount), ...leaders.map((pair) => pair.join('>'))]
}

t.test('a line keys on its master, else its ean, else its product, or on its group', async (t) => {
  const lines = [
    { product: 'p', master: 'm', ean: 'e' },
    { product: 'p', ean: 'e' },
    { product: 'p', group: 'g' },
    { product: 'q', parent: 2 },
    { product: 'r', parent: 3 },
  ]
  t.same(takenOf(lines, { productMasterIds: ['m'] }), [0])
  t.same(takenOf(lines, { eans: ['e'] }), [1])
  t.same(takenOf(lines, { productIds: ['p'] }), [2])
  t.same(takenOf(lines, { productGroupIds: ['g'], children: true }), [2, '3>2', '4>2'])
  t.same(takenOf(lines, { children: true, not: { productIds: ['q'], children: true } }), [0, 1, 2])
  t.same(takenOf(lines, {}), [0, 1, 2, 3, 4])
  t.same(takenOf(lines, undefined), [0, 1, 2, 3, 4])
})

t.test('a line follows the nearest line above that matches by itself', async (t) => {
  const lines = [
    { product: 'menu' },
    { product: 'latte', parent: 0 },
    { product: 'oat', parent: 1 },
    { product: 'cup', parent: 2, noDiscount: true },
    { product: 'shot', parent: 3, own: [10] },
  ]
  const select = { productIds: ['menu', 'latte'], children: true }
  t.same(takenOf(lines, select), [0, 1, '2>1', '4>1'])
  t.same(takenOf(lines, select, true), [0, 1, '2>1', '3>1', '4>1'])
  t.same(takenOf(lines, { ...select, not: { productIds: ['latte'] } }), [0, '2>0', '4>0'])
  t.same(takenOf(lines, { ...select, not: { productIds: ['oat'], children: true } }), [0, 1])
  t.same(takenOf(lines, { ...select, fullPrice: true }), [0, 1, '2>1'])
  const flagged = lines.map((line, at) => ({ ...line, noDiscount: at === 1 }))
  t.same(takenOf(flagged, select), [0, '2>0', '3>0', '4>0'])
  t.same(takenOf(flagged, { children: true, not: { productIds: ['latte'], children: true } }), [0])
})

t.test('fields, prices and collections narrow the lines that lists take', async (t) => {
  const lines: LineSketch[] = [
    { product: 'a', fields: { brand: 'acme', size: 1.5 } },
    { product: 'a', fields: { brand: 'acme', organic: true }, own: [1] },
    { product: 'b', fields: { brand: 'ACME', size: '1.5' }, override: 900 },
    { product: 'b', parent: 0, own: [0] },
  ]
  const fields = (...tests: readonly [string, ...(string | number | boolean)[]][]) => ({
    fields: tests.map(([name, ...values]) => ({ name, values: values.map(fieldValueOf) })),
  })
  t.same(takenOf(lines, fields(['brand', 'acme'])), [0, 1])
  t.same(takenOf(lines, fields(['brand', 'acme'], ['organic', true, 'yes'])), [1])
  t.same(takenOf(lines, fields(['size', 1.5])), [0])
  t.same(takenOf(lines, { productIds: ['b'], ...fields(['brand', 'acme', 'ACME']) }), [2])
  t.same(takenOf(lines, { ...fields(['brand', 'acme']), children: true }), [0, 1, '3>0'])
  t.same(takenOf(lines, { fullPrice: true }), [0, 3])
  t.same(takenOf(lines, { not: { fullPrice: true } }), [1, 2])
  const collections = [{ productIds: ['a'], fullPrice: true }, { productIds: ['b'] }]
  t.same(takenOf(lines, { collections }), [0, 2, 3])
  t.same(takenOf(lines, { productIds: ['a'], collections: [{ productIds: ['b'] }] }), [0, 1, 2, 3])
  t.same(takenOf(lines, { collections, fullPrice: true }), [0, 3])
  t.same(takenOf(lines, { collections: [fields(['brand', 'ACME'])] }), [2])
  t.same(takenOf(lines, { collections: [{}] }), [0, 1, 2, 3])
  t.same(
    takenOf(lines, { productIds: ['b'], collections: [fields(['brand', 'acme'])], not: { productIds: ['b'] } }),
    [0, 1],
  )
})

t.test('a benefit is found by its collections alone', async (t) => {
  t.equal(worthTenth({ collections: [{ productIds: ['here'] }] }), 50)
  t.equal(worthTenth({ collections: [{ productGroupIds: ['fruit'], not: { productIds: ['there'] } }] }), 50)
  t.equal(worthTenth({ productIds: ['nowhere'], collections: [{ fullPrice: true }] }), 150)
})
