import t from 'tap'
import { type BasisLine, basisFrom } from '../../../../../engine/core/base/basis.js'
import { moneyMax } from '../../../../../engine/core/base/money.js'
import {
  lineAmount,
  linePercentage,
  memberPrice,
  orderAmount,
  orderPercentage,
  priceOverride,
  tierFor,
} from '../../../../../engine/core/offers/rewards.js'
import { aBasket, code, type LineSketch, percent } from '../../builders.js'

/** The line as the rewards see it. */
function aBasisLine(sketch: LineSketch): BasisLine {
  return basisFrom(aBasket([sketch]), code).lines[0]!
}

const three = aBasisLine({ quantity: 3, price: 1000 })
const weighed = aBasisLine({ quantity: 1.5, price: 1000 })

t.test('an amount per unit is taken for each piece, up to what they hold', async (t) => {
  const amount = lineAmount(300, 'unit')
  t.equal(amount(three, 2, 2000), 600)
  t.equal(amount(three, 3, 3000), 900)
  t.equal(amount(three, 2, 599), 599)
})

t.test('an amount per unit is taken for the weight of weighed goods, up to what they hold', async (t) => {
  const amount = lineAmount(301, 'unit')
  t.equal(amount(weighed, 1, 1500), 452)
  t.equal(amount(weighed, 1, 100), 100)
})

t.test('an amount per line is taken once, up to what the line holds', async (t) => {
  const amount = lineAmount(300, 'line')
  t.equal(amount(three, 3, 3000), 300)
  t.equal(amount(weighed, 1, 1500), 300)
  t.equal(amount(three, 3, 299), 299)
})

t.test('a percentage is taken of what the pieces hold, rounded half up', async (t) => {
  t.equal(linePercentage(percent(10))(three, 1, 1005), 101)
  t.equal(linePercentage(percent(10))(three, 1, 1004), 100)
})

t.test('a member price takes what is above it and nothing where the pieces hold less', async (t) => {
  const amount = memberPrice(800)
  t.equal(amount(three, 2, 2000), 400)
  t.equal(amount(three, 2, 1600), 0)
  t.equal(amount(three, 2, 1500), 0)
  t.equal(amount(weighed, 1, 1500), 300)
  t.equal(amount(weighed, 1, 1100), 0)
})

t.test('a price override takes the difference in price and nothing where it is not lower', async (t) => {
  t.equal(priceOverride(900)(three, 2, 2000), 200)
  t.equal(priceOverride(999)(three, 3, 3000), 3)
  t.equal(priceOverride(1000)(three, 3, 3000), 0)
  t.equal(priceOverride(1001)(three, 3, 3000), 0)
  t.equal(priceOverride(901)(weighed, 1, 1500), 1500 - 1352)
  t.equal(priceOverride(1200)(weighed, 1, 1500), 0)
})

t.test('a price override looks at the price that counts', async (t) => {
  const overridden = aBasisLine({ quantity: 3, price: 1000, override: 800 })
  t.equal(priceOverride(900)(overridden, 3, 2400), 0)
  t.equal(priceOverride(700)(overridden, 3, 2400), 300)
})

t.test('order rewards take an amount or a percentage of what the lines still cost', async (t) => {
  t.equal(orderAmount({ amount: 500, most: 1, cap: moneyMax })(499), 499)
  t.equal(orderAmount({ amount: 500, most: 1, cap: moneyMax })(501), 500)
  t.equal(orderPercentage(percent(15))(1010), 152)
  t.equal(orderPercentage(percent(15))(1003), 150)
})

t.test(
  'an order amount given several times is cut at the last, and net of worth leaves out what is not worth it',
  async (t) => {
    const times = { amount: 100, most: 5, cap: moneyMax }
    for (const [base, gross, net] of [
      [0, 0, 0],
      [80, 80, 0],
      [81, 81, 1],
      [250, 250, 40],
      [281, 281, 41],
      [501, 500, 100],
    ] as const) {
      t.equal(orderAmount(times)(base), gross)
      t.equal(orderAmount(times, 80)(base), net, String(base))
      t.equal(orderAmount(times, 100)(base), 0)
    }
    t.equal(orderAmount({ ...times, cap: 190 }, 80)(501), 30)
  },
)

t.test('the highest tier that the units reach is the tier', async (t) => {
  const tiers = [
    { quantity: 2, percentage: percent(10) },
    { quantity: 5, percentage: percent(20) },
  ]
  t.equal(tierFor(tiers, 1), null)
  t.same(tierFor(tiers, 2), tiers[0])
  t.same(tierFor(tiers, 4), tiers[0])
  t.same(tierFor(tiers, 5), tiers[1])
  t.same(tierFor(tiers, 500), tiers[1])
  t.equal(tierFor([], 5), null)
})
