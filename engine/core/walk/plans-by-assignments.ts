import type { LinePlan } from '../lines/plan.js'
import type { WalkLine } from './assignments.js'

/**
 * Plans of a component, and whether their gain is exact.
 *
 * @param assignmentAt  by stage of the walk
 */
export function plansByAssignments(
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
  return { plans, isSure }
}
