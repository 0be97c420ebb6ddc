import type { Test } from 'tap'
import { Dice } from '../support/dice.js'
import { firstSeed } from '../support/sized.js'
import { generateCase } from './generate-case.js'
import type { PricingCase } from './pricing-case.js'
import { shrinkCase } from './shrink-case.js'

/** A promise about a basket and its benefits; other draws are the same for the same seed. Breaks where it throws, too. */
export type Property = (question: PricingCase, dice: Dice) => boolean

/**
 * Fails where a property does not hold for one of the drawn baskets, from `firstSeed` on: with the seed, and the smallest basket
 * found that breaks it.
 */
export function assertHolds(
  t: Pick<Test, 'equal'>,
  cases: number,
  property: Property,
  draw: (seed: number) => PricingCase = generateCase,
): void {
  let broken: string | null = null
  for (let seed = firstSeed; seed < firstSeed + cases && broken === null; seed += 1) {
    const isBroken = (question: PricingCase) => !holds(property, question, seed)
    const question = draw(seed)
    if (isBroken(question)) broken = `seed ${seed}: ${JSON.stringify(shrinkCase(question, isBroken))}`
  }
  t.equal(broken, null)
}

function holds(property: Property, question: PricingCase, seed: number): boolean {
  try {
    return property(question, new Dice(seed))
  } catch {
    return false
  }
}
