import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, applied, basketOf, netsOf, percent, price, sentBack } from '../builders.js'

const override = aBenefit('o', { kind: 'price_override', select: { productIds: ['p'] }, unitPrice: 700 })
const units = (maximum: number): Benefit => ({
  ...override,
  limits: [{ limitId: 'l', scope: 'everyone', period: 'ever', counts: 'units', maximum }],
})
const basket = aBasket([{ id: 'a', product: 'p', quantity: 3 }, { id: 'b' }])

t.test('a whole line with our price is marked as split from itself', async (t) => {
  const [line, other] = applied(price(basket, [override])).lines
  t.match(line, { kind: 'sent', lineId: 'a', overrideUnitPrice: 700, splitFromLineId: 'a' })
  t.match(other, { overrideUnitPrice: null, splitFromLineId: null })
})

t.test('a line split earlier keeps its mark under our price', async (t) => {
  const before = aBasket([{ id: 'a', product: 'p', splitFrom: 'x' }])
  t.match(applied(price(before, [override])).lines, [{ overrideUnitPrice: 700, splitFromLineId: 'x' }])
})

t.test('sent again with the same limits it is unchanged, and holds the same units', async (t) => {
  const first = price(basket, [units(3)])
  const again = price(sentBack(basket, applied(first)), [units(3)])
  t.equal(again.outcome.status, 'unchanged')
  t.equal(again.value, first.value)
  t.strictSame(again.wants, first.wants)
})

t.test('sent again where only some units had our price it is unchanged', async (t) => {
  const first = price(basket, [units(2)])
  t.match(applied(first).lines, [
    { lineId: 'a', quantity: 1000, overrideUnitPrice: null, splitFromLineId: null },
    { lineId: 'loyalty-1', quantity: 2000, overrideUnitPrice: 700, splitFromLineId: 'a' },
    { lineId: 'b' },
  ])
  const again = price(sentBack(basket, applied(first)), [units(2)])
  t.equal(again.outcome.status, 'unchanged')
  t.strictSame(again.wants, first.wants)
})

t.test('sent again with one line more it is priced as if it had never been there', async (t) => {
  const answered = sentBack(basket, applied(price(basket, [override])))
  const more = aBasket([{ id: 'c', price: 300 }]).lines
  const twenty = aBenefit('t', { kind: 'line_percentage', percentage: percent(20) })
  const asked = [override, twenty]
  const again = price(basketOf([...answered.lines, ...more]), asked)
  const fresh = price(basketOf([...basket.lines, ...more]), asked)
  t.equal(again.value, fresh.value)
  t.strictSame(netsOf(again), netsOf(fresh))
})

t.test('sent again once the limit is exhausted it costs the list price, without the mark', async (t) => {
  const answered = sentBack(basket, applied(price(basket, [units(3)])))
  const again = price(answered, [units(3)], { available: { 'l\n\n': 0 } })
  t.equal(again.value, 0)
  t.match(applied(again).lines, [
    { lineId: 'a', overrideUnitPrice: null, splitFromLineId: null, totals: { net: 3000 } },
    { lineId: 'b' },
  ])
})

t.test("a price of the POS's own carries no mark and counts", async (t) => {
  const own = aBasket([{ id: 'a', product: 'p', override: 800 }])
  const result = price(own, [override])
  t.equal(result.value, 100)
  t.match(applied(result).lines, [{ overrideUnitPrice: 700, splitFromLineId: 'a' }])
  t.match(price(own, []).outcome, { status: 'unchanged' })
})

t.test('an override that cannot be ours stays, and so does its mark', async (t) => {
  const dear = aBasket([{ id: 'a', price: 100, override: 500, splitFrom: 'a', own: [400] }])
  t.match(price(dear, []).outcome, { status: 'unchanged' })
})

t.test('a mark without an override stays as it is', async (t) => {
  const odd = aBasket([{ id: 'a', splitFrom: 'a' }])
  t.match(price(odd, []).outcome, { status: 'unchanged' })
})
