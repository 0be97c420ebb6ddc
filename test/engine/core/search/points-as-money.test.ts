import t from 'tap'
import type { Reward } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, aMember, percent, price } from '../builders.js'
import { freeOf } from './stamps.js'

const points = aBenefit(
  'points',
  { kind: 'order_amount', amount: 100, maximumTimes: 1000 },
  { costs: { currencyId: 'points', amount: 10, per: 'times', worth: 80 } },
)
const holding = (amount: number) => ({ ...aMember, balances: { points: amount } })

t.test('points are money: as one discount, and the last time is spent where it is worth it', async (t) => {
  for (const [net, held, times, off] of [
    [5000, 10_000, 50, 5000],
    [5081, 10_000, 51, 5081],
    [5080, 10_000, 50, 5000],
    [5000, 129, 12, 1200],
    [80, 10_000, 0, 0],
    [300_000, 100_000, 1000, 100_000],
  ] as const) {
    const said = price(aBasket([{ price: net }]), [points], { member: holding(held) })
    t.match(said, { optimal: true, value: off - 80 * times, netAfter: net - off }, `${net}`)
    t.same(
      said.spending.map((each) => [each.per, each.amount, each.times]),
      times === 0 ? [] : [['times', 10, times]],
    )
    t.equal(said.loyaltyDiscountTotal, off)
  }
  const plain = price(aBasket([{ price: 250 }]), [
    aBenefit('o', { kind: 'order_amount', amount: 100, maximumTimes: 2 }),
  ])
  t.match(plain, { optimal: true, value: 200 })
})

t.test('points as money keep to limits, other benefits and what they share', async (t) => {
  const basket = aBasket([{ price: 3000 }, { price: 2000, product: 'tea' }])
  const money = { limitId: 'l', scope: 'member', period: 'day', counts: 'amount', maximum: 1230 } as const
  const limited = price(basket, [{ ...points, limits: [money] }], { member: holding(10_000) })
  t.match(limited, { optimal: true, value: 1200 - 960, spending: [{ times: 12 }] })
  const tenth = aBenefit('tenth', { kind: 'line_percentage', percentage: percent(10) })
  const after = price(basket, [tenth, points], { member: holding(10_000) })
  t.match(after, { optimal: true, value: 500 + 4500 - 3600, netAfter: 0 })
  const later = aBenefit('zz', { kind: 'order_percentage', percentage: percent(50) }, { combination: 'stackable' })
  // Half of the rest comes off: a time saves 50 there, and is worth 80.
  t.match(price(basket, [points, later], { member: holding(10_000) }), { optimal: true, value: 2500, spending: [] })
  const select = { productIds: ['tea'] }
  const some = { ...points, benefitId: 'some', reward: { ...points.reward, select } as Reward }
  t.match(
    price(basket, [some, freeOf('tea', 10)], { member: { ...holding(10_000), balances: { points: 50, stamps: 10 } } }),
    {
      optimal: true,
      value: 2000,
      spending: [{ currencyId: 'stamps' }],
    },
  )
})
