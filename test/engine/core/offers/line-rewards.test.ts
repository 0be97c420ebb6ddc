import t from 'tap'
import { aBasket, aBenefit, addedOn, applied, netsOf, percent, price } from '../builders.js'

t.test('a percentage takes its share of each matching line, rounded half up', async (t) => {
  const basket = aBasket([{ price: 995, product: 'a' }, { price: 105, quantity: 3, product: 'b' }, { product: 'c' }])
  const benefit = aBenefit('b1', {
    kind: 'line_percentage',
    select: { productIds: ['a', 'b'] },
    percentage: percent(10),
  })
  const result = price(basket, [benefit])
  t.same(applied(result).lines.map(addedOn), [[['percentage', 100]], [['percentage', 32]], []])
  t.equal(result.value, 132)
  t.ok(result.optimal)
})

t.test('an amount per unit counts the quantity, weighed goods too, and never exceeds the line', async (t) => {
  const basket = aBasket([{ quantity: 3 }, { quantity: 1.255 }, { price: 40 }])
  const result = price(basket, [aBenefit('b1', { kind: 'line_amount', amount: 50, per: 'unit' })])
  t.same(applied(result).lines.map(addedOn), [[['amount', 150]], [['amount', 63]], [['amount', 40]]])
})

t.test('an amount per line is given once a line', async (t) => {
  const result = price(aBasket([{ quantity: 3 }, { price: 40 }]), [
    aBenefit('b1', { kind: 'line_amount', amount: 50, per: 'line' }),
  ])
  t.same(netsOf(result), [2950, 0])
})

t.test('a member price is an amount discount with its own text', async (t) => {
  const result = price(aBasket([{ quantity: 2 }, { price: 700 }]), [
    aBenefit('b1', { kind: 'member_price', unitPrice: 800 }),
  ])
  const [first, second] = applied(result).lines
  t.same(addedOn(first), [['amount', 400]])
  t.same(addedOn(second), [])
  const discount = first!.discounts[0]!
  t.equal(discount.kind === 'added' && discount.text, 'Member price')
})

t.test('of two benefits each line gets the better one', async (t) => {
  const result = price(aBasket([{ price: 1000 }, { price: 100 }]), [
    aBenefit('amount', { kind: 'line_amount', amount: 90, per: 'unit' }),
    aBenefit('percentage', { kind: 'line_percentage', percentage: percent(10) }),
  ])
  t.same(netsOf(result), [900, 10])
})

t.test('flagged lines are skipped', async (t) => {
  const lines = [{ noDiscount: true }, { noPercentageDiscount: true }, {}]
  t.same(
    netsOf(price(aBasket(lines), [aBenefit('p', { kind: 'line_percentage', percentage: percent(50) })])),
    [1000, 1000, 500],
  )
  t.same(
    netsOf(price(aBasket(lines), [aBenefit('a', { kind: 'line_amount', amount: 1, per: 'unit' })])),
    [1000, 999, 999],
  )
})

t.test('existing discounts are replaced, retained or added to', async (t) => {
  const basket = aBasket([{ own: [100] }, {}])
  const reward = { kind: 'line_percentage', percentage: percent(20) } as const
  t.same(netsOf(price(basket, [aBenefit('b', reward)])), [800, 800])
  t.same(netsOf(price(basket, [aBenefit('b', reward, { existingDiscounts: 'keep' })])), [900, 800])
  t.same(netsOf(price(basket, [aBenefit('b', reward, { existingDiscounts: 'add' })])), [720, 800])
})

t.test('a discount of the POS that is larger stays', async (t) => {
  const result = price(aBasket([{ own: [300] }]), [aBenefit('b', { kind: 'line_percentage', percentage: percent(20) })])
  t.same(result.outcome, { status: 'unchanged', reason: 'existing_discount_kept' })
})

t.test('a maximum amount is spread in proportion to the uncapped amounts', async (t) => {
  const result = price(aBasket([{ price: 3000 }, { price: 1000 }]), [
    aBenefit('b', { kind: 'line_percentage', percentage: percent(50), maximumAmount: 1001 }),
  ])
  t.same(applied(result).lines.map(addedOn), [[['amount', 751]], [['amount', 250]]])
  t.ok(result.optimal)
})

t.test('stackable benefits apply on what is left, in the order of their ids', async (t) => {
  const result = price(aBasket([{}]), [
    aBenefit('c', { kind: 'line_percentage', percentage: percent(10) }, { combination: 'stackable' }),
    aBenefit('b', { kind: 'line_amount', amount: 100, per: 'unit' }, { combination: 'stackable' }),
    aBenefit('z', { kind: 'line_percentage', percentage: percent(20) }),
  ])
  t.same(addedOn(applied(result).lines[0]), [
    ['percentage', 200],
    ['amount', 100],
    ['percentage', 70],
  ])
})

t.test('an exclusive benefit stands alone, where it is worth more than all others', async (t) => {
  const basket = aBasket([{}, {}])
  const small = aBenefit('small', { kind: 'line_percentage', percentage: percent(10) })
  const alone = (percentage: number) =>
    aBenefit(
      'alone',
      { kind: 'line_percentage', select: { productIds: ['product-0'] }, percentage: percent(percentage) },
      { combination: 'exclusive' },
    )
  t.same(netsOf(price(basket, [small, alone(15)])), [900, 900])
  t.same(netsOf(price(basket, [small, alone(25)])), [750, 1000])
})

t.test('a limit in units gives to as many units as are left, where they are worth most', async (t) => {
  const limits = [{ limitId: 'l', scope: 'member', period: 'day', counts: 'units', maximum: 3 } as const]
  const basket = aBasket([
    { price: 100, quantity: 5 },
    { price: 900, quantity: 2 },
  ])
  const benefit = aBenefit('b', { kind: 'line_percentage', percentage: percent(50) }, { limits })
  const result = price(basket, [benefit])
  t.same(applied(result).lines.map(addedOn), [[['amount', 50]], [['percentage', 900]]])
  t.same(result.wants, [{ limitId: 'l', subject: 'member-1', period: '2026-11-21', units: 3, maximum: 3 }])
  const left = price(basket, [benefit], { available: { 'l\nmember-1\n2026-11-21': 1 } })
  t.same(applied(left).lines.map(addedOn), [[], [['amount', 450]]])
  const none = price(basket, [benefit], { available: { 'l\nmember-1\n2026-11-21': 0 } })
  t.same(none.outcome, { status: 'unchanged', reason: 'limit_exhausted' })
})
