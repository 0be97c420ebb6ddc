import t from 'tap'
import { shortage } from '../../../../engine/core/offers/shortage.js'
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

t.test('a shortage counts what is missing when a unit serves one want only', async (t) => {
  const units = [2, 1, 0]
  const on = (line: number) => units[line]!
  t.equal(shortage([{ lines: [0], quantity: 2 }], on), 0)
  t.equal(
    shortage(
      [
        { lines: [0, 1], quantity: 2 },
        { lines: [0], quantity: 2 },
      ],
      on,
    ),
    1,
  )
  t.equal(
    shortage(
      [
        { lines: [0, 1], quantity: 1 },
        { lines: [0], quantity: 2 },
      ],
      on,
    ),
    0,
    'the first want moves over',
  )
  t.equal(
    shortage(
      [
        { lines: [2], quantity: 3 },
        { lines: [], quantity: 1 },
      ],
      on,
    ),
    4,
  )
})
