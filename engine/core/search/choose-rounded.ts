import { type Money, sumOf } from '../base/money.js'
import { heldBy, type LinePlan } from '../lines/plan.js'
import type { LineField } from '../model/instance.js'
import type { Component, Task } from '../model/task.js'
import type { Weighing } from '../order/weigh-orders.js'
import { plansWith, settleSteps, worthOf } from './field.js'
import { solve } from './solve.js'

/** What a choice of order-level benefits is looked at once more with. */
export interface Rounding {
  readonly weighing: Weighing
  /** Plans of all lines; those of the component are to be bettered. */
  readonly plans: readonly LinePlan[]
  /** What the lines outside cost at least. */
  readonly restBounds: readonly Money[]
  /** What the basket costs before, with all that is added for nothing. */
  readonly before: Money
  readonly stepsMax: number
}

/** The plans of a component, proven as they are worked out. */
export interface Rounded {
  /** One per line of the component. */
  readonly plans: readonly LinePlan[]
  readonly value: Money
  /** Under this choice of order-level benefits no plans are worth more. */
  readonly most: Money
  readonly steps: number
}

/**
 * Settles what roundings can win where every order-level benefit of a choice is a percentage of the very same lines.
 *
 * What lines cost, each times its weight, allows for the greatest rounding of every percentage; what plans really come to
 * follows from two sums alone, that of the lines under the percentages and that of all others, and a smaller sum never
 * leaves more to pay. So all plans that come within the roundings of the best are followed, those with other sums outside
 * the percentages told apart, and each is worked out.
 */
export function chooseRounded(field: LineField, component: Component, rounding: Rounding): Rounded {
  const { basis } = field
  const { weighing, plans, restBounds, before, stepsMax } = rounding
  const { weightOf, added } = weighing
  const inside = new Set(component.lines)
  const least = sumOf(basis.lines.map((line, at) => weightOf(at) * (inside.has(at) ? heldBy(line) : restBounds[at]!)))
  const base = before - added - least
  const task: Task = {
    judge: (chosen) => worthOf(field, plansWith(plans, component, chosen), before - base),
    weights: component.lines.map(weightOf),
    isWorkedOut: true,
    most: before - base,
    stepsMax,
    judgeSteps: settleSteps(field),
    start: component.lines.map((at) => plans[at]!),
  }
  const { plans: found, worth, bound, steps } = solve(field.ground, component, task)
  const value = Math.round(worth + base)
  return { plans: found, value, most: Math.max(value, Math.floor(bound + base + tolerance)), steps }
}

/** What sums of doubles may be short of, in minor units. */
const tolerance = 1e-3
