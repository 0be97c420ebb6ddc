import t from 'tap'
import type { Limit, Reward } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, addedOn, applied, netsOf, percent, price } from '../builders.js'

const twoForOne: Reward = {
  kind: 'buy_get',
  buy: { quantity: 1 },
  get: { quantity: 1, percentage: percent(100) },
}
const limit: Limit = { limitId: 'l', scope: 'everyone', period: 'ever', counts: 'units', maximum: 1 }

t.test('the cheapest units of one time are free, and the assignment is optimal', async (t) => {
  const basket = aBasket([{ price: 1000 }, { price: 900 }, { price: 300 }, { price: 200 }])
  const result = price(basket, [aBenefit('b', twoForOne)])
  t.same(netsOf(result), [1000, 0, 300, 0])
  t.ok(result.optimal)
})

t.test('noDiscount lines are bought only where buy includes them, and never got', async (t) => {
  const select = { includeNoDiscount: true }
  const including = aBenefit('b', { ...twoForOne, buy: { ...twoForOne.buy, select } })
  const card = aBasket([{ noDiscount: true }, { price: 5000 }])
  t.same(netsOf(price(card, [including])), [1000, 0])
  const not = price(card, [aBenefit('b', twoForOne)])
  t.same(not.outcome, { status: 'unchanged', reason: 'not_discountable' })
  const none = price(aBasket([{ noDiscount: true }, { noDiscount: true }]), [aBenefit('b', twoForOne)])
  t.same(none.outcome, { status: 'unchanged', reason: 'not_discountable' })
})

t.test('a thousand pairs cost the search what one pair costs', async (t) => {
  const [one, many] = [2, 2000].map((quantity) =>
    price(aBasket([{ quantity, price: 333 }]), [
      aBenefit('b', { ...twoForOne, get: { quantity: 1, percentage: percent(50) } }),
      aBenefit('c', { kind: 'line_percentage', percentage: percent(10) }),
    ]),
  )
  t.ok(one!.optimal && many!.optimal)
  t.ok(many!.steps <= one!.steps + 200, `${many!.steps} steps against ${one!.steps}`)
})

t.test('several units are got at a time, and the limits in units give whole times only', async (t) => {
  const reward: Reward = { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 2, percentage: percent(50) } }
  const basket = aBasket([{ price: 100, quantity: 9 }])
  t.same(netsOf(price(basket, [aBenefit('b', reward)])), [700])
  const limited = price(basket, [aBenefit('b', reward, { limits: [{ ...limit, maximum: 3 }] })])
  t.same(netsOf(limited), [800])
  t.match(limited.wants, [{ units: 2 }])
  const none = price(basket, [aBenefit('b', reward, { limits: [limit] })])
  t.same(none.outcome, { status: 'unchanged', reason: 'limit_exhausted' })
})

t.test('a bundle costs its price, and the saving is spread over its lines', async (t) => {
  const bundle: Reward = {
    kind: 'bundle_price',
    components: [
      { select: { productIds: ['burger'] }, quantity: 1 },
      { select: { productGroupIds: ['drinks'] }, quantity: 1 },
    ],
    price: 1000,
  }
  const basket = aBasket([
    { product: 'burger', price: 900 },
    { product: 'cola', group: 'drinks', price: 300 },
    { product: 'juice', group: 'drinks', price: 400, quantity: 2 },
  ])
  const result = price(basket, [aBenefit('b', bundle)])
  t.same(applied(result).lines.map(addedOn), [[['amount', 208]], [], [['amount', 92]]])
  t.equal(result.value, 300)
  const dear = price(basket, [aBenefit('b', { ...bundle, price: 1300 })])
  t.same(dear.outcome, { status: 'unchanged', reason: 'existing_discount_kept' })
})

t.test('a unit serves one normal benefit, and the best assignment of units to benefits is found', async (t) => {
  const basket = aBasket([
    { product: 'a', price: 1000, quantity: 2 },
    { product: 'b', price: 600, quantity: 2 },
  ])
  const pair: Reward = {
    kind: 'bundle_price',
    components: [
      { select: { productIds: ['a'] }, quantity: 1 },
      { select: { productIds: ['b'] }, quantity: 1 },
    ],
    price: 1200,
  }
  const half: Reward = { kind: 'line_percentage', select: { productIds: ['a'] }, percentage: percent(35) }
  const result = price(basket, [aBenefit('pair', pair), aBenefit('half', half)])
  t.equal(result.value, 800, 'two pairs')
  const better = price(basket, [aBenefit('pair', pair), aBenefit('half', { ...half, percentage: percent(45) })])
  t.equal(better.value, 900, 'both a at 45 %')
})

t.test('tiers count units, of noDiscount lines only where the selector includes them', async (t) => {
  const reward: Reward = {
    kind: 'volume_percentage',
    select: { includeNoDiscount: true },
    tiers: [
      { quantity: 3, percentage: percent(10) },
      { quantity: 5, percentage: percent(20) },
    ],
  }
  const lines = [{ quantity: 2 }, { noDiscount: true, quantity: 3 }, { quantity: 0.5 }]
  t.same(netsOf(price(aBasket(lines), [aBenefit('v', reward)])), [1600, 3000, 400])
  const few = price(aBasket([{ quantity: 2 }]), [aBenefit('v', reward)])
  t.same(few.benefits[0]!.dropped, { stage: 'conditions_not_met', missing: [{ kind: 'units', units: 1 }] })
  const without = price(aBasket(lines), [aBenefit('v', { ...reward, select: {} })])
  t.same(without.outcome, { status: 'unchanged', reason: 'not_discountable' })
})

t.test('a buy_get is applied whole times only', async (t) => {
  const ids = (id: string) => ({ productIds: [id] })
  const two = aBenefit('t', {
    kind: 'buy_get',
    buy: { select: ids('a'), quantity: 2 },
    get: { select: ids('b'), quantity: 2, percentage: percent(100) },
  })
  const three = aBasket([
    { product: 'a', quantity: 3 },
    { product: 'b', quantity: 3, price: 100 },
  ])
  t.equal(price(three, [two]).value, 200)
})

const drinkAndCake: Reward = {
  kind: 'bundle_discount',
  components: [
    { select: { productIds: ['coffee'] }, quantity: 1 },
    { select: { productGroupIds: ['cakes'] }, quantity: 1 },
  ],
  off: { amount: 1500 },
}

t.test('a bundle discount takes its amount off each time, spread over what the units hold', async (t) => {
  const basket = aBasket([
    { product: 'coffee', price: 4500, quantity: 3 },
    { product: 'bun', group: 'cakes', price: 3000 },
    { product: 'tart', group: 'cakes', price: 6000 },
  ])
  const result = price(basket, [aBenefit('b', drinkAndCake)])
  t.same(netsOf(result), [13_500 - 1500, 3000 - 500, 6000 - 1000])
  t.match(result, { value: 3000, optimal: true })
  const once = price(basket, [aBenefit('b', { ...drinkAndCake, maximumTimes: 1 })])
  t.equal(once.value, 1500)
  const limited = price(basket, [aBenefit('b', drinkAndCake, { limits: [limit] })])
  t.match(limited, { value: 1500, optimal: true, wants: [{ units: 1 }] })
  const money = { ...limit, counts: 'amount', maximum: 2999 } as const
  t.match(price(basket, [aBenefit('b', drinkAndCake, { limits: [money] })]), { value: 1500, optimal: true })
})

t.test('a bundle discount takes no more than all of its units hold, and is worth least on the cheapest', async (t) => {
  const cheap = aBasket([
    { product: 'coffee', price: 500 },
    { product: 'bun', group: 'cakes', price: 300 },
  ])
  t.match(price(cheap, [aBenefit('b', drinkAndCake)]), { value: 800, optimal: true, netAfter: 0 })
  const mixed = aBasket([
    { product: 'coffee', price: 500, quantity: 2 },
    { product: 'bun', group: 'cakes', price: 300 },
    { product: 'tart', group: 'cakes', price: 6000 },
  ])
  t.match(price(mixed, [aBenefit('b', drinkAndCake)]), { value: 3000, optimal: true })
  t.match(price(mixed, [aBenefit('b', { ...drinkAndCake, maximumTimes: 1 })]), { value: 1500, optimal: true })
  const money = { ...limit, counts: 'amount', maximum: 800 } as const
  t.match(price(mixed, [aBenefit('b', drinkAndCake, { limits: [money] })]), { value: 800, optimal: true })
})

t.test('a bundle discount by percentage is rounded once a line and passes over noPercentageDiscount', async (t) => {
  const tenth: Reward = { ...drinkAndCake, off: { percentage: percent(10) } }
  const basket = aBasket([
    { product: 'coffee', price: 4505, quantity: 2 },
    { product: 'bun', group: 'cakes', price: 3333, own: [33] },
  ])
  const result = price(basket, [aBenefit('b', tenth)])
  t.same(applied(result).lines.map(addedOn), [[['amount', 451]], [['amount', 333]]])
  t.match(result, { value: 451 + 333 - 33, optimal: true })
  const flagged = aBasket([{ product: 'coffee' }, { product: 'bun', group: 'cakes', noPercentageDiscount: true }])
  t.match(price(flagged, [aBenefit('b', tenth)]).outcome, { reason: 'not_discountable' })
  t.equal(price(flagged, [aBenefit('b', { ...drinkAndCake, off: { amount: 100 } })]).value, 100)
  const money = { ...limit, counts: 'amount', maximum: 700 } as const
  const pairs = aBasket([
    { product: 'coffee', price: 4000, quantity: 3 },
    { product: 'bun', group: 'cakes', price: 2000, quantity: 3 },
  ])
  t.match(price(pairs, [aBenefit('b', tenth, { limits: [money] })]), { value: 600, optimal: true })
  const half: Reward = { kind: 'line_percentage', select: { productIds: ['coffee'] }, percentage: percent(20) }
  t.match(price(pairs, [aBenefit('b', tenth), aBenefit('half', half)]), { value: 2400, optimal: true })
})
