import { calculate, compileProgramme } from '../../engine/core/index.js'
import { aLine } from '../engine/core/builders.js'
import { bestOutcome } from './best-outcome.js'
import { generateCase } from './generate-case.js'
import { groupFaults } from './group-faults.js'
import type { PricingCase } from './pricing-case.js'

/** Enough lines that no basket is small enough to be enumerated, which would prove the value again. */
const paddingLines = 9

/** The same basket with further lines that change nothing: no price, no units, no discount. */
export function padCase({ benefits, input }: PricingCase): PricingCase {
  const padding = Array.from({ length: paddingLines }, (_, at) =>
    aLine({
      product: `padding-${at}`,
      id: `padding-${at}`,
      quantity: 0.5,
      price: 0,
      noDiscount: true,
      noPercentageDiscount: true,
    }),
  )
  return { benefits, input: { ...input, basket: { ...input.basket, lines: [...input.basket.lines, ...padding] } } }
}

/**
 * Faults of the search alone: a value that is not the best, a bound below the best, or half a group.
 *
 * @param budgets in steps, one after the other; absent: the basket's own
 */
export function searchFault(question: PricingCase, budgets = [question.input.stepsMax]): string | null {
  const { benefits, input } = padCase(question)
  const { value } = bestOutcome(question)
  for (const stepsMax of budgets) {
    const said = calculate(compileProgramme(benefits), { ...input, stepsMax })
    const [half] = groupFaults(benefits, said)
    if (half !== undefined) return half
    const isRight = said.optimal ? said.value === value : said.value <= value && value <= said.value + said.gap
    if (!isRight) return `${said.value} + ${said.gap} in ${stepsMax} steps, the best is ${value}`
  }
  return null
}

/** The same for a seed. */
export function seedFault(seed: number, budgets?: number[]): string | null {
  const fault = searchFault(generateCase(seed), budgets)
  return fault === null ? null : `seed ${seed}: ${fault}`
}
