import { type Money, sumOf } from '../base/money.js'
import { heldBy, type LinePlan } from '../lines/plan.js'
import { componentsOf } from '../model/components.js'
import type { Dealt, LineField } from '../model/instance.js'
import type { FreeUnits } from '../model/order-plan.js'
import type { Component } from '../model/task.js'
import { chooseBounded } from './bounded.js'
import { chooseTogether, type Joint } from './choose-together.js'
import { isNeutral, lineTask, putPlans, stepsFirst } from './field.js'
import { makeFirm } from './firm.js'
import { solve } from './solve.js'

/** The plans chosen for all lines. */
export interface LineLevel {
  readonly plans: readonly LinePlan[]
  /**
   * What each line costs at least before order discounts: no plans leave lines that the order level looks at alike
   * cheaper together. Lines of `joint` are left out: they have a bound of their own.
   */
  readonly restBounds: readonly Money[]
  /** What the components come to that the order level tells apart; null where there are none. */
  readonly joint: Joint | null
  readonly components: readonly Component[]
  readonly steps: number
}

interface Lines {
  readonly dealt: Pick<Dealt, 'tying' | 'binding'>
  readonly free: readonly FreeUnits[]
  readonly stepsMax: number
}

/** Plans all lines: each by itself, and component by component where benefits tie them together. */
export function chooseLines(field: LineField, { dealt, free, stepsMax }: Lines): LineLevel {
  const { alone } = field.ground
  const components = componentsOf(alone.length, dealt)
  const plans = [...alone]
  const restBounds = plans.map(({ restBound }) => restBound)
  const others: Component[] = []
  let steps = 0
  let linesLater = sumOf(components.map(({ lines }) => lines.length))
  for (const component of components) {
    linesLater -= component.lines.length
    if (!isNeutral(field, component)) {
      others.push(component)
      continue
    }
    const task = lineTask(field, component, { weights: null, stepsMax: stepsFirst(stepsMax - steps, linesLater) })
    const choice = chooseBounded(field.ground, component) ?? solve(field.ground, component, task)
    steps += choice.steps
    putPlans(plans, component, choice.plans)
    takeOff(field, component, { gain: choice.bound, restBounds })
  }
  let joint: Joint | null = null
  if (others.length > 0) {
    makeFirm(field, plans)
    joint = chooseTogether(field, others, { plans, restBounds, free, stepsMax: stepsMax - steps })
    steps += joint.steps
    for (const [at, plan] of joint.plans) plans[at] = plan
  }
  return { plans, restBounds, joint, components, steps }
}

// Where a component's lines count alike it does not matter on which of them the gain is looked for.
function takeOff(
  { ground, canGain }: LineField,
  component: Component,
  { gain, restBounds }: { gain: Money; restBounds: Money[] },
): void {
  let left = gain
  for (const at of component.lines) {
    const held = heldBy(ground.lines[at]!)
    const taken = canGain[at]! ? Math.min(left, held) : 0
    restBounds[at] = held - taken
    left -= taken
  }
}
