import type { Basket, MemberFacts, VenueFacts } from './basket.js'
import type { Money } from './money.js'

/**
 * Under this key `available` speaks for every counter that it does not name: 0 where limits cannot be checked, so that
 * limited benefits count as exhausted (wire decisions 2). No counterKey looks like it.
 */
export const everyCounter = '*'

/** The facts, besides the programme, that one calculation is a pure function of (benefits, head). */
export interface CalculationFacts {
  readonly member: MemberFacts
  readonly venue: VenueFacts
  /** Units left by counterKey, or under `everyCounter` for those not named, else the whole maximum; 0 or less is exhausted. */
  readonly available: Readonly<Record<string, number>>
  /** Code on every discount the service adds, and the mark of those an earlier answer added. */
  readonly discountCode: string
  /** Search budget in steps. */
  readonly stepsMax: number
  /** What was paid, where a sale is settled that was paid less than its net (page 4, section 9); it decides only what is earned. */
  readonly paidTotal?: Money
}

export interface CalculationInput extends CalculationFacts {
  readonly basket: Basket
}
