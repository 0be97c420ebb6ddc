import type { Serve } from '../lines/fill.js'
import { hasMaximum, type LinePlan } from '../lines/plan.js'
import type { ComponentInstance } from '../model/component-instance.js'
import type { WalkLine } from './assignments.js'
import { planAs } from './capped-stacks.js'
import { trimBought } from './trim-bought.js'

/**
 * Plans of a component, and whether their gain is exact.
 *
 * @param assignmentAt  by stage of the walk
 */
export function plansByAssignments(
  instance: ComponentInstance,
  lines: readonly WalkLine[],
  assignmentAt: ArrayLike<number>,
): { readonly plans: readonly LinePlan[]; readonly isSure: boolean } {
  const plans = new Array<LinePlan>(lines.length)
  let isSure = true
  for (let stage = 0; stage < lines.length; stage++) {
    const line = lines[stage]!
    plans[line.at] = line.planOf(assignmentAt[stage]!)
    isSure &&= line.isSure(assignmentAt[stage]!)
  }
  const serves = plans.map((plan) => fixedOf(plan, instance))
  for (const [at, trimmed] of trimBought(instance, serves).entries()) {
    if (trimmed === serves[at]) continue
    const { off, stacks: applied } = plans[at]!
    const { untied, stacks } = instance.lineOffers[at]!
    const kept = stacks.filter((each) => !hasMaximum(each) || applied.includes(each))
    plans[at] = planAs(instance.lines[at]!, { untied, stacks: kept }, { off, fixed: trimmed })
  }
  return { plans, isSure }
}

function fixedOf({ serves }: LinePlan, { offers }: ComponentInstance): readonly Serve[] {
  return serves.filter(({ offer }) => offers.includes(offer))
}
