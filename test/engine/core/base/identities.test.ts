import t from 'tap'
import { moneyMax } from '../../../../engine/core/base/money.js'
import { checkIdentities } from '../../../../engine/core/index.js'
import { aBasket } from '../builders.js'

t.test('the first identity that does not hold is named with what was expected', async (t) => {
  const basket = aBasket([{}, { own: [100], allocations: { pos: 50 } }])
  const [first, second] = basket.lines
  const broken = (totals: object, line = first!) => ({
    ...basket,
    lines: basket.lines.map((each) => (each === line ? { ...each, totals: { ...each.totals, ...totals } } : each)),
  })
  t.equal(checkIdentities(basket), null)
  const cases: [Parameters<typeof checkIdentities>[0], string, string, string, string][] = [
    [broken({ gross: 999 }), 'lines[0].totals.gross', '1000', '999', 'quantity times the unit price, rounded half up'],
    [
      broken({ lineDiscount: 1 }, second),
      'lines[1].totals.lineDiscount',
      '100',
      '1',
      "the sum of the line's discounts",
    ],
    [
      broken({ orderDiscount: 1 }, second),
      'lines[1].totals.orderDiscount',
      '50',
      '1',
      "the sum of the line's order discount allocations",
    ],
    [broken({ net: 1 }), 'lines[0].totals.net', '1000', '1', 'gross less lineDiscount and orderDiscount'],
    [
      { ...basket, orderDiscounts: [{ ...basket.orderDiscounts[0]!, amount: 51 }] },
      'orderDiscounts[0].amount',
      '50',
      '51',
      'the sum of its allocations on the lines',
    ],
    [{ ...basket, totals: { ...basket.totals, net: 0 } }, 'totals.net', '1850', '0', 'the sum over the lines'],
  ]
  for (const [wrong, field, expected, received, rule] of cases) {
    t.same(checkIdentities(wrong), { kind: 'mismatch', field, expected, received, rule })
  }
  const nameless = { ...basket, orderDiscounts: [] }
  t.match(checkIdentities(nameless), {
    field: 'lines[1].orderDiscountAllocations[0].orderDiscountId',
    received: 'pos',
    rule: 'each allocation names an order discount',
  })
  const negative = aBasket([{ price: 10, own: [11] }])
  t.match(checkIdentities(negative), {
    kind: 'mismatch',
    field: 'lines[0].totals.net',
    received: '-1',
    rule: 'the discounts are larger than the gross',
  })
})

t.test('a result above the maximum is distinguished from a mismatch', async (t) => {
  const line = aBasket([{ price: moneyMax }]).lines[0]!
  const doubled = { ...line, quantity: 2000 }
  t.match(checkIdentities({ ...aBasket([{}]), lines: [doubled] }), { kind: 'overflow', field: 'lines[0].totals.gross' })
  const both = aBasket([{ price: moneyMax }, { price: moneyMax }])
  t.match(checkIdentities(both), { kind: 'overflow', field: 'totals.gross' })
})
