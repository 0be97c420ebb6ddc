import { alternativesMax, nanos, startsJudged, stepsOf, weighingStepsMax } from '../base/costs.js'
import type { LinePlan } from '../lines/plan.js'
import { componentInstanceOf, jointOf } from '../model/components.js'
import type { BasketInstance } from '../model/instance.js'
import type { Component } from '../model/task.js'
import { type OrderChoice, sharesPlaced } from '../order/choose-orders.js'
import { netBefore } from '../order/orders.js'
import { isEvenSomewhere, mostOver, type OrderWeighing, weighingsOf } from '../order/weigh-orders.js'
import { lineTask, orderSteps, ordersOver, stepsTaken } from './basket-instance.js'
import { planGreedily } from './greedy.js'
import { startOf } from './solve.js'
import { type JointTask, noPlans, type WeighedChoice, WeighedChooser } from './weighed-chooser.js'

export interface Joint {
  readonly plans: ReadonlyMap<number, LinePlan>
  /** The best order level over the plans of all lines; null if not chosen. */
  readonly orders: OrderChoice | null
  readonly most: number
  /** Bounds by choice of order benefits; null if there are too many. */
  readonly choices: readonly OrderWeighing[] | null
  readonly steps: number
}

/** Plans components whose lines the order level treats differently; under each weighing they are independent. */
export function chooseTogether(instance: BasketInstance, components: readonly Component[], together: JointTask): Joint {
  // Smallest first: a large one may exhaust the budget.
  const bySize = components.toSorted((a, b) => a.lines.length - b.lines.length)
  return chooseWeighed(instance, bySize, together) ?? quickly(instance, jointOf(components), together)
}

/**
 * True: nothing would bound the basket without its stackable maxima either, within this budget. Only valid if nothing
 * bounded it with them.
 */
export function staysUnbounded(instance: BasketInstance, stepsMax: number): boolean {
  const { tying, kinds, orderOffers } = instance
  const isApart = tying.some(({ lines }) => lines.some((at) => kinds[at] !== kinds[lines[0]!]))
  return (
    (isApart || (tying.length > 0 && orderOffers.hasOrderDiscounts)) && stepsMax < startsJudged * orderSteps(instance)
  )
}

// Bounded only by the cost of the basket.
function quickly(instance: BasketInstance, component: Component, { free, stepsMax }: JointTask): Joint {
  const componentInstance = componentInstanceOf(instance.lineInstance, component)
  const task = lineTask(instance, component, { weights: null, stepsMax })
  const { plans, steps } = planGreedily(componentInstance, { ...task, start: startOf(componentInstance, task) })
  const chosen = new Map(component.lines.map((at, index) => [at, plans[index]!]))
  return { plans: chosen, orders: null, most: netBefore(instance.basis, free), choices: null, steps }
}

function chooseWeighed(instance: BasketInstance, components: readonly Component[], together: JointTask): Joint | null {
  const chooser = new WeighedChooser(instance, components, together)
  const stepsEach = weighingSteps(instance)
  const isCostly = stepsEach * alternativesMax * (instance.orderOffers.normals.length + 1) > weighingStepsMax
  const weighings = weighingsOf(instance, () => isCostly && chooser.isSpent())
  if (weighings === null) return null
  const before = netBefore(instance.basis, together.free)
  const mostOf = (net: number) => mostOver(before, net)
  let best: Pick<Joint, 'plans' | 'orders'> & { readonly value: number } = {
    plans: noPlans,
    orders: null,
    value: Number.NEGATIVE_INFINITY,
  }
  const judged = new Set<string>()
  let judgeSteps = 0
  const judge = ({ plans, name }: WeighedChoice) => {
    const isLate = chooser.steps + judgeSteps >= together.stepsMax || plans === noPlans
    if (judged.has(name) || (judged.size > 0 && isLate)) return
    judged.add(name)
    const all = together.plans.map((plan, at) => plans.get(at) ?? plan)
    const orders = ordersOver(instance, all)
    judgeSteps = stepsTaken(instance, orders)
    chooser.steps += judgeSteps
    const value = orders === null ? Number.NEGATIVE_INFINITY : before - orders.net
    if (judged.size === 1 || value > best.value) best = { plans, orders, value }
  }
  // The optimum under equal weights rules out other weighings.
  if (isEvenSomewhere(instance)) judge(chooser.choose({ weightOf: () => 1 }))
  const choices: OrderWeighing[] = []
  for (const alternatives of weighings) {
    chooser.steps += Math.ceil(alternatives.length * stepsEach)
    let net = Math.max(0, ...alternatives.map((each) => chooser.leastOf(each) + each.added))
    const tried = chooser.isSpent() ? [] : [...alternatives]
    for (const weighing of tried) {
      if (mostOf(net) <= best.value && judged.size > 0) break
      const chosen = chooser.choose(weighing)
      net = Math.max(net, chosen.least + weighing.added)
      judge(chosen)
      if (weighing.closer === undefined || mostOf(net) <= best.value || chooser.isSpent()) continue
      const rests = together.plans.map((plan, at) => (chosen.plans.get(at) ?? plan).rest)
      const most = before - best.value - 1 - weighing.added
      tried.push(weighing.closer({ rests, most, leastBy: (weightOf) => chooser.choose({ weightOf }).least }))
    }
    choices.push({ weighing: alternatives[0]!, most: mostOf(net) })
  }
  const most = choices.reduce((greatest, each) => Math.max(greatest, each.most), best.value)
  const { plans, orders } = best
  return { plans, orders, most, choices, steps: chooser.steps }
}

function weighingSteps({ orderOffers: { normals, stacks } }: BasketInstance): number {
  const normal = normals.reduce((most, { lines }) => Math.max(most, lines.length), 0)
  return stepsOf((normal + sharesPlaced(stacks)) * nanos.entry)
}
