import t from 'tap'
import type { Benefit, Reward } from '../../../engine/core/base/programme.js'
import { plansAlone } from '../../../engine/core/lines/plan.js'
import { groundOf } from '../../../engine/core/model/components.js'
import { lineFieldOf, lineTask } from '../../../engine/core/search/field.js'
import { timesBound } from '../../../engine/core/search/times-bound.js'
import { aBenefit, aCase, aLine, staff } from '../../oracle/a-case.js'
import { bestOutcome } from '../../oracle/best-outcome.js'
import { Dice } from '../../support/dice.js'
import { offersOf } from './offers-of.js'

const rounds = 400
const percentages = [100_000, 333_333, 500_000]

t.test('a bundle of one line each is worth what the oracle finds, whatever else counts there', async (t) => {
  const dice = new Dice(21)
  let known = 0
  for (let round = 0; round < rounds; round += 1) {
    const benefits = [aBenefit('lone', drawBundle(dice), drawTerms(dice)), ...besideOn(dice)]
    const question = aCase(linesOf(dice), benefits)
    const bound = boundOf(question.input.basket, benefits)
    if (bound === null) continue
    known += 1
    const { value } = bestOutcome(question)
    if (bound !== value) t.fail(`round ${round}: ${bound} for ${value}`)
  }
  t.ok(known > rounds / 3, `${known} of ${rounds} known`)
})

t.test('no bound is given where units or own discounts leave a choice', async (t) => {
  const plain = [aLine('a', 1, 900), aLine('b', 2, 700)]
  const apart: Reward = { kind: 'bundle_price', components: [one('a'), one('b')], price: 100 }
  const adding = { existingDiscounts: 'add' } as const
  const own = [aLine('a', 1, 900, staff(100)), aLine('b', 2, 700)]
  t.equal(boundOf(aCase(plain, []).input.basket, [aBenefit('lone', apart)]), 1500)
  t.equal(boundOf(aCase(own, []).input.basket, [aBenefit('lone', apart)]), 1400, 'own discounts are off')
  t.equal(boundOf(aCase(own, []).input.basket, [aBenefit('lone', apart, adding)]), null, 'they may stay')
  const many = [aLine('a', 9, 900), aLine('b', 9, 700)]
  t.equal(boundOf(aCase(many, []).input.basket, [aBenefit('lone', apart)]), null, 'too many times')
  const { basket } = aCase([...plain, aLine('c', 1, 500)], []).input
  const either: Reward = { ...apart, components: [one('a'), { select: { productIds: ['b', 'c'] }, quantity: 1 }] }
  t.equal(boundOf(basket, [aBenefit('lone', either)]), null, 'one of two lines')
  const twice: Reward = { ...apart, components: [one('a'), one('b'), one('b')] }
  t.equal(boundOf(aCase(plain, []).input.basket, [aBenefit('lone', twice)]), null, 'a line of two components')
  const capped: Reward = { kind: 'line_percentage', select: one('a').select, percentage: 500_000, maximumAmount: 10 }
  const stacked = aBenefit('stacked', capped, { combination: 'stackable' })
  t.equal(boundOf(aCase(plain, []).input.basket, [aBenefit('lone', apart), stacked]), null, 'a maximum amount on top')
})

type Basket = ReturnType<typeof aCase>['input']['basket']

// The gain of the whole basket, as one component.
function boundOf(basket: Basket, benefits: readonly Benefit[]): number | null {
  const { basis, offers } = offersOf(basket, benefits)
  const dealt = groundOf(basis, offers)
  const { lines } = basis
  const { lineOffers, tying } = dealt
  const alone = plansAlone(lines, lineOffers)
  const orderOffers = { normals: [], stacks: [], hasOrderDiscounts: false }
  const field = lineFieldOf({ basis, ground: { lines, lineOffers, alone }, orderOffers }, dealt)
  const positions = lines.map((_, at) => at)
  const component = { lines: positions, offers: tying, loose: [] }
  const { judge } = lineTask(field, component, { weights: null, stepsMax: 1000 })
  const indexOf = new Map(positions.map((at) => [at, at]))
  return timesBound({ lines, lineOffers, offers: tying, loose: [], positions, indexOf }, alone, judge)
}

function one(product: string) {
  return { select: { productIds: [product] }, quantity: 1 }
}

function linesOf(dice: Dice) {
  return ['a', 'b'].map((product) => {
    const price = dice.between(1, 60)
    const units = dice.between(1, 5)
    return dice.chance(0.2) ? aLine(product, units, price, staff(dice.between(1, price))) : aLine(product, units, price)
  })
}

function drawBundle(dice: Dice): Reward {
  const components = [one('a'), one('b')].map((each) => ({ ...each, quantity: dice.between(1, 2) }))
  return { kind: 'bundle_price', components, price: dice.between(0, 90) }
}

function drawTerms(dice: Dice): Partial<Benefit> {
  return dice.chance(0.3) ? { existingDiscounts: 'add' } : {}
}

function besideOn(dice: Dice): Benefit[] {
  return ['a', 'b'].flatMap((product) => {
    if (dice.chance(0.4)) return []
    const select = { productIds: [product] }
    const combination = dice.chance(0.4) ? ({ combination: 'stackable' } as const) : {}
    const reward: Reward = dice.chance(0.3)
      ? { kind: 'line_amount', select, amount: dice.between(1, 20), per: 'unit' }
      : { kind: 'line_percentage', select, percentage: dice.pick(percentages) }
    return [aBenefit(product, reward, combination)]
  })
}
