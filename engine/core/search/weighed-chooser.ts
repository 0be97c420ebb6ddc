import { nanos, startsJudged, stepsOf } from '../base/costs.js'
import { type Money, sumOf } from '../base/money.js'
import { heldBy, type LinePlan, stepsFor } from '../lines/plan.js'
import type { BasketInstance, FreeUnits } from '../model/instance.js'
import type { Component } from '../model/task.js'
import type { LineWeights } from '../order/staying-orders.js'
import { type ComponentWeights, lineTask, stepsFirst } from './basket-instance.js'
import { solve } from './solve.js'

/** The rest of the basket and the budget, for the choice of components that the order level treats differently. */
export interface JointTask {
  readonly plans: readonly LinePlan[]
  readonly restBounds: readonly Money[]
  readonly free: readonly FreeUnits[]
  readonly stepsMax: number
}

export interface WeighedChoice {
  readonly plans: ReadonlyMap<number, LinePlan>
  /** Lower bound of the weighted cost of all lines. */
  readonly least: number
  /** Equal for equal plans. */
  readonly name: string
}

/** Solves components under one weighing after another, within one budget. */
export class WeighedChooser {
  steps = 0
  private readonly solved = new Map<Component, SolvedChoice[]>()
  private hasSolved = false
  private readonly leastSteps: number

  constructor(
    private readonly instance: BasketInstance,
    private readonly components: readonly Component[],
    private readonly together: JointTask,
  ) {
    const { lineOffers } = instance.lineInstance
    let each = 0
    for (const { lines } of components) for (const at of lines) each += stepsFor(lineOffers[at]!)
    this.leastSteps = startsJudged * each
  }

  /** The budget left is less than a search needs to start; never before the first search. */
  isSpent(): boolean {
    return this.hasSolved && this.steps + this.leastSteps > this.together.stepsMax
  }

  choose(weighing: LineWeights): WeighedChoice {
    const { weightOf } = weighing
    if (this.isSpent()) return { plans: noPlans, least: this.leastOf(weighing), name: '' }
    const plans = new Map<number, LinePlan>()
    const inside = new Set<number>()
    const names: string[] = []
    let least = 0
    let linesLater = sumOf(this.components.map(({ lines }) => lines.length))
    for (const component of this.components) {
      linesLater -= component.lines.length
      const choice = this.chooseOne(component, { weighing, linesLater })
      names.push(choice.name)
      for (let index = 0; index < component.lines.length; index++) {
        const at = component.lines[index]!
        plans.set(at, choice.plans[index]!)
        inside.add(at)
        least += weightOf(at) * heldBy(this.instance.lineInstance.lines[at]!)
      }
      least -= choice.bound
    }
    const { restBounds } = this.together
    for (let at = 0; at < restBounds.length; at++) {
      if (inside.has(at)) continue
      const rest = restBounds[at]!
      least += weightOf(at) * rest + (weighing.penaltyOf?.(at)?.(rest) ?? 0)
    }
    this.steps += Math.ceil(stepsOf(inside.size * nanos.made))
    return { plans, least, name: names.join() }
  }

  /** Lower bound of the weighted cost of all lines, from results under the same weights or equal ones; without search. */
  leastOf(weighing: LineWeights): number {
    const { weightOf } = weighing
    const { canGain, lineInstance } = this.instance
    const rests = [...this.together.restBounds]
    let least = 0
    for (const component of this.components) {
      const gain = this.gainOf(component, weighing)
      least -= gain ?? 0
      for (const at of component.lines) rests[at] = gain === null && canGain[at]! ? 0 : heldBy(lineInstance.lines[at]!)
    }
    for (let at = 0; at < rests.length; at++) least += weightOf(at) * rests[at]!
    this.steps += Math.ceil(stepsOf(rests.length * nanos.amount))
    return least
  }

  // Under equal weights a line may lose its own discounts for the gain of others: then it gains less by these.
  private gainOf(component: Component, weighing: LineWeights): number | null {
    const { scale, ...counting } = this.weighed(component, weighing)
    const same = this.solvedOf(component, counting)
    if (same !== undefined) return same.bound * scale
    const equal = this.solvedOf(component, even)
    if (equal === undefined) return null
    const gaining = component.lines.filter((at) => this.instance.canGain[at]!)
    const heaviest = gaining.reduce((most, at) => Math.max(most, weighing.weightOf(at)), 0)
    return gaining.reduce(
      (gain, at) => gain + (heaviest - weighing.weightOf(at)) * this.instance.lineInstance.lines[at]!.own,
      equal.bound * heaviest,
    )
  }

  private chooseOne(component: Component, { weighing, linesLater }: ComponentTurn) {
    const { scale, ...counting } = this.weighed(component, weighing)
    let choice = this.solvedOf(component, counting)
    if (choice === undefined) {
      const stepsMax = stepsFirst(Math.max(0, this.together.stepsMax - this.steps), linesLater)
      const task = lineTask(this.instance, component, { ...counting, stepsMax })
      const found = solve(this.instance.lineInstance, component, task)
      const { plans, steps } = found
      const bound = Math.min(found.bound, this.gainOf(component, weighing) ?? found.bound)
      this.steps += steps + component.lines.length
      const own = this.solved.get(component) ?? []
      choice = { ...counting, plans, bound, name: `${component.lines[0]}:${own.length}` }
      this.solved.set(component, [...own, choice])
      this.hasSolved = true
    }
    return { plans: choice.plans, bound: choice.bound * scale, name: choice.name }
  }

  private solvedOf(component: Component, { weights, penalties }: Required<ComponentWeights>): SolvedChoice | undefined {
    const solved = this.solved.get(component)
    return solved?.find((each) => areAlike(each.weights, weights) && areAlike(each.penalties, penalties))
  }

  // Equal weights only scale the result.
  private weighed(
    component: Component,
    { weightOf, penaltyOf }: LineWeights,
  ): Required<ComponentWeights> & { scale: number } {
    const { canGain } = this.instance
    const all = component.lines.map(weightOf)
    const penalties = component.lines.map((at) => penaltyOf?.(at) ?? null)
    if (penalties.some((each) => each !== null)) return { weights: all, penalties, scale: 1 }
    let [least, scale] = [Number.POSITIVE_INFINITY, 0]
    for (let index = 0; index < all.length; index++) {
      if (!canGain[component.lines[index]!]!) continue
      least = Math.min(least, all[index]!)
      scale = Math.max(scale, all[index]!)
    }
    return least === scale ? { ...even, scale } : { weights: all, penalties: null, scale: 1 }
  }
}

interface ComponentTurn {
  readonly weighing: LineWeights
  readonly linesLater: number
}

interface SolvedChoice extends Required<ComponentWeights> {
  readonly plans: readonly LinePlan[]
  readonly bound: number
  readonly name: string
}

function areAlike(one: readonly unknown[] | null, other: readonly unknown[] | null): boolean {
  if (one === null || other === null) return one === other
  return one.every((each, index) => each === other[index])
}

const even = { weights: null, penalties: null }

/** No plans were searched, as the budget is exhausted. */
export const noPlans: ReadonlyMap<number, LinePlan> = new Map()
