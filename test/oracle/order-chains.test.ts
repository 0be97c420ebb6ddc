import t from 'tap'
import { searchStepsMax } from '../../engine/core/base/costs.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { aBasket, aBenefit, type LineSketch, percent } from '../engine/core/builders.js'
import { Dice } from '../support/dice.js'
import { firstSeed, sized } from '../support/sized.js'
import { aCase } from './a-case.js'
import { bestOutcome } from './best-outcome.js'
import { outcomeFaults } from './outcome-faults.js'
import { padCase } from './pad-case.js'
import type { PricingCase } from './pricing-case.js'

const cases = sized(300, 10_000)
const products = ['a', 'b', 'c', 'd']

/** Order percentages, one applied on the other, each rounded once. */
function orderPercentage(dice: Dice, at: number): Benefit {
  const percentage = percent(dice.pick([5, 5, 10, 33]))
  return aBenefit(
    `o${at}`,
    { kind: 'order_percentage', percentage },
    { combination: at === 0 ? 'normal' : 'stackable' },
  )
}

/** A group in which lines with the percentages and a line without them are interchangeable. */
function groupOf(dice: Dice, at: number): Benefit {
  const select = { productIds: dice.some(products) }
  const get = { select, quantity: 1, percentage: percent(dice.pick([50, 100])) }
  const components = dice.some(products).map((product) => ({ select: { productIds: [product] }, quantity: 1 }))
  return dice.chance(0.6)
    ? aBenefit(`g${at}`, { kind: 'buy_get', buy: { select, quantity: 1 }, get })
    : aBenefit(`g${at}`, { kind: 'bundle_price', components, price: dice.pick([100, 333, 901]) })
}

function caseOf(seed: number): PricingCase {
  const dice = new Dice(seed)
  const lines = products.map(
    (product, at): LineSketch => ({
      product,
      price: dice.between(90, 110) * dice.pick([1, 9, 10]),
      quantity: dice.between(1, 2),
      noPercentageDiscount: at === 0,
    }),
  )
  const orders = Array.from({ length: dice.between(2, 3) }, (_, at) => orderPercentage(dice, at))
  const benefits = [...orders, ...Array.from({ length: dice.between(1, 2) }, (_, at) => groupOf(dice, at))]
  const { input } = aCase(aBasket(lines).lines, benefits)
  return { benefits, input: { ...input, stepsMax: searchStepsMax } }
}

t.test(`successive order percentages are proven: ${cases} baskets from seed ${firstSeed}`, async (t) => {
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const question = caseOf(seed)
    const padded = padCase(question)
    const said = calculate(compileProgramme(padded.benefits), padded.input)
    const { value } = bestOutcome(question)
    if (!said.optimal || said.value !== value) t.fail(`seed ${seed}: ${said.value} + ${said.gap}, the best is ${value}`)
    for (const fault of outcomeFaults(padded, said)) t.fail(`seed ${seed}: ${fault}`)
  }
  t.pass('no mismatch')
})
