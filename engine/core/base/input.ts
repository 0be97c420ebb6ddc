import type { Basket, MemberFacts, VenueFacts } from './basket.js'
import type { Money } from './money.js'

/** Counters that `available` does not name; 0 if limits cannot be checked (wire decisions 2). No counterKey equals it. */
export const everyCounter = '*'

export interface CalculationFacts {
  readonly member: MemberFacts
  readonly venue: VenueFacts
  /**
   * Units left by counterKey, else under `everyCounter`, else the whole maximum; 0 or less is exhausted. Free units of
   * an account by accountKey, else nothing under `everyCounter`, else the member's balance.
   */
  readonly available: Readonly<Record<string, number>>
  /** The member's arm by experimentId. Absent: no experiment withholds anything. */
  readonly arms?: Readonly<Record<string, string>> | undefined
  readonly discountCode: string
  readonly stepsMax: number
  /** The amount paid, for a sale that was paid less than its net (page 4, section 9); it decides only what is earned. */
  readonly paidTotal?: Money
}

export interface CalculationInput extends CalculationFacts {
  readonly basket: Basket
}
