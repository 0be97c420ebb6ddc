import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import type { Offer } from '../../../../engine/core/offers/offer.js'
import { coarseNet, leastNet } from '../../../../engine/core/order/order-bound.js'
import { placeOrders } from '../../../../engine/core/order/orders.js'
import { Dice } from '../../../support/dice.js'
import { aBasket, aBenefit } from '../builders.js'
import { offersOf } from '../offers-of.js'

const products = ['a', 'b', 'c', 'd']
const rounds = 400

t.test('no choice of lines leaves less than the bound, nor does any where lines are dearer', async (t) => {
  const dice = new Dice(7)
  for (let round = 0; round < rounds; round += 1) {
    const offers = drawOffers(dice)
    const room = products.map(() => dice.between(0, 60))
    const [first, ...others] = offers
    const bounds = [leastNet(room, offers), coarseNet(room, others)(first!), coarseNet(room, offers)(null)]
    const least = Math.max(...bounds)
    const best = leastBySubsets(room, offers)
    const dearer = room.map((each) => each + dice.between(0, 3))
    if (least > best) t.fail(`${room.join()}: ${least} above ${best}`)
    if (least > leastBySubsets(dearer, offers)) t.fail(`${room.join()} to ${dearer.join()}`)
  }
  t.pass('all hold')
})

t.test('percentages over the same lines are exact, and amounts go where no percentage looks', async (t) => {
  const share = order('p', { kind: 'order_percentage', percentage: 100_000, select: { productIds: ['a', 'b'] } })
  const amount = order('m', { kind: 'order_amount', amount: 30 })
  const offers = offersOn([amount, share])
  t.equal(leastNet([100, 100, 30, 0], offers), 230 - 30 - 20)
  t.equal(leastNet([100, 100, 10, 0], offers), 210 - 30 - 18)
  t.equal(leastBySubsets([100, 100, 30, 0], offers), 180)
  t.equal(leastNet([100, 100], []), 200)
})

function drawOffers(dice: Dice): Offer[] {
  const all = dice.chance(0.7) ? products : dice.some(products)
  const benefits = Array.from({ length: dice.between(1, 3) }, (_, at) => {
    const select = { productIds: dice.chance(0.6) ? [...all] : [...dice.some(products)] }
    const name = `b${at}`
    if (dice.chance(0.5)) return order(name, { kind: 'order_amount', amount: dice.between(1, 50), select })
    const percentage = dice.pick([100_000, 333_333, 500_000, 1_000_000])
    const maximumAmount = dice.chance(0.3) ? { maximumAmount: dice.between(1, 20) } : {}
    return order(name, { kind: 'order_percentage', percentage, select, ...maximumAmount })
  })
  return offersOn(benefits)
}

function order(benefitId: string, reward: Benefit['reward']): Benefit {
  return aBenefit(benefitId, reward, { combination: 'stackable' })
}

function offersOn(benefits: readonly Benefit[]): Offer[] {
  return offersOf(aBasket(products.map((product) => ({ product, price: 1000 }))), benefits).offers
}

function leastBySubsets(room: readonly number[], offers: readonly Offer[]): number {
  const [first, ...others] = offers
  if (first === undefined) return room.reduce((sum, each) => sum + each, 0)
  let least = Number.POSITIVE_INFINITY
  for (let bits = 0; bits < 2 ** first.lines.length; bits += 1) {
    const lines = first.lines.filter((_, at) => Math.floor(bits / 2 ** at) % 2 === 1)
    const nets = [...room]
    placeOrders(nets, [{ offer: first, lines }])
    least = Math.min(least, leastBySubsets(nets, others))
  }
  return least
}
