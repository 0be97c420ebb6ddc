import type { Basket, MemberFacts, VenueFacts } from './basket.js'
import type { Money } from './money.js'

/**
 * Stands for counters that `available` does not name: 0 if limits cannot be checked (wire decisions 2). No counterKey
 * equals it.
 */
export const everyCounter = '*'

export interface CalculationFacts {
  readonly member: MemberFacts
  readonly venue: VenueFacts
  /**
   * Units left by counterKey, otherwise under `everyCounter`, otherwise the whole maximum; 0 or less is exhausted. By accountKey what
   * is free of an account, otherwise nothing under `everyCounter`, otherwise the member's balance.
   */
  readonly available: Readonly<Record<string, number>>
  readonly discountCode: string
  readonly stepsMax: number
  /** What was paid, where a sale is settled that was paid less than its net (page 4, section 9); it decides only what is earned. */
  readonly paidTotal?: Money
}

export interface CalculationInput extends CalculationFacts {
  readonly basket: Basket
}
