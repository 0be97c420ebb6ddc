import t from 'tap'
import { aBasket, aBenefit, applied, basketOf, code, price, sentBack } from '../builders.js'

t.test('an added line that comes again while another line is split is no outcome as sent', async (t) => {
  const limit = { limitId: 'l', scope: 'everyone', period: 'ever', counts: 'units', maximum: 1 } as const
  const override = aBenefit('o', { kind: 'price_override', unitPrice: 10 }, { limits: [limit] })
  const basket = aBasket([
    { id: 'a', quantity: 2 },
    { id: 'gift', addedByLoyalty: true, own: [{ amount: 1000, lineDiscountCode: code }] },
  ])
  t.match(applied(price(basket, [override])).lines, [
    { lineId: 'a', quantity: 1000 },
    { kind: 'split', splitFromLineId: 'a', overrideUnitPrice: 10 },
  ])
})

t.test('order discounts of ours that come again are compared line by line', async (t) => {
  const order = aBenefit('o', { kind: 'order_amount', amount: 100 })
  const basket = aBasket([{ price: 300 }, { price: 300 }])
  const answered = sentBack(basket, applied(price(basket, [order])))
  t.equal(price(answered, [order]).outcome.status, 'unchanged')
  const elsewhere = answered.lines.map((line, at) => {
    const share = at === 1 ? 100 : 0
    const orderDiscountAllocations = share > 0 ? [{ orderDiscountId: 'loyalty-1', amount: share }] : []
    return { ...line, orderDiscountAllocations, totals: { ...line.totals, orderDiscount: share, net: 300 - share } }
  })
  const moved = basketOf(elsewhere, { orderDiscounts: answered.orderDiscounts })
  t.match(applied(price(moved, [order])).lines, [{ totals: { orderDiscount: 50 } }, { totals: { orderDiscount: 50 } }])
})
