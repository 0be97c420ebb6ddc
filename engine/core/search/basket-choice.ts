import type { Settled } from '../order/settle-basket.js'

/** The outcome chosen. */
export interface BasketChoice {
  readonly settled: Settled
  /** No outcome has a greater value; the value itself when proven. */
  readonly bound: number
  readonly steps: number
}
