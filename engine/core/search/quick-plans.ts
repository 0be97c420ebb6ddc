import { sumOf } from '../base/money.js'
import type { LinePlan } from '../lines/plan.js'
import { restsOf, settleOnce } from '../lines/settle-lines.js'
import { tieGroundOf } from '../model/components.js'
import type { Component, Ground } from '../model/task.js'
import { greedyOrder, greedyPlans } from './greedy.js'

/**
 * Plans of a component where nothing more can be worked out with the order level: the quick ones, or those without its
 * benefits where the lines would cost no more.
 */
export function quickPlans(
  whole: Ground,
  component: Component,
  stepsMax: number,
): { plans: readonly LinePlan[]; steps: number } {
  const ground = tieGroundOf(whole, component)
  const alone = component.lines.map((at) => whole.alone[at]!)
  const { plans, steps } = greedyPlans(ground, { order: greedyOrder(ground), alone, stepsMax })
  const costOf = (each: readonly LinePlan[]) => {
    const level = settleOnce(ground.lines, each)
    return level === null ? Number.POSITIVE_INFINITY : sumOf(restsOf(level))
  }
  return { plans: costOf(plans) < costOf(alone) ? plans : alone, steps }
}
