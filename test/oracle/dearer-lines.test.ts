import t from 'tap'
import type { Benefit } from '../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { aBenefit } from '../engine/core/builders.js'
import { Dice } from '../support/dice.js'
import { firstSeed, sized } from '../support/sized.js'
import { aCase, aLine, staff } from './a-case.js'
import { bestOutcome } from './best-outcome.js'
import { padCase } from './pad-case.js'
import type { PricingCase } from './pricing-case.js'

const cases = sized(300, 6_000)
const budgets = [200_000, 300, 30]
const products = ['a', 'b', 'c', 'd']
const percent = 10_000

/** A group with about the price of its discounted lines, so that some lines become dearer in it. */
function groupOf(dice: Dice, at: number, held: readonly number[]): Benefit {
  const first = dice.chance(0.5) ? 0 : held.length - 2
  const members = products.slice(first, first + 2)
  const sum = held[first]! + held[first + 1]!
  const components = members.map((product) => ({ select: { productIds: [product] }, quantity: 1 }))
  const existingDiscounts = dice.pick(['replace', 'replace', 'add'] as const)
  if (dice.chance(0.7)) {
    const price = Math.max(0, sum + dice.between(-15, 25))
    return aBenefit(`g${at}`, { kind: 'bundle_price', components, price }, { existingDiscounts })
  }
  const get = { select: { productIds: members }, quantity: 1, percentage: dice.pick([20, 50, 100]) * percent }
  return aBenefit(`g${at}`, { kind: 'buy_get', buy: components[0]!, get })
}

/** Order-level benefits on some lines, or on all alike. */
function ordersOf(dice: Dice, sold: readonly string[]): Benefit[] {
  const some = () => ({ select: { productIds: [dice.pick(sold), dice.pick(sold)] } })
  const amount = () =>
    ({ kind: 'order_amount', ...(dice.chance(0.5) ? {} : some()), amount: dice.between(3, 30) }) as const
  const maximum = dice.chance(0.4) ? { maximumAmount: dice.between(10, 60) } : {}
  const percentage = dice.pick([30, 50, 90, 100]) * percent
  const orders = [
    aBenefit('o1', amount()),
    aBenefit('o2', { kind: 'order_percentage', ...some(), percentage, ...maximum }),
  ]
  if (dice.chance(0.3)) orders.push(aBenefit('s', amount(), { combination: 'stackable' }))
  return orders
}

function caseOf(seed: number): PricingCase {
  const dice = new Dice(seed)
  const sold = products.slice(0, dice.between(2, 4))
  const lines = sold.map((product) => {
    const [units, price] = [dice.pick([1, 1, 1, 2]), dice.between(60, 140)]
    const own = dice.chance(0.5) ? Math.floor(units * price * dice.pick([0.3, 0.8, 0.9, 1])) : 0
    return { line: aLine(product, units, price, own > 0 ? staff(own) : {}), held: units * price - own }
  })
  const held = lines.map((each) => each.held)
  const groups = Array.from({ length: dice.between(1, 2) }, (_, at) => groupOf(dice, at, held))
  return aCase(
    lines.map(({ line }) => line),
    [...groups, ...ordersOf(dice, sold)],
  )
}

t.test(
  `groups that make lines dearer, below order discounts of some lines: ${cases} from seed ${firstSeed}`,
  async (t) => {
    for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
      const question = caseOf(seed)
      const { benefits, input } = padCase(question)
      const { value: best } = bestOutcome(question)
      for (const stepsMax of budgets) {
        const { value, gap } = calculate(compileProgramme(benefits), { ...input, stepsMax })
        if (value > best || value + gap < best)
          t.fail(`seed ${seed}, ${stepsMax} steps: ${value} + ${gap}, the best is ${best}`)
      }
    }
    t.pass('no mismatch')
  },
)
