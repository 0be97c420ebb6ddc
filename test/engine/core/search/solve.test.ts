import t from 'tap'
import { percentageOf } from '../../../../engine/core/base/money.js'
import type { Benefit, Reward } from '../../../../engine/core/base/programme.js'
import { aCase, aLine, limitedTo, staff } from '../../../oracle/a-case.js'
import { bestOutcome } from '../../../oracle/best-outcome.js'
import { Dice } from '../../../support/dice.js'
import { aBenefit } from '../builders.js'
import { offersOf } from '../offers-of.js'
import { solveLines } from './solve-lines.js'

const rounds = 600
const percentages = [100_000, 333_333, 500_000, 1_000_000]
const products = ['a', 'b', 'c']

t.test('the best plans for one benefit are what the oracle finds, whatever else counts on its lines', async (t) => {
  const dice = new Dice(11)
  let proven = 0
  for (let round = 0; round < rounds; round += 1) {
    const beside = products.flatMap((product) => (dice.chance(0.4) ? [besideOn(dice, product)] : []))
    const { input, benefits } = aCase(linesOf(dice), [drawBenefit(dice), ...beside])
    const { basis, offers } = offersOf(input.basket, benefits)
    const { worth, bound } = solveLines(basis, offers)
    const { value } = bestOutcome({ input, benefits })
    if (worth > value || bound < value) t.fail(`round ${round}: ${worth} to ${bound} for ${value}`)
    if (worth === bound) proven += 1
  }
  t.ok(proven > rounds * 0.95, `${proven} of ${rounds} proven`)
})

t.test('weights of 1 change nothing, and halved ones halve the gain on plain lines', async (t) => {
  const reward = { kind: 'buy_get', buy: one('a'), get: { ...one('b'), percentage: 500_000 } } as const
  const { input, benefits } = aCase([aLine('a', 2, 900), aLine('b', 2, 700)], [aBenefit('lone', reward)])
  const { basis, offers } = offersOf(input.basket, benefits)
  const worths = [null, [1, 1], [1, 0.5]].map((weights) => solveLines(basis, offers, weights).worth)
  t.same(worths, [700, 700, 350])
})

t.test('units of two parts and own discounts are dealt as is best', async (t) => {
  const select = { productIds: ['a', 'b'] }
  const get = { select, quantity: 1, percentage: 500_000 }
  const either: Reward = { kind: 'buy_get', buy: { select, quantity: 1 }, get }
  const apart: Reward = { kind: 'bundle_price', components: [one('a'), one('b')], price: 100 }
  const plain = [aLine('a', 2, 900), aLine('b', 2, 700)]
  const own = [aLine('a', 2, 900, staff(100)), aLine('b', 2, 700)]
  t.equal(worthOf(plain, either), 800, 'a unit of each is got')
  t.equal(worthOf(plain, apart), 3000)
  t.equal(worthOf(own, apart), 2900, 'own discounts go')
  t.equal(worthOf([aLine('a', 9, 900), aLine('b', 9, 700)], apart), 13_500)
})

const dearRounds = 1000

/** Prices with an odd percentage of about half a minor unit, perhaps less in doubles. */
function dearPrice(dice: Dice): number {
  return dice.between(1, 90_000_000) * 1_000_000 + 500_000 + dice.between(0, 2)
}

function oddPercentage(dice: Dice): number {
  return 2 * dice.between(0, 499_999) + 1
}

t.test('what one buy_get gains at most holds also where doubles are short of it', async (t) => {
  const dice = new Dice(5)
  const one = { quantity: 1 }
  for (let round = 0; round < dearRounds; round += 1) {
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

function worthOf(lines: Parameters<typeof aCase>[0], reward: Reward): number {
  const { input, benefits } = aCase(lines, [aBenefit('lone', reward)])
  const { basis, offers } = offersOf(input.basket, benefits)
  const { worth, bound } = solveLines(basis, offers)
  t.equal(bound, worth, 'proven')
  return worth
}

function one(product: string) {
  return { select: { productIds: [product] }, quantity: 1 }
}

function linesOf(dice: Dice) {
  return products.map((product) => {
    const [units, price] = [dice.between(1, 4), dice.between(1, 60)]
    return dice.chance(0.2) ? aLine(product, units, price, staff(dice.between(1, price))) : aLine(product, units, price)
  })
}

function drawBenefit(dice: Dice): Benefit {
  const terms = dice.chance(0.3) ? ({ existingDiscounts: 'add' } as const) : {}
  return dice.chance(0.6) ? aBenefit('lone', drawGroup(dice), terms) : drawLimited(dice)
}

function drawGroup(dice: Dice): Reward {
  const few = { select: { productIds: ['a'] }, quantity: dice.between(1, 2) }
  const others = { select: { productIds: dice.chance(0.3) ? products : ['b', 'c'] }, quantity: dice.between(1, 2) }
  const maximumTimes = dice.chance(0.3) ? { maximumTimes: dice.between(1, 2) } : {}
  if (dice.chance(0.5)) {
    return { kind: 'bundle_price', components: [few, others], price: dice.between(0, 90), ...maximumTimes }
  }
  const [buy, get] = dice.chance(0.5) ? [few, others] : [others, few]
  return { kind: 'buy_get', buy, get: { ...get, percentage: dice.pick(percentages) }, ...maximumTimes }
}

function drawLimited(dice: Dice): Benefit {
  const select = { productIds: products }
  const limits = limitedTo(dice.between(1, 8))
  const percentage = dice.pick(percentages)
  if (dice.chance(0.5)) return aBenefit('lone', { kind: 'line_percentage', select, percentage }, limits)
  return aBenefit('lone', { kind: 'line_amount', select, amount: dice.between(1, 30), per: 'unit' }, limits)
}

function besideOn(dice: Dice, product: string): Benefit {
  const select = { productIds: [product] }
  const combination = dice.chance(0.4) ? ({ combination: 'stackable' } as const) : {}
  if (dice.chance(0.3)) {
    return aBenefit(product, { kind: 'line_amount', select, amount: dice.between(1, 20), per: 'unit' }, combination)
  }
  return aBenefit(product, { kind: 'line_percentage', select, percentage: dice.pick(percentages) }, combination)
}
