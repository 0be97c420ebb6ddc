import t from 'tap'
import { aBasket, aBenefit, addedOn, applied, netsOf, percent, price } from '../builders.js'

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
