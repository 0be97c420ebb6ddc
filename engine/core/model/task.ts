import type { Money } from '../base/money.js'
import type { LinePlan } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'
import type { ComponentInstance } from './component-instance.js'

/** Lines that benefits tie together: a choice on one can change what is best on another. */
export interface Component {
  /** Basis positions, ascending. */
  readonly lines: readonly number[]
  /** The benefits that tie them, in the order of benefitId. */
  readonly offers: readonly Offer[]
  /** Stackable benefits whose maximum amount ties them too. */
  readonly cappedStacks: readonly Offer[]
}

/**
 * What a line counts beside what it costs before order discounts times its weight, by that cost: 0 or more. Both together
 * count no less the more the line costs, and the penalty by itself either never falls or never rises.
 */
export type Penalty = (rest: Money) => number

/** How plans are judged. */
export interface Task {
  /** What the plans of the component's lines come to; null where they break a rule. */
  readonly judge: (plans: readonly LinePlan[]) => number | null
  /** No plans are worth more than this. */
  readonly most: number
  /** Budget in steps. */
  readonly stepsMax: number
  /** Steps that judging once takes. */
  readonly judgeSteps: number
  /** What a minor unit gained on each line counts, 0 to 1; absent or null: 1. Only where the lines alone count. */
  readonly weights?: readonly number[] | null
  /** What is taken off the weighed gain of each line by what it costs; absent or null: nothing. Only with weights. */
  readonly penalties?: readonly (Penalty | null)[] | null
  /**
   * Worth is what plans come to when they are worked out, in whole steps from any to any other, and their gain is an upper
   * bound of it: two sums decide, over the lines of the least weight and over the others, or every line does. Absent: it is
   * their gain itself. Only with weights.
   */
  readonly workedOut?: 'sums' | 'lines'
  /** Plans to better. */
  readonly start?: readonly LinePlan[]
}

/** The best plans known. */
export interface Incumbent {
  /** One per line of the component. */
  readonly plans: readonly LinePlan[]
  readonly worth: number
}

/** What one solver is to do, from plans that it is to better. */
export interface SolverTask extends Omit<Task, 'start'> {
  readonly start: Incumbent
}

/** Solves a component; its bound is infinite where it proves nothing. */
export type Solver = (instance: ComponentInstance, task: SolverTask) => ComponentChoice

/** The best plans found for a component. */
export interface ComponentChoice extends Incumbent {
  /** No plans are worth more. */
  readonly bound: number
  readonly steps: number
}
