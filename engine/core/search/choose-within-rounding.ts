import { startsJudged } from '../base/costs.js'
import { type Money, percentageWhole, sumOf } from '../base/money.js'
import { leastMore } from '../base/tolerance.js'
import { heldBy, type LinePlan } from '../lines/plan.js'
import { jointOf } from '../model/components.js'
import type { BasketInstance } from '../model/instance.js'
import type { Component, Task } from '../model/task.js'
import type { Offer } from '../offers/offer.js'
import { chooseOrders } from '../order/choose-orders.js'
import type { OrderWeighing, Weighing } from '../order/weigh-orders.js'
import { isNeutral, plansWith, restsOver, settleSteps } from './basket-instance.js'
import { solve } from './solve.js'

export interface BasketWithGap {
  readonly components: readonly Component[]
  readonly choices: readonly OrderWeighing[]
  /** Plans that break no rule, and lower bounds of costs, by line. */
  readonly plans: readonly LinePlan[]
  readonly restBounds: readonly Money[]
  readonly value: Money
  readonly before: Money
  readonly stepsMax: number
}

export interface RoundingChoice {
  readonly plans: readonly LinePlan[]
  readonly value: Money
  readonly most: Money
  readonly steps: number
}

/**
 * Closes a gap that only roundings of the order level leave: settles all plans that could beat the incumbent, by choice
 * of order benefits. With other causes it does nothing.
 */
export function chooseWithinRounding(instance: BasketInstance, known: BasketWithGap): RoundingChoice {
  const { components, choices, restBounds } = known
  const open = choices.filter(({ most }) => most > known.value)
  const isApart = open.some(({ weighing }) => weighing.earlier.length > 0)
  // All others are at their minimum.
  const component = jointOf(isApart ? components : components.filter((each) => !isNeutral(instance, each)))
  const isInside = new Set(component.lines)
  const rests = restsOver(instance, known.plans)!
  const dearer = sumOf(rests.map((rest, at) => (isInside.has(at) ? 0 : rest - restBounds[at]!)))
  const mayClose = dearer === 0 && open.every(({ weighing }) => weighing.isTightToRounding)
  let { plans, value } = known
  let [most, steps] = [value, 0]
  const leastSteps = startsJudged * settleSteps(instance)
  for (const { weighing, most: mostWeighed } of open) {
    const stepsMax = known.stepsMax - steps
    const found =
      mayClose && stepsMax > leastSteps ? workedOut(instance, component, { ...known, weighing, plans, stepsMax }) : null
    steps += found?.steps ?? 0
    most = Math.max(most, Math.min(mostWeighed, found?.most ?? mostWeighed))
    if (found === null || found.value <= value) continue
    value = found.value
    plans = found.plans
  }
  return { plans, value, most: Math.max(value, most), steps }
}

interface RoundingTask extends Pick<BasketWithGap, 'plans' | 'restBounds' | 'value' | 'before' | 'stepsMax'> {
  readonly weighing: Weighing
}

// Null if `start` cannot be settled or bounded.
function workedOut(instance: BasketInstance, component: Component, rounding: RoundingTask): RoundingChoice | null {
  const { weighing, plans, restBounds, before, stepsMax } = rounding
  const { weightOf, added, earlier } = weighing
  const judge = (chosen: readonly LinePlan[]) => worthOf(instance, plansWith(plans, component, chosen), rounding)
  const start = component.lines.map((at) => plans[at]!)
  const judgeSteps = settleSteps(instance)
  const value = judge(start)
  if (value === null) return null
  if (start.length === 0) return { plans, value, most: value, steps: judgeSteps }
  const isInside = new Set(component.lines)
  const least = instance.basis.lines.map(
    (line, at) => weightOf(at) * (isInside.has(at) ? heldBy(line) : restBounds[at]!),
  )
  const base = before - added - sumOf(least)
  const task: Task = {
    judge: (chosen) => {
      const worth = judge(chosen)
      return worth === null ? null : worth - base
    },
    weights: component.lines.map(weightOf),
    workedOut: earlier.length > 0 ? 'lines' : 'sums',
    most: before - base,
    stepsMax,
    judgeSteps,
    start,
  }
  const { plans: found, worth, bound, steps } = solve(instance.lineInstance, component, task)
  const best = Math.round(worth + base)
  const most = Math.max(best, Math.floor(bound + base + leastMore(before)))
  return { plans: plansWith(plans, component, found), value: best, most, steps }
}

// Value with the best order level. Null if a line that costs 1 more, or a percentage on fewer lines, may still beat the
// incumbent: then the walk does not list all plans.
function worthOf(
  instance: BasketInstance,
  plans: readonly LinePlan[],
  { weighing, before, value }: RoundingTask,
): number | null {
  const { basis, orderOffers, canGain } = instance
  const { weightOf, added, earlier } = weighing
  const rests = restsOver(instance, plans)
  if (rests === null) return null
  const net = rests.reduce((sum, rest, at) => sum + weightOf(at) * rest, added)
  const missing = before - value - 1 - net + leastMore(before)
  const isOpen = (at: number, amount: number) => amount > 0 && weightOf(at) * amount <= missing
  const isDearerOpen = () => rests.some((_, at) => canGain[at]! && isOpen(at, 1))
  const isFewerOpen = ({ lines, percentage }: Offer) =>
    lines.some((at) => isOpen(at, (rests[at]! * percentage!) / percentageWhole))
  if (earlier.length > 0 && (isDearerOpen() || earlier.some(isFewerOpen))) return null
  return before - chooseOrders(basis, rests, orderOffers).net
}
