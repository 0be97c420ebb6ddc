import type { Serve } from '../lines/fill.js'
import { isLoose, type LinePlan } from '../lines/plan.js'
import type { TieGround } from '../model/tie-ground.js'
import { planAs } from './loose.js'
import { trimBought } from './trim-bought.js'
import type { WalkLine } from './ways.js'

/**
 * The plans of all lines of a component by a way for each, and whether the lines gain as much as their ways say.
 *
 * @param wayAt  the way of the line at a place in the walk
 */
export function plansByWays(
  ground: TieGround,
  lines: readonly WalkLine[],
  wayAt: ArrayLike<number>,
): { readonly plans: readonly LinePlan[]; readonly isSure: boolean } {
  const plans = new Array<LinePlan>(lines.length)
  let isSure = true
  for (let place = 0; place < lines.length; place++) {
    const line = lines[place]!
    plans[line.at] = line.planOf(wayAt[place]!)
    isSure &&= line.isSure(wayAt[place]!)
  }
  const serves = plans.map((plan) => fixedOf(plan, ground))
  for (const [at, trimmed] of trimBought(ground, serves).entries()) {
    if (trimmed === serves[at]) continue
    const { off, stacks: standing } = plans[at]!
    const { free, stacks } = ground.lineOffers[at]!
    const kept = stacks.filter((each) => !isLoose(each) || standing.includes(each))
    plans[at] = planAs(ground.lines[at]!, { free, stacks: kept }, { off, fixed: trimmed })
  }
  return { plans, isSure }
}

function fixedOf({ serves }: LinePlan, { offers }: TieGround): readonly Serve[] {
  return serves.filter(({ offer }) => offers.includes(offer))
}
