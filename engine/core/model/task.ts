import type { Money } from '../base/money.js'
import type { LinePlan } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'
import type { ComponentInstance } from './component-instance.js'

/** Lines tied by benefits: a choice on one can change what is best on another. */
export interface Component {
  /** Basis positions, ascending. */
  readonly lines: readonly number[]
  /** In the order of benefitId. */
  readonly offers: readonly Offer[]
  /** Stackable benefits whose maximum amount ties lines too. */
  readonly cappedStacks: readonly Offer[]
}

/**
 * What a line counts in addition to its weighted cost, by its cost before order discounts: 0 or more, and monotone.
 * Weighted cost plus penalty never falls with the cost.
 */
export type Penalty = (rest: Money) => number

/** How plans are evaluated. */
export interface Task {
  /** Worth of the plans of the component's lines; null if they break a rule. */
  readonly judge: (plans: readonly LinePlan[]) => number | null
  /** Upper bound of the worth. */
  readonly most: number
  /** Budget in steps. */
  readonly stepsMax: number
  /** Steps of one call of `judge`. */
  readonly judgeSteps: number
  /** Weight of a minor unit gained on each line, 0 to 1; absent or null: 1. Only if worth is a sum over lines. */
  readonly weights?: readonly number[] | null
  /** Subtracted from the weighted gain of each line, by its cost; absent or null: 0. Only with weights. */
  readonly penalties?: readonly (Penalty | null)[] | null
  /**
   * If set, worth is a whole number from settling the plans, and their gain an upper bound of it. It depends on two
   * sums (the lines of the least weight, and the others), or on every line. Absent: worth is the gain. Only with
   * weights.
   */
  readonly workedOut?: 'sums' | 'lines'
  /** Plans to improve on. */
  readonly start?: readonly LinePlan[]
}

export interface Incumbent {
  /** One per line of the component. */
  readonly plans: readonly LinePlan[]
  readonly worth: number
}

/** A task with an incumbent. */
export interface SolverTask extends Omit<Task, 'start'> {
  readonly start: Incumbent
}

/** Solves a component; the bound is infinite if it proves nothing. */
export type Solver = (instance: ComponentInstance, task: SolverTask) => ComponentChoice

export interface ComponentChoice extends Incumbent {
  /** Upper bound of the worth of all plans. */
  readonly bound: number
  readonly steps: number
}
