import type { Settled } from '../order/settle-basket.js'

export interface BasketChoice {
  readonly settled: Settled
  /** Upper bound of the value of any outcome; equal to its value if proven. */
  readonly bound: number
  readonly steps: number
}
