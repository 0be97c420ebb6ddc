import t from 'tap'
import { everyCounter } from '../../../../engine/core/base/input.js'
import { accountKey } from '../../../../engine/core/base/outcome.js'
import type { Cost, Reward } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, aMember, applied, aVenue, percent, price, sentBack } from '../builders.js'
import { aCost, coffee, free, freeOf, having, paid } from './stamps.js'

const cups = aBasket([{ quantity: 3, price: 3500 }])

t.test('the benefit applies to as many units as the member can pay', async (t) => {
  for (const [stamps, units] of [
    [10, 1],
    [29, 2],
    [30, 3],
    [1000, 3],
  ] as const) {
    const said = price(cups, [coffee], { member: having(stamps) })
    t.same(paid(said), [['coffee', units]])
    t.equal(said.value, units * 2500)
    t.equal(said.netAfter, (3 - units) * 3500)
    t.same([said.optimal, said.gap], [true, 0])
    t.same(said.benefits[0]!.spent, { currencyId: 'stamps', amount: 10 * units })
  }
})

t.test('a benefit must give more than the worth of its cost', async (t) => {
  const at = (unitPrice: number) => price(aBasket([{ price: unitPrice }]), [coffee], { member: having(10) })
  t.same(paid(at(1001)), [['coffee', 1]])
  for (const unitPrice of [1, 999, 1000]) {
    t.same(paid(at(unitPrice)), [])
    t.match(at(unitPrice), { outcome: { reason: 'existing_discount_kept' }, value: 0, optimal: true })
  }
})

t.test('a member who cannot pay a single unit does not reach the benefit', async (t) => {
  for (const member of [having(9), aMember, { ...aMember, balances: { points: 50 } }]) {
    const said = price(cups, [coffee], { member })
    const amount = 10 - (member.balances?.['stamps'] ?? 0)
    t.match(said.outcome, { status: 'unchanged', reason: 'conditions_not_met' })
    t.same(said.benefits[0]!.dropped, {
      stage: 'conditions_not_met',
      missing: [{ kind: 'value', currencyId: 'stamps', amount }],
    })
  }
  const times = aBenefit(
    'pair',
    { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 2, percentage: percent(100) } },
    aCost(10),
  )
  const held = { [accountKey('stamps')]: 3 }
  t.match(price(cups, [coffee], { member: having(5), available: held }).benefits[0]!.dropped, {
    missing: [{ amount: 5 }],
  })
  const unknown = price(cups, [coffee], { member: having(5), available: { [everyCounter]: 0 } })
  t.match(unknown.benefits[0]!.dropped, { missing: [{ amount: 5 }] })
  t.match(price(cups, [times], { member: having(19) }).benefits[0]!.dropped, { missing: [{ amount: 1 }] })
  t.same(paid(price(cups, [times], { member: having(20) })), [['pair', 2]])
})

t.test('value held by other open calculations is not spent, and is the reason', async (t) => {
  const held = { [accountKey('stamps')]: 9 }
  const said = price(cups, [coffee], { member: having(10), available: held })
  t.match(said.outcome, { reason: 'limit_exhausted' })
  t.same(said.benefits[0]!.dropped, { stage: 'value_held', currencyId: 'stamps', left: 9, wanted: 10 })
  const unknown = price(cups, [coffee], { available: { [everyCounter]: 0 } })
  t.match(unknown.outcome, { reason: 'limit_exhausted' })
  t.same(paid(unknown), [])
  t.same(paid(price(cups, [coffee], { member: having(5), available: { [accountKey('stamps')]: 20 } })), [['coffee', 2]])
})

t.test('benefits that cost one currency share what is there, for the greatest value', async (t) => {
  const basket = aBasket([
    { product: 'cake', price: 5000, quantity: 2 },
    { product: 'tea', price: 3000, quantity: 2 },
  ])
  const benefits = [freeOf('cake', 20), freeOf('tea', 10)]
  const spentAt = (stamps: number) => {
    const said = price(basket, benefits, { member: having(stamps) })
    t.equal(said.optimal, true)
    return paid(said)
  }
  t.same(spentAt(10), [['tea', 1]])
  t.same(spentAt(20), [['tea', 2]])
  t.same(spentAt(30), [
    ['cake', 1],
    ['tea', 1],
  ])
  t.same(spentAt(40), [
    ['cake', 1],
    ['tea', 2],
  ])
  t.same(spentAt(50), [
    ['cake', 2],
    ['tea', 1],
  ])
  t.same(spentAt(60), [
    ['cake', 2],
    ['tea', 2],
  ])
})

t.test('of outcomes of equal value one that spends least is chosen', async (t) => {
  const basket = aBasket([{ price: 1000, quantity: 4 }])
  const dear = aBenefit('a', free, aCost(3))
  const cheap = aBenefit('b', free, { ...aCost(2), priority: -5 })
  const unpaid = aBenefit('c', free, {
    priority: -9,
    limits: [{ limitId: 'l', scope: 'member', period: 'ever', counts: 'units', maximum: 3 }],
  })
  t.same(paid(price(basket, [dear, cheap], { member: having(100) })), [['b', 4]])
  t.same(paid(price(basket, [dear, cheap, unpaid], { member: having(100) })), [['b', 1]])
  const capped = aBenefit('d', { kind: 'line_percentage', percentage: percent(50), maximumAmount: 600 }, aCost(1))
  t.same(paid(price(basket, [capped], { member: having(100) })), [['d', 2]])
})

t.test('a benefit is paid for each unit, each time or each basket', async (t) => {
  const buyGet: Reward = { kind: 'buy_get', buy: { quantity: 1 }, get: { quantity: 2, percentage: percent(100) } }
  const bundle: Reward = { kind: 'bundle_price', components: [{ quantity: 2 }], price: 100 }
  const basket = aBasket([{ price: 1000, quantity: 6 }])
  const timesOf = (reward: Reward, per: Cost['per']) =>
    paid(price(basket, [aBenefit('x', reward, aCost(1, { per }))], { member: having(100) }))[0]![1]
  t.same([timesOf(buyGet, 'unit'), timesOf(buyGet, 'times'), timesOf(buyGet, 'basket')], [4, 2, 1])
  t.same([timesOf(bundle, 'unit'), timesOf(bundle, 'times'), timesOf(bundle, 'basket')], [3, 3, 1])
  t.same(timesOf({ kind: 'order_amount', amount: 50 }, 'basket'), 1)
  const paidTwice = price(basket, [aBenefit('x', bundle, aCost(1, { per: 'times' }))], { member: having(2) })
  t.match(paidTwice, { value: 2 * 1900, optimal: true })
})

t.test('costs on the order, stackable ones and added products compete with their worth too', async (t) => {
  const basket = aBasket([{ price: 1000 }, { price: 2000 }])
  const order = aBenefit(
    'order',
    { kind: 'order_percentage', percentage: percent(10) },
    aCost(5, { per: 'basket', worth: 250 }),
  )
  const stack = aBenefit(
    'stack',
    { kind: 'line_amount', amount: 100, per: 'line' },
    {
      ...aCost(5, { per: 'basket', worth: 195 }),
      combination: 'stackable',
    },
  )
  const gift = aBenefit('gift', { kind: 'free_product', productId: 'gift', quantity: 3 }, aCost(4, { worth: 499 }))
  const venue = aVenue([{ productId: 'gift', unitPrice: 500 }])
  const said = (stamps: number) => price(basket, [order, stack, gift], { member: having(stamps), venue })
  t.same([paid(said(4)), said(4).value], [[['gift', 1]], 1])
  t.same([paid(said(5)), said(5).value], [[['order', 1]], 50])
  t.same(
    [paid(said(10)), said(10).value],
    [
      [
        ['order', 1],
        ['gift', 1],
      ].sort(),
      51,
    ],
  )
  t.same(said(9).netAfter, 2700)
})

t.test('units of weighed lines are passed over where units cost', async (t) => {
  const basket = aBasket([
    { quantity: 1.5, price: 1000 },
    { quantity: 1, price: 500 },
  ])
  t.same(paid(price(basket, [aBenefit('x', free, aCost(1))], { member: having(9) })), [['x', 1]])
  const whole = price(basket, [aBenefit('x', free, aCost(1, { per: 'basket' }))], { member: having(9) })
  t.equal(whole.netAfter, 0)
})

t.test('the spending names the lines of the basket to charge', async (t) => {
  const basket = aBasket([
    { id: 'a', price: 1000, quantity: 3 },
    { id: 'b', price: 500, quantity: 0.5 },
  ])
  const override = aBenefit(
    'override',
    { kind: 'price_override', unitPrice: 100 },
    {
      ...aCost(1),
      limits: [{ limitId: 'l', scope: 'member', period: 'ever', counts: 'units', maximum: 2 }],
    },
  )
  const order = aBenefit('paid', { kind: 'order_amount', amount: 50 }, aCost(1, { per: 'basket' }))
  const gift = aBenefit('gift', { kind: 'free_product', productId: 'gift', quantity: 2 }, aCost(1))
  const member = having(5)
  const said = price(basket, [override, order, gift], { member, venue: aVenue([{ productId: 'gift' }]) })
  const lines = applied(said).lines.map(({ lineId, quantity }) => [lineId, quantity])
  t.same(lines, [
    ['a', 1000],
    ['loyalty-1', 2000],
    ['b', 500],
    ['loyalty-2', 2000],
  ])
  t.same(said.spending, [
    {
      benefitId: 'gift',
      currencyId: 'stamps',
      per: 'unit',
      amount: 1,
      times: 2,
      lines: [{ lineId: 'loyalty-2', units: 2 }],
    },
    {
      benefitId: 'override',
      currencyId: 'stamps',
      per: 'unit',
      amount: 1,
      times: 2,
      lines: [{ lineId: 'loyalty-1', units: 2 }],
    },
    {
      benefitId: 'paid',
      currencyId: 'stamps',
      per: 'basket',
      amount: 1,
      times: 1,
      lines: [
        { lineId: 'a', units: 1, amount: 34 },
        { lineId: 'loyalty-1', units: 2, amount: 7 },
        { lineId: 'b', units: 1, amount: 9 },
      ],
    },
  ])
  const again = price(sentBack(basket, applied(said)), [override, order, gift], {
    member,
    venue: aVenue([{ productId: 'gift' }]),
  })
  t.match(again.outcome, { status: 'unchanged' })
  t.same(again.spending, said.spending)
})

t.test('no quantity of units exhausts the budget', async (t) => {
  const basket = aBasket([{ price: 1999, quantity: 6_000_000 }])
  for (const worth of [0, 10, 3000]) {
    const benefit = aBenefit('x', { kind: 'line_percentage', percentage: percent(33.33) }, aCost(1, { worth }))
    for (const stamps of [5, 4_000_000, 50_000_000]) {
      const said = price(basket, [benefit], { member: having(stamps), stepsMax: 12_000 })
      const units = worth === 3000 ? 0 : Math.min(stamps, 6_000_000)
      t.ok(said.steps < 12_000, `${said.steps} steps`)
      t.same(paid(said), units === 0 ? [] : [['x', units]])
    }
  }
})

t.test('each currency is paid from an account of its own', async (t) => {
  const basket = aBasket([
    { product: 'cake', price: 5000, quantity: 2 },
    { product: 'tea', price: 3000, quantity: 2 },
  ])
  const member = { ...aMember, balances: { stamps: 2, points: 1 } }
  const said = price(basket, [freeOf('cake', 1), freeOf('tea', 1, { currencyId: 'points' })], { member })
  t.match(said, { value: 2 * 5000 + 3000, optimal: true })
})
