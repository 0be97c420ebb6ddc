import type { Settled } from '../order/settle-basket.js'

/** The outcome chosen. */
export interface Chosen {
  readonly settled: Settled
  /** No outcome has a greater value; the value itself when proven. */
  readonly bound: number
  readonly steps: number
  /** Whether no other plan can be worth the same. */
  readonly isUnique: boolean
}
