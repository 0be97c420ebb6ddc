import { type LinePlan, untouchedPlan } from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import type { BasketInstance } from '../model/instance.js'

/**
 * A stackable maximum over several components may leave nothing to a line, so that no benefit takes its own discounts
 * off. Then no line has benefits: other searches find the outcome.
 */
export function makeFeasible({ basis, cappedStacks }: BasketInstance, plans: LinePlan[]): void {
  if (cappedStacks.length === 0 || settleLines(basis.lines, plans) !== null) return
  for (const [at, line] of basis.lines.entries()) plans[at] = untouchedPlan(line)
}
