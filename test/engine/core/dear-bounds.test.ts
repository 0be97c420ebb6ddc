import t from 'tap'
import { percentageOf, percentageWhole } from '../../../engine/core/base/money.js'
import { groundOf } from '../../../engine/core/model/components.js'
import { looseGain } from '../../../engine/core/search/loose-gain.js'
import { simpleBound } from '../../../engine/core/search/simple-bound.js'
import { aBenefit, aCase, aLine } from '../../oracle/a-case.js'
import { Dice } from '../../support/dice.js'
import { offersOf } from './offers-of.js'

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
    const { lineOffers, tying } = groundOf(basis, offers)
    const ground = {
      lines: basis.lines,
      lineOffers,
      offers: tying,
      loose: [],
      positions: [0],
      indexOf: new Map([[0, 0]]),
    }
    const bound = simpleBound(ground)!
    if (bound < percentageOf(percentage, price)) t.fail(`${price}: ${bound}`)
  }
  t.pass('no bound below')
})

t.test('what one stackable maximum amount gains at most holds also where doubles are short of it', async (t) => {
  const dice = new Dice(6)
  const stackable = { combination: 'stackable' } as const
  for (let round = 0; round < rounds; round += 1) {
    // Later percentages leave a whole number and a millionth of this maximum, which roundings make one unit more.
    const percentage = 10 * dice.between(0, 99_999) + dice.pick([1, 3, 7, 9])
    const maximumAmount = dice.between(1, 90_000_000) * percentageWhole + inverseOf(percentageWhole - percentage)
    const left = dice.between(1, 90_000_000) * percentageWhole + percentageWhole / 2
    const price = maximumAmount + left
    const first = aBenefit('first', { kind: 'line_percentage', percentage: percentageWhole, maximumAmount }, stackable)
    const later = aBenefit('later', { kind: 'line_percentage', percentage }, stackable)
    const { input, benefits } = aCase([aLine('a', 1, price)], [first, later])
    const { basis, offers } = offersOf(input.basket, benefits)
    const { lineOffers, tying, loose } = groundOf(basis, offers)
    const gain = price - percentageOf(percentage, price) - (left - percentageOf(percentage, left))
    const bound = looseGain({ lines: basis.lines, lineOffers, tying }, loose[0]!)
    if (bound < gain) t.fail(`${price}, at most ${maximumAmount}: ${bound} below ${gain}`)
  }
  t.pass('no bound below')
})

// Times a number, this is 1 more than a multiple of 100 %.
function inverseOf(number: number): number {
  const modulus = BigInt(percentageWhole)
  let [power, inverse] = [BigInt(number), 1n]
  // For numbers that neither 2 nor 5 divides, the 400,000th power is 1.
  for (let exponent = 399_999; exponent > 0; exponent = Math.floor(exponent / 2)) {
    if (exponent % 2 === 1) inverse = (inverse * power) % modulus
    power = (power * power) % modulus
  }
  return Number(inverse)
}
