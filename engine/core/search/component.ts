import type { LinePlan } from '../lines/plan.js'
import { tieGroundOf } from '../model/components.js'
import type { Component, ComponentChoice, Ground, Task } from '../model/task.js'
import type { TieGround } from '../model/tie-ground.js'
import { leastMore } from '../model/tolerance.js'
import { isShared } from '../offers/offer.js'
import { walkComponent } from '../walk/walk-component.js'
import { greedyOrder, greedyPlans } from './greedy.js'
import { loneBound } from './lone-bound.js'
import { simpleBound } from './simple-bound.js'
import { timesBound } from './times-bound.js'
import { unitPriceBound } from './unit-price-bound.js'

/** Share of the budget for the plans to start from. */
const greedyShareMax = 0.3

/** Finds the plans of greatest worth for one component, within a budget of steps. */
export function chooseComponent(whole: Ground, component: Component, task: Task): ComponentChoice {
  const alone = component.lines.map((at) => whole.alone[at]!)
  return new ComponentSearch(tieGroundOf(whole, component), alone, task).run()
}

class ComponentSearch {
  private best: { plans: readonly LinePlan[]; worth: number }
  private steps = 0

  constructor(
    private readonly ground: TieGround,
    /** The plan of each line without any of the offers. */
    private readonly alone: readonly LinePlan[],
    private readonly task: Task,
  ) {
    this.best = { plans: alone, worth: Number.NEGATIVE_INFINITY }
    this.keep(alone)
    if (task.start !== undefined) this.keep(task.start)
  }

  run(): ComponentChoice {
    this.startGreedily()
    const proven = this.provenAlone() ?? this.walk()
    return proven ?? this.bounded()
  }

  // Of plans of a single benefit that no others of these lines can better; null elsewhere.
  private provenAlone(): ComponentChoice | null {
    const { ground, alone, task } = this
    const { weights = null } = task
    if (task.isWorkedOut || ground.loose.length > 0) return null
    const { plans, worth } = this.best
    const more = weights === null ? 1 : leastMore(task.most)
    const isMet = (bound: number | null) => bound !== null && bound < worth + more
    const isSimple = weights === null && isMet(simpleBound(ground))
    if (!isSimple && !isMet(loneBound(ground, alone, weights)) && !isMet(timesBound(ground, alone, task.judge)))
      return null
    const bound = weights === null ? worth : Math.min(worth + more, Math.max(worth, task.most))
    return { plans, worth, bound, steps: this.steps }
  }

  // Where the lines alone count; null where that would take too long. With maximum amounts below others on top a second time:
  // ways are many once they are told apart for what is shared below.
  private walk(): ComponentChoice | null {
    const first = this.walkOnce(this.best, false)
    const { loose, offers } = this.ground
    if (first === null || first.bound < first.worth + 1 || loose.length === 0 || !offers.some(isShared)) return first
    const second = this.walkOnce(first, true)
    if (second === null) return { ...first, steps: this.steps }
    return { ...second, bound: Math.max(second.worth, Math.min(first.bound, second.bound)) }
  }

  private walkOnce(start: Pick<ComponentChoice, 'plans' | 'worth'>, isApart: boolean): ComponentChoice | null {
    const stepsMax = this.task.stepsMax - this.steps
    const { choice, steps } = walkComponent(this.ground, this.task, { start, stepsMax, isApart })
    this.steps += steps
    if (choice === null) return null
    return { ...choice, bound: Math.max(choice.worth, Math.min(choice.bound, this.task.most)), steps: this.steps }
  }

  private startGreedily(): void {
    const stepsMax = this.task.stepsMax * greedyShareMax
    const { plans, steps } = greedyPlans(this.ground, { order: greedyOrder(this.ground), alone: this.alone, stepsMax })
    this.steps += steps
    this.keep(plans)
  }

  // Where the ways of a line are too many: good plans, taken in runs, with a bound that does not depend on quantities.
  private bounded(): ComponentChoice {
    const { weights = null, most } = this.task
    const { plans, worth } = this.best
    const more = weights === null ? 1 : leastMore(most)
    const relaxed = unitPriceBound(this.ground, weights, worth + more)
    if (relaxed === null) return { plans, worth, bound: most, steps: this.steps }
    this.steps += this.ground.lines.length
    const bound = Math.min(most, weights === null ? Math.floor(relaxed) : relaxed)
    return { plans, worth, bound: Math.max(worth, bound), steps: this.steps }
  }

  private keep(plans: readonly LinePlan[]): void {
    this.steps += this.task.judgeSteps
    const worth = this.task.judge(plans)
    if (worth !== null && worth > this.best.worth) this.best = { plans, worth }
  }
}
