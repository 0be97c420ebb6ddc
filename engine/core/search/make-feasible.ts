import { hasMaximum, type LinePlan, planLine, untouchedPlan } from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import type { BasketInstance } from '../model/instance.js'

/**
 * A stackable maximum over several components may leave nothing to a line, so that no benefit takes its own discounts
 * off. Such lines are planned without it, in place; tying serves stay.
 */
export function makeFeasible({ basis, lineInstance, cappedStacks }: BasketInstance, plans: LinePlan[]): void {
  if (cappedStacks.length === 0 || settleLines(basis.lines, plans) !== null) return
  for (let at = 0; at < plans.length; at++) {
    const { off, stacks, serves } = plans[at]!
    if (!off || !stacks.some(hasMaximum)) continue
    const offers = lineInstance.lineOffers[at]!
    const tying = serves.filter(({ offer }) => !offers.untied.includes(offer))
    plans[at] = planLine(basis.lines[at]!, offers, tying)
  }
  if (settleLines(basis.lines, plans) === null)
    for (const [at, line] of basis.lines.entries()) plans[at] = untouchedPlan(line)
}
