import { hasMaximum, type LinePlan, planLine, untouchedPlan } from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import type { BasketInstance } from '../model/instance.js'

/**
 * A stackable maximum amount is spread over lines of several components: then one of them may be left with nothing, and
 * its own discounts are off for nobody. Such lines are planned without counting on it; what ties them to other lines
 * stays, for half a bundle is none.
 */
export function makeFeasible({ basis, lineInstance, cappedStacks }: BasketInstance, plans: LinePlan[]): void {
  if (cappedStacks.length === 0 || settleLines(basis.lines, plans) !== null) return
  for (let at = 0; at < plans.length; at++) {
    const { off, stacks, serves } = plans[at]!
    if (!off || !stacks.some(hasMaximum)) continue
    const offers = lineInstance.lineOffers[at]!
    const tying = serves.filter(({ offer }) => !offers.free.includes(offer))
    plans[at] = planLine(basis.lines[at]!, offers, tying)
  }
  if (settleLines(basis.lines, plans) === null)
    for (const [at, line] of basis.lines.entries()) plans[at] = untouchedPlan(line)
}
