import type { Reward } from '../../engine/core/base/programme.js'
import { aBenefit } from '../engine/core/builders.js'
import { Dice } from '../support/dice.js'
import { aCase, aLine, staff } from './a-case.js'
import type { PricingCase } from './pricing-case.js'

const adding = { existingDiscounts: 'add' } as const
/** Percentages that round to the same amount on some prices only. */
const nearby = [[333_333], [333_333, 333_334], [250_001], [400_001, 400_002], [166_667, 166_668], [125_001]]
const halves = [250_000, 333_333, 500_000, 500_000, 750_000, 1_000_000]
const off = (percentage: number): Reward => ({ kind: 'line_percentage', percentage })
const offAtMost = (percentage: number, maximumAmount: number): Reward => ({
  kind: 'line_percentage',
  percentage,
  maximumAmount,
})

/**
 * A cheap line of many units on which several percentages gain nearly the same, and one benefit that takes a few of the units;
 * seeded. Rounding alone decides the split of the line, and the removal of its own discount. The few units go to a maximum amount or
 * a bundle below a stackable percentage, or to a replacing percentage among adding ones.
 */
export function alikeCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  return dice.chance(0.5) ? besideAdding(dice) : besideReplacing(dice)
}

function besideAdding(dice: Dice): PricingCase {
  const percentages = dice.pick(nearby)
  const own = dice.chance(0.3) ? staff(dice.between(1, 2)) : {}
  const bundle: Reward = {
    kind: 'bundle_price',
    components: [{ quantity: dice.between(1, 3) }],
    price: dice.between(0, 2),
  }
  const few = dice.chance(0.5) ? offAtMost(dice.pick(percentages), dice.between(1, 2)) : bundle
  return aCase(
    [aLine('a', dice.between(6, 12), dice.pick([1, 1, 1, 2, 3]), own)],
    [
      ...manyOf(dice, dice.between(3, 5), percentages),
      aBenefit('few', few, adding),
      aBenefit(dice.pick(['a', 's']), off(dice.pick(halves)), { combination: 'stackable', ...adding }),
    ],
  )
}

function besideReplacing(dice: Dice): PricingCase {
  const [units, price] = [dice.between(3, 8), dice.pick([1, 1, 2, 3])]
  const own = staff(Math.min(units * price, dice.between(1, 3)))
  const other = aLine('b', dice.between(1, 2), dice.pick([1, 2, 5]), dice.chance(0.4) ? staff(1) : {})
  const modes = ['add', 'replace'] as const
  const onTop = () => ({ combination: 'stackable', existingDiscounts: dice.pick(modes) }) as const
  return aCase(
    [aLine('a', units, price, own), ...(dice.chance(0.4) ? [other] : [])],
    [
      ...manyOf(dice, dice.between(1, 4), halves),
      aBenefit(dice.pick(['a', 'z']), offAtMost(dice.pick(halves), dice.between(1, 3))),
      ...(dice.chance(0.3) ? [aBenefit('s', off(dice.pick(halves)), onTop())] : []),
    ],
  )
}

function manyOf(dice: Dice, count: number, percentages: readonly number[]) {
  return Array.from({ length: count }, (_, at) => aBenefit(`m${at}`, off(dice.pick(percentages)), adding))
}
