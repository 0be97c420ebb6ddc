import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, addedOn, applied, netsOf, percent, price } from '../builders.js'

t.test('of two benefits each line gets the better one', async (t) => {
  const result = price(aBasket([{ price: 1000 }, { price: 100 }]), [
    aBenefit('amount', { kind: 'line_amount', amount: 90, per: 'unit' }),
    aBenefit('percentage', { kind: 'line_percentage', percentage: percent(10) }),
  ])
  t.same(netsOf(result), [900, 10])
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

t.test('on a line ties go to less limited quantity, then priority, then the smaller id', async (t) => {
  const names = (benefits: readonly Benefit[]) =>
    price(aBasket([{}, {}]), benefits)
      .benefits.filter(({ dropped }) => dropped === null)
      .map(({ benefitId }) => benefitId)
  const limits = [{ limitId: 'l', scope: 'member', period: 'ever', counts: 'baskets', maximum: 9 } as const]
  const ten = aBenefit('a', { kind: 'line_percentage', percentage: percent(10) })
  const a = { ...ten, benefitId: 'a' }
  const b = { ...ten, benefitId: 'b' }
  t.same(names([b, a]), ['a'])
  t.same(names([{ ...a, limits }, b]), ['b'])
  t.same(names([a, { ...b, priority: 1 }]), ['b'])
})

t.test('a maximum amount is spread in proportion to the uncapped amounts', async (t) => {
  const result = price(aBasket([{ price: 3000 }, { price: 1000 }]), [
    aBenefit('b', { kind: 'line_percentage', percentage: percent(50), maximumAmount: 1001 }),
  ])
  t.same(applied(result).lines.map(addedOn), [[['amount', 751]], [['amount', 250]]])
  t.ok(result.optimal)
})

t.test('a percentage after a bundle is exact: the saving is spread before it is taken', async (t) => {
  const basket = aBasket([
    { product: 'a', price: 101 },
    { product: 'b', price: 57 },
    { product: 'c', price: 33 },
  ])
  const components = ['a', 'b'].map((productId) => ({ select: { productIds: [productId] }, quantity: 1 }))
  const bundle = aBenefit('b', { kind: 'bundle_price', components, price: 100 })
  const stack = aBenefit('s', { kind: 'line_percentage', percentage: percent(15) }, { combination: 'stackable' })
  const result = price(basket, [bundle, stack])
  t.same(netsOf(result), [54, 31, 28])
  t.ok(result.optimal)
})
