import t from 'tap'
import { percentageOf } from '../../../../engine/core/base/money.js'
import { aBenefit, aCase, aLine } from '../../../oracle/a-case.js'
import { Dice } from '../../../support/dice.js'
import { offersOf } from '../offers-of.js'
import { solveLines } from './solve-lines.js'

const rounds = 1000

/** Prices of which an odd percentage is about half a minor unit, and may be less in doubles. */
function dearPrice(dice: Dice): number {
  return dice.between(1, 90_000_000) * 1_000_000 + 500_000 + dice.between(0, 2)
}

function oddPercentage(dice: Dice): number {
  return 2 * dice.between(0, 499_999) + 1
}

t.test('what one buy_get gains at most holds also where doubles are short of it', async (t) => {
  const dice = new Dice(5)
  const one = { quantity: 1 }
  for (let round = 0; round < rounds; round += 1) {
    const percentage = oddPercentage(dice)
    const benefit = aBenefit('half', { kind: 'buy_get', buy: one, get: { ...one, percentage } })
    const price = dearPrice(dice)
    const { input, benefits } = aCase([aLine('a', 2, price)], [benefit])
    const { basis, offers } = offersOf(input.basket, benefits)
    const { bound } = solveLines(basis, offers)
    if (bound < percentageOf(percentage, price)) t.fail(`${price}: ${bound}`)
  }
  t.pass('no bound below')
})
