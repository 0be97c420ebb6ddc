import type { ListedBenefit } from './read-benefit.js'
import type { Warning } from './warning.js'

/** Costs that are worth nothing to their holder: any discount, however small, spends them (page 4, section 9). */
export function costsWithoutWorth(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit: { costs }, path }): Warning[] => {
    if (costs === null || costs.worth > 0) return []
    const message = `costs have no worth: the smallest discount spends ${costs.amount} ${costs.currencyId}`
    return [{ path: `${path}.costs`, word: 'cost_without_worth', message }]
  })
}
