import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, addedOn, applied, aVenue, code, netsOf, percent, price, sentBack } from '../builders.js'

const two = { limitId: 'l', scope: 'everyone', period: 'ever', counts: 'units', maximum: 2 } as const
const override = aBenefit('o', { kind: 'price_override', unitPrice: 700 }, { limits: [two] })

t.test('a price override on part of a line splits it, right behind the old part', async (t) => {
  const basket = aBasket([{ quantity: 5, product: 'a', allocations: { pos: 500 } }, {}])
  const result = price(basket, [
    { ...override, reward: { ...override.reward, select: { productIds: ['a'] } } as Benefit['reward'] },
  ])
  const [old, split, other] = applied(result).lines
  t.match(old, { kind: 'sent', lineId: 'line-0', quantity: 3000, overrideUnitPrice: null })
  t.match(split, { kind: 'split', source: 0, lineId: 'loyalty-1', quantity: 2000, overrideUnitPrice: 700 })
  t.match(other, { kind: 'sent', lineId: 'line-1' })
  t.same(old!.orderDiscountAllocations, [{ orderDiscountId: 'pos', amount: 500 }])
  t.same(split!.orderDiscountAllocations, [])
})

t.test('stackable and order discounts are worked out on both parts together', async (t) => {
  const result = price(aBasket([{ quantity: 3, price: 1001 }]), [
    override,
    aBenefit('p', { kind: 'line_percentage', percentage: percent(10) }, { combination: 'stackable' }),
    aBenefit('q', { kind: 'order_amount', amount: 100 }),
  ])
  const [old, split] = applied(result).lines
  t.same([addedOn(old), addedOn(split)], [[['amount', 100]], [['amount', 140]]])
  t.equal(applied(result).totals.net, 2401 - 240 - 100)
})

t.test('a whole line takes the new price without a split', async (t) => {
  const result = price(aBasket([{ quantity: 2 }]), [override])
  t.match(applied(result).lines, [{ kind: 'sent', overrideUnitPrice: 700, discounts: [] }])
  t.equal(result.loyaltyDiscountTotal, 0, 'an override is no discount')
  t.equal(result.value, 600)
})

t.test('a free product is added behind the last line and nets to 0', async (t) => {
  const gift = aBenefit('g', { kind: 'free_product', productId: 'gift', quantity: 2 })
  const venue = aVenue([{ productId: 'gift', unitPrice: 250 }])
  const result = price(aBasket([{}, { id: 'loyalty-1' }]), [gift], { venue })
  const added = applied(result).lines[2]!
  t.match(added, { kind: 'added', lineId: 'loyalty-2', quantity: 2000, totals: { gross: 500, net: 0 } })
  t.equal(result.value, 500)
  t.equal(result.loyaltyDiscountTotal, 500)
  const missing = price(aBasket([{}]), [gift])
  t.same(missing.benefits[0]!.dropped, {
    stage: 'conditions_not_met',
    missing: [{ kind: 'product', productId: 'gift' }],
  })
  const flagged = price(aBasket([{}]), [gift], { venue: aVenue([{ productId: 'gift', noDiscount: true }]) })
  t.same(flagged.outcome, { status: 'unchanged', reason: 'not_discountable' })
})

t.test('an earlier answer is taken off first, so that nothing stacks', async (t) => {
  const venue = aVenue([{ productId: 'gift', unitPrice: 250 }])
  const benefits = [
    aBenefit('p', { kind: 'line_percentage', percentage: percent(10) }, { existingDiscounts: 'add' }),
    aBenefit('g', { kind: 'free_product', productId: 'gift', quantity: 1 }),
    aBenefit('q', { kind: 'order_amount', amount: 100 }, { existingDiscounts: 'add' }),
  ]
  const basket = aBasket([{ own: [50] }, {}])
  const first = price(basket, benefits, { venue })
  const again = sentBack(basket, applied(first))
  t.same(price(again, benefits, { venue }).outcome, { status: 'unchanged', reason: 'existing_discount_kept' })
  const gone = price(again, [], { venue })
  t.same(
    applied(gone).lines.map(({ lineId }) => lineId),
    ['line-0', 'line-1'],
    'what is over comes off',
  )
  t.same(netsOf(gone), [950, 1000])
})

t.test('an override that the list price could not hold stays on a split line', async (t) => {
  const lines = [
    { price: 100, override: 200, splitFrom: 'x', own: [150] },
    { price: 100, override: 80, splitFrom: 'x' },
  ]
  const result = price(aBasket(lines), [
    aBenefit('b', { kind: 'line_amount', amount: 10, per: 'unit' }, { existingDiscounts: 'add' }),
  ])
  t.same(
    applied(result).lines.map(({ overrideUnitPrice, totals }) => [overrideUnitPrice, totals.net]),
    [
      [200, 40],
      [null, 90],
    ],
  )
})

t.test('order discounts of ours carry ids of their own series and the code', async (t) => {
  const basket = aBasket([{ allocations: { 'loyalty-1': 10 } }])
  const result = price(basket, [
    aBenefit(
      'q',
      { kind: 'order_percentage', percentage: percent(50), maximumAmount: 99 },
      { existingDiscounts: 'add' },
    ),
  ])
  t.match(applied(result).orderDiscounts, [
    { kind: 'kept', position: 0, amount: 10 },
    { kind: 'added', discount: { orderDiscountId: 'loyalty-2', type: 'amount', amount: 99, lineDiscountCode: code } },
  ])
})
