import { type Money, sumOf } from '../base/money.js'
import { heldBy, type LinePlan } from '../lines/plan.js'
import { componentsOf } from '../model/components.js'
import type { BasketInstance, FreeUnits, OfferPartition } from '../model/instance.js'
import type { Component } from '../model/task.js'
import { isNeutral, lineTask, makeFeasible, putPlans, stepsFirst } from './basket-instance.js'
import { chooseDirectly } from './choose-directly.js'
import { chooseTogether, type Joint } from './choose-together.js'
import { solve } from './solve.js'

export interface LineLevelChoice {
  readonly plans: readonly LinePlan[]
  /** Lower bounds of costs before order discounts, for sums over lines of a kind; not for lines of `joint`. */
  readonly restBounds: readonly Money[]
  /** Components whose lines the order level treats differently; null: none. */
  readonly joint: Joint | null
  readonly components: readonly Component[]
  readonly steps: number
}

interface LineLevelTask {
  readonly partition: Pick<OfferPartition, 'tying' | 'binding'>
  readonly free: readonly FreeUnits[]
  readonly stepsMax: number
}

export function chooseLines(instance: BasketInstance, { partition, free, stepsMax }: LineLevelTask): LineLevelChoice {
  const { alone } = instance.lineInstance
  const components = componentsOf(alone.length, partition)
  const plans = [...alone]
  const restBounds = plans.map(({ restBound }) => restBound)
  const others: Component[] = []
  let steps = 0
  let linesLater = sumOf(components.map(({ lines }) => lines.length))
  for (const component of components) {
    linesLater -= component.lines.length
    if (!isNeutral(instance, component)) {
      others.push(component)
      continue
    }
    const task = lineTask(instance, component, { weights: null, stepsMax: stepsFirst(stepsMax - steps, linesLater) })
    const choice =
      chooseDirectly(instance.lineInstance, component, task.stepsMax) ?? solve(instance.lineInstance, component, task)
    steps += choice.steps
    putPlans(plans, component, choice.plans)
    takeOff(instance, component, { gain: choice.bound, restBounds })
  }
  let joint: Joint | null = null
  if (others.length > 0) {
    makeFeasible(instance, plans)
    joint = chooseTogether(instance, others, { plans, restBounds, free, stepsMax: stepsMax - steps })
    steps += joint.steps
    for (const [at, plan] of joint.plans) plans[at] = plan
  }
  return { plans, restBounds, joint, components, steps }
}

// All gaining lines have the same weight, so any of them may carry the gain.
function takeOff(
  { lineInstance, canGain }: BasketInstance,
  component: Component,
  { gain, restBounds }: { gain: Money; restBounds: Money[] },
): void {
  let left = gain
  for (const at of component.lines) {
    const held = heldBy(lineInstance.lines[at]!)
    const taken = canGain[at]! ? Math.min(left, held) : 0
    restBounds[at] = held - taken
    left -= taken
  }
}
