import t from 'tap'
import type { Benefit, Reward } from '../../../../engine/core/base/programme.js'
import { loneWorth } from '../../../../engine/core/search/lone-worth.js'
import { aCase, aLine, limitedTo } from '../../../oracle/a-case.js'
import { bestOutcome } from '../../../oracle/best-outcome.js'
import { Dice } from '../../../support/dice.js'
import { aBenefit } from '../builders.js'
import { offersOf } from '../offers-of.js'

const rounds = 300
const percentages = [100_000, 333_333, 500_000, 1_000_000]

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
