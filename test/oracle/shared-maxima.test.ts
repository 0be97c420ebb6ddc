import t from 'tap'
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

/** Groups, limits and order discounts below a stackable maximum that justifies removing own discounts. */
function benefitOf(dice: Dice, at: number): Benefit {
  const id = `b${at}`
  const select = { productIds: dice.some(products) }
  const existingDiscounts = dice.pick(['add', 'replace', 'keep', 'add'] as const)
  const maximumAmount = dice.pick([1, 2, 3, 5, 20])
  const percentage = percent(dice.pick([1, 10, 33, 50, 100]))
  const limit = {
    limitId: id,
    scope: 'everyone',
    period: 'ever',
    counts: 'units',
    maximum: dice.between(1, 2),
  } as const
  switch (at === 0 ? 0 : dice.between(0, 6)) {
    case 0:
      return aBenefit(id, { kind: 'line_percentage', percentage, select, maximumAmount }, { combination: 'stackable' })
    case 1: {
      const components = dice.some(products).map((product) => ({ select: { productIds: [product] }, quantity: 1 }))
      const price = dice.pick([0, 1, 5, 60, 500, 1000])
      return aBenefit(id, { kind: 'bundle_price', components, price }, { existingDiscounts })
    }
    case 2: {
      const get = { select, quantity: 1, percentage }
      return aBenefit(id, { kind: 'buy_get', buy: { select, quantity: 1 }, get }, { existingDiscounts })
    }
    case 3:
      return aBenefit(id, { kind: 'line_percentage', percentage, select }, { existingDiscounts, limits: [limit] })
    case 4:
      return aBenefit(id, { kind: 'order_percentage', percentage: percent(dice.pick([10, 33])), select })
    case 5:
      return aBenefit(
        id,
        { kind: 'line_percentage', percentage, select },
        { existingDiscounts, combination: 'stackable' },
      )
    default:
      return aBenefit(id, { kind: 'line_percentage', percentage, select, maximumAmount }, { existingDiscounts })
  }
}

function caseOf(seed: number): PricingCase {
  const dice = new Dice(seed)
  const lines = products.slice(0, dice.between(2, 4)).map((product): LineSketch => {
    const price = dice.pick([10, 33, 100, 999, 1000])
    return { product, price, quantity: dice.pick([1, 1, 2, 3]), own: dice.pick([[], [1], [3], [9]]) }
  })
  const benefits = Array.from({ length: dice.between(2, 4) }, (_, at) => benefitOf(dice, at))
  const { input } = aCase(aBasket(lines).lines, benefits)
  return { benefits, input: { ...input, stepsMax: dice.pick([0, 1000, 12_000, 12_000]) } }
}

t.test(`lines share a maximum on top: ${cases} baskets from seed ${firstSeed}`, async (t) => {
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    const question = caseOf(seed)
    const padded = padCase(question)
    const said = calculate(compileProgramme(padded.benefits), padded.input)
    const { value } = bestOutcome(question)
    const isRight = said.optimal ? said.value === value : said.value <= value && value <= said.value + said.gap
    if (!isRight) t.fail(`seed ${seed}: ${said.value} + ${said.gap}, the best is ${value}`)
    for (const fault of outcomeFaults(padded, said)) t.fail(`seed ${seed}: ${fault}`)
  }
  t.pass('no mismatch')
})
