import { tieGroundOf } from '../model/components.js'
import type { Component, ComponentChoice, Ground, Solver, Task } from '../model/task.js'
import type { TieGround } from '../model/tie-ground.js'
import { walkComponent } from '../walk/walk-component.js'
import { planGreedily } from './greedy.js'
import { boundByUnitPrices } from './unit-price-bound.js'

/**
 * Finds the plans of greatest worth for one component, within a budget of steps, by one solver after the other until one
 * bounds them. The best plans for one offer are read off its track; a walk over the tracks of several sets out from quick
 * plans. Those with too many ways keep quick plans, bounded by prices of units.
 */
export function solve(whole: Ground, component: Component, task: Task): ComponentChoice {
  const ground = tieGroundOf(whole, component)
  let choice = startOf(ground, task)
  for (const solver of solversFor(ground)) {
    const found = solver(ground, { ...task, start: choice, stepsMax: task.stepsMax - choice.steps })
    choice = { ...found, steps: choice.steps + found.steps }
    if (choice.bound < Number.POSITIVE_INFINITY) break
  }
  return { ...choice, bound: Math.max(choice.worth, Math.min(task.most, choice.bound)) }
}

function solversFor({ offers, loose }: TieGround): readonly Solver[] {
  return offers.length + loose.length === 1
    ? [walkComponent, planGreedily, boundByUnitPrices]
    : [planGreedily, walkComponent, boundByUnitPrices]
}

/** What is known before any search: the lines without the offers, or the plans to better. */
export function startOf({ alone }: TieGround, { start, judge, judgeSteps }: Task): ComponentChoice {
  const [first, second] = [judge(alone) ?? Number.NEGATIVE_INFINITY, start === undefined ? null : judge(start)]
  const best = second !== null && second > first ? { plans: start!, worth: second } : { plans: alone, worth: first }
  return { ...best, bound: Number.POSITIVE_INFINITY, steps: start === undefined ? judgeSteps : 2 * judgeSteps }
}
