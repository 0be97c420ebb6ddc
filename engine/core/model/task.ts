import type { Money } from '../base/money.js'
import type { LinePlan } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'
import type { ComponentInstance } from './instance.js'

export interface Component {
  readonly lines: readonly number[]
  readonly offers: readonly Offer[]
  readonly cappedStacks: readonly Offer[]
}

/** By cost before order discounts: 0 or more, monotone; cost and penalty together never fall with the cost. */
export type Penalty = (rest: Money) => number

export interface Task {
  readonly judge: (plans: readonly LinePlan[]) => number | null
  readonly most: number
  readonly stepsMax: number
  readonly judgeSteps: number
  /** Weight of a minor unit gained, by line, 0 to 1; absent or null: 1. Only if worth is a sum over lines. */
  readonly weights?: readonly number[] | null
  /** Subtracted from a line's weighted gain, by its cost; absent or null: 0. Only with weights. */
  readonly penalties?: readonly (Penalty | null)[] | null
  /** Worth is a whole number, bounded by the gain: of two sums (lines of the least weight, others), or of every line. Absent: the gain. */
  readonly workedOut?: 'sums' | 'lines'
  readonly start?: readonly LinePlan[]
}

export interface Incumbent {
  readonly plans: readonly LinePlan[]
  readonly worth: number
}

export interface SolverTask extends Omit<Task, 'start'> {
  readonly start: Incumbent
}

export type Solver = (instance: ComponentInstance, task: SolverTask) => ComponentChoice

export interface ComponentChoice extends Incumbent {
  readonly bound: number
  readonly steps: number
}
