import { componentInstanceOf } from '../model/components.js'
import type { ComponentInstance, LineInstance } from '../model/instance.js'
import type { Component, ComponentChoice, Solver, Task } from '../model/task.js'
import { walkComponent } from '../walk/walk-component.js'
import { planGreedily } from './greedy.js'
import { boundByUnitPrices } from './unit-price-bound.js'

/**
 * Finds the best plans of a component: solvers run in turn until one gives a bound. With too many assignments greedy
 * plans stay, bounded by unit prices.
 */
export function solve(whole: LineInstance, component: Component, task: Task): ComponentChoice {
  const instance = componentInstanceOf(whole, component)
  let choice = startOf(instance, task)
  for (const solver of solversFor(instance)) {
    const found = solver(instance, { ...task, start: choice, stepsMax: task.stepsMax - choice.steps })
    choice = { ...found, steps: choice.steps + found.steps }
    if (choice.bound < Number.POSITIVE_INFINITY) break
  }
  return { ...choice, bound: Math.max(choice.worth, Math.min(task.most, choice.bound)) }
}

// A walk over one offer is quicker than greedy plans.
function solversFor({ offers, cappedStacks }: ComponentInstance): readonly Solver[] {
  return offers.length + cappedStacks.length === 1
    ? [walkComponent, planGreedily, boundByUnitPrices]
    : [planGreedily, walkComponent, boundByUnitPrices]
}

/** The incumbent before any search: no offers, or the given plans. */
export function startOf({ alone }: ComponentInstance, { start, judge, judgeSteps }: Task): ComponentChoice {
  const [first, second] = [judge(alone) ?? Number.NEGATIVE_INFINITY, start === undefined ? null : judge(start)]
  const best = second !== null && second > first ? { plans: start!, worth: second } : { plans: alone, worth: first }
  return { ...best, bound: Number.POSITIVE_INFINITY, steps: start === undefined ? judgeSteps : 2 * judgeSteps }
}
