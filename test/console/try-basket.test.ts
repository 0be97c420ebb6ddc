import t from 'tap'
import type * as Basket from '../../console/src/areas/programme/try/basket.js'
import { load } from './load.js'

const { anyone, basketOf, bodyOf, emptyBasket, searchOf, sumOfLine } = await load<typeof Basket>(
  'areas/programme/try/basket.ts',
)

const venue = {
  ...{ venueId: 'oslo', currency: 'NOK', baxIds: ['7100001'] },
  products: [
    { productId: 'coffee', unitPrice: 5200n, productGroupId: 'hot', noDiscount: false, noPercentageDiscount: false },
    { productId: 'salmon', unitPrice: 18_900n, ean: '123', noDiscount: false, noPercentageDiscount: true },
  ],
}

t.test('units and weights come to what the contract has, and what is no line comes to nothing', (t) => {
  for (const [productId, quantity, discount, expected] of [
    ['coffee', '2', '', [10_400, 0]],
    ['coffee', '2', '4,50', [10_400, 450]],
    ['salmon', '0.355', '', [6710, 0]],
    ['salmon', '0,3554', '', null],
    ['coffee', '0', '', null],
    ['coffee', '-1', '', null],
    ['coffee', 'two', '', null],
    ['coffee', '1', '52.01', null],
    ['coffee', '1', '-1', null],
    ['tea', '1', '', null],
  ] as const) {
    const sum = sumOfLine({ productId, quantity, discount }, venue, 2)
    t.same(sum && [sum.gross, sum.discount], expected, `${quantity} ${productId} ${discount}`)
  }
  t.end()
})

t.test('a basket is sent as a POS would send it', (t) => {
  const lines = [
    { productId: 'coffee', quantity: '2', discount: '4' },
    { productId: 'salmon', quantity: '0.355', discount: '' },
  ]
  const sums = lines.map((line) => sumOfLine(line, venue, 2)!)
  const body = JSON.parse(bodyOf(sums, venue, { calculationId: 'x', requestedAt: '2026-12-01T08:00:00+01:00' }))
  t.same(body, {
    calculationId: 'x',
    currency: 'NOK',
    requestedAt: '2026-12-01T08:00:00+01:00',
    context: { venueId: 'oslo', baxId: '7100001', cashRegisterId: '1', channel: 'pos' },
    lines: [
      {
        ...{ lineId: '1', productId: 'coffee', productGroupId: 'hot', quantity: 2, unitPrice: 5200, noDiscount: false },
        discounts: [{ type: 'amount', amount: 400, text: 'POS' }],
        totals: { gross: 10_400, lineDiscount: 400, orderDiscount: 0, net: 10_000 },
      },
      {
        ...{ lineId: '2', productId: 'salmon', ean: '123', quantity: 0.355, unitPrice: 18_900, noDiscount: false },
        noPercentageDiscount: true,
        totals: { gross: 6710, lineDiscount: 0, orderDiscount: 0, net: 6710 },
      },
    ],
    totals: { gross: 17_110, lineDiscount: 400, orderDiscount: 0, net: 16_710 },
  })
  t.end()
})

t.test('a basket comes back from its address as it was, and a long or foreign one does no harm', (t) => {
  const line = { productId: 'coffee, "large"', quantity: '0.5', discount: '' }
  const gold = { ...anyone, tier: 'gold', visits: '3', balances: { stamps: '9' } } as const
  for (const basket of [
    { ...emptyBasket, venueId: 'oslo' },
    { ...emptyBasket, venueId: 'oslo', lines: [line, { ...line, discount: '2.00' }], at: '2026-12-01T15:30' },
    { ...emptyBasket, venueId: 'oslo', buyer: { kind: 'nobody' }, ignoreLimits: true },
    { ...emptyBasket, venueId: 'oslo', buyer: { kind: 'known', loyaltyId: 'LOY-ANNA' } },
    { ...emptyBasket, venueId: 'oslo', buyer: gold },
  ] as const) {
    t.same(basketOf(JSON.parse(JSON.stringify(searchOf(basket)))), basket)
  }
  t.same(searchOf(emptyBasket), {})
  t.same(searchOf({ ...emptyBasket, venueId: 'oslo', lines: Array.from({ length: 100 }, () => line) }), {})
  t.equal(basketOf({}), null)
  t.same(basketOf({ venue: 'oslo', lines: [7, [], ['a']], buyer: 7, at: 'x', unlimited: 'yes' }), {
    ...emptyBasket,
    venueId: 'oslo',
    lines: [{ productId: 'a', quantity: '1', discount: '' }],
  })
  t.end()
})
