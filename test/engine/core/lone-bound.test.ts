import t from 'tap'
import type { Benefit, Reward } from '../../../engine/core/base/programme.js'
import { planLine } from '../../../engine/core/lines/plan.js'
import { groundOf } from '../../../engine/core/model/components.js'
import { loneBound } from '../../../engine/core/search/lone-bound.js'
import { loneWorth } from '../../../engine/core/search/lone-worth.js'
import { aBenefit, aCase, aLine, limitedTo, staff } from '../../oracle/a-case.js'
import { bestOutcome } from '../../oracle/best-outcome.js'
import { Dice } from '../../support/dice.js'
import { offersOf } from './offers-of.js'

const rounds = 300
const percentages = [100_000, 333_333, 500_000, 1_000_000]

t.test(
  'no outcome gains more than the bound of a lone bundle or buy_get, whatever else counts on its lines',
  async (t) => {
    const dice = new Dice(11)
    let tight = 0
    for (let round = 0; round < rounds; round += 1) {
      const products = ['a', 'b', 'c']
      const beside = products.flatMap((product) => (dice.chance(0.5) ? [besideOn(dice, product)] : []))
      const question = aCase(linesOf(dice, products), [aBenefit('lone', drawGroup(dice)), ...beside])
      const bound = boundOf(question.input.basket, question.benefits)
      if (bound === null) continue
      const { value } = bestOutcome(question)
      if (bound < value) t.fail(`round ${round}: ${bound} below ${value}`)
      if (bound === value) tight += 1
    }
    t.ok(tight > rounds / 2, `${tight} of ${rounds} reached`)
  },
)

t.test('weights of 1 change no bound, and halved ones halve the gain on plain lines', async (t) => {
  const reward = { kind: 'buy_get', buy: one('a'), get: { ...one('b'), percentage: 500_000 } } as const
  const { input, benefits } = aCase([aLine('a', 2, 900), aLine('b', 2, 700)], [aBenefit('lone', reward)])
  t.equal(boundOf(input.basket, benefits), 700)
  t.equal(boundOf(input.basket, benefits, [1, 1]), 700)
  t.equal(boundOf(input.basket, benefits, [1, 0.5]), 350)
})

t.test('no bound is given where a unit could be of two parts, or a line has own discounts', async (t) => {
  const select = { productIds: ['a', 'b'] }
  const either: Reward = {
    kind: 'buy_get',
    buy: { select, quantity: 1 },
    get: { select, quantity: 1, percentage: 500_000 },
  }
  const apart: Reward = { kind: 'bundle_price', components: [one('a'), one('b')], price: 100 }
  const plain = [aLine('a', 2, 900), aLine('b', 2, 700)]
  t.equal(boundOf(aCase(plain, []).input.basket, [aBenefit('lone', either)]), null)
  const own = [aLine('a', 2, 900, staff(100)), aLine('b', 2, 700)]
  t.equal(boundOf(aCase(own, []).input.basket, [aBenefit('lone', apart)]), null)
  t.equal(boundOf(aCase(plain, []).input.basket, [aBenefit('lone', apart)]), 3000)
})

t.test('what a benefit is worth alone without a search is what the oracle finds', async (t) => {
  const dice = new Dice(12)
  let known = 0
  for (let round = 0; round < rounds; round += 1) {
    const lines = linesOf(dice, ['a', 'b', 'c'])
    const benefit = dice.chance(0.5) ? aBenefit('lone', drawGroup(dice)) : drawBounded(dice)
    const question = aCase(lines, [benefit])
    const { basis, offers } = offersOf(question.input.basket, [benefit])
    const worth = offers.length === 0 ? null : loneWorth(basis, offers[0]!)
    if (worth === null) continue
    known += 1
    const { value } = bestOutcome(question)
    if (worth !== Math.max(0, value)) t.fail(`round ${round}: ${worth} for ${value}`)
  }
  t.ok(known > rounds / 2, `${known} of ${rounds} known`)
})

type Basket = ReturnType<typeof aCase>['input']['basket']

function boundOf(basket: Basket, benefits: readonly Benefit[], weights: readonly number[] | null = null) {
  const { basis, offers } = offersOf(basket, benefits)
  const { lineOffers, tying, loose } = groundOf(basis, offers)
  if (tying.length === 0) return null
  const positions = basis.lines.map((_, at) => at)
  const indexOf = new Map(positions.map((at) => [at, at]))
  const ground = { lines: basis.lines, lineOffers, offers: tying, loose, positions, indexOf }
  const alone = basis.lines.map((line, at) => planLine(line, lineOffers[at]!))
  return loneBound(ground, alone, weights)
}

function one(product: string) {
  return { select: { productIds: [product] }, quantity: 1 }
}

function linesOf(dice: Dice, products: readonly string[]) {
  return products.map((product) => aLine(product, dice.between(1, 4), dice.between(1, 60)))
}

// Contains all three products, each in one part.
function drawGroup(dice: Dice): Reward {
  const few = { select: { productIds: ['a'] }, quantity: dice.between(1, 2) }
  const others = { select: { productIds: ['b', 'c'] }, quantity: dice.between(1, 2) }
  const maximumTimes = dice.chance(0.3) ? { maximumTimes: dice.between(1, 2) } : {}
  if (dice.chance(0.5)) {
    const price = dice.between(0, 90)
    return { kind: 'bundle_price', components: [few, others], price, ...maximumTimes }
  }
  const [buy, get] = dice.chance(0.5) ? [few, others] : [others, few]
  return { kind: 'buy_get', buy, get: { ...get, percentage: dice.pick(percentages) }, ...maximumTimes }
}

function besideOn(dice: Dice, product: string): Benefit {
  const select = { productIds: [product] }
  const combination = dice.chance(0.4) ? ({ combination: 'stackable' } as const) : {}
  if (dice.chance(0.3)) {
    return aBenefit(product, { kind: 'line_amount', select, amount: dice.between(1, 20), per: 'unit' }, combination)
  }
  return aBenefit(product, { kind: 'line_percentage', select, percentage: dice.pick(percentages) }, combination)
}

// On lines, with a limit in units or a maximum amount.
function drawBounded(dice: Dice): Benefit {
  const select = { productIds: ['a', 'b', 'c'] }
  const percentage = dice.pick(percentages)
  if (dice.chance(0.4)) {
    return aBenefit('lone', { kind: 'line_percentage', select, percentage, maximumAmount: dice.between(1, 60) })
  }
  const limits = limitedTo(dice.between(1, 8))
  const unitPrice = dice.between(0, 40)
  const rewards: readonly Reward[] = [
    { kind: 'line_percentage', select, percentage },
    { kind: 'line_amount', select, amount: dice.between(1, 30), per: 'unit' },
    { kind: 'member_price', select, unitPrice },
    { kind: 'price_override', select, unitPrice },
  ]
  return aBenefit('lone', dice.pick(rewards), limits)
}
