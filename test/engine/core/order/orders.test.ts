import t from 'tap'
import { aBasket, aBenefit, applied, netsOf, percent, price } from '../builders.js'

t.test('an order discount is spread over what the lines still cost', async (t) => {
  const result = price(aBasket([{ price: 999 }, { price: 1 }, { noDiscount: true }]), [
    aBenefit('o', { kind: 'order_amount', amount: 500 }),
  ])
  t.same(netsOf(result), [499, 1, 1000])
  t.equal(applied(result).orderDiscounts.length, 1)
})

t.test('an order percentage applies after the line level', async (t) => {
  const result = price(aBasket([{}, {}]), [
    aBenefit('l', { kind: 'line_amount', select: { productIds: ['product-0'] }, amount: 500, per: 'unit' }),
    aBenefit('o', { kind: 'order_percentage', percentage: percent(10) }),
  ])
  t.same(netsOf(result), [450, 900])
  t.ok(result.optimal)
})

t.test('of normal order discounts the larger one is given, stackable ones come on top', async (t) => {
  const result = price(aBasket([{}]), [
    aBenefit('a', { kind: 'order_percentage', percentage: percent(10) }),
    aBenefit('b', { kind: 'order_amount', amount: 150 }),
    aBenefit('c', { kind: 'order_percentage', percentage: percent(10) }, { combination: 'stackable' }),
  ])
  t.same(netsOf(result), [765])
})

t.test('existing order discounts are replaced, retained or added to', async (t) => {
  const basket = aBasket([{ allocations: { pos: 100 } }])
  const reward = { kind: 'order_percentage', percentage: percent(20) } as const
  t.same(netsOf(price(basket, [aBenefit('o', reward)])), [800])
  t.same(netsOf(price(basket, [aBenefit('o', reward, { existingDiscounts: 'add' })])), [720])
  const kept = price(basket, [aBenefit('o', reward, { existingDiscounts: 'keep' })])
  t.same(kept.outcome, { status: 'unchanged', reason: 'existing_discount_kept' })
})

t.test('an existing order discount that no longer fits moves to the lines that carry it', async (t) => {
  const basket = aBasket([{ allocations: { pos: 600 } }, { allocations: { pos: 200 } }, {}])
  const half = aBenefit('h', {
    kind: 'line_percentage',
    select: { productIds: ['product-0'] },
    percentage: percent(80),
  })
  const result = price(basket, [half])
  t.same(netsOf(result), [0, 400, 1000])
  t.same(applied(result).orderDiscounts, [{ kind: 'kept', position: 0, amount: 800 }])
})
