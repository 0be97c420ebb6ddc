import type { EarningRule } from './earning.js'
import type { Money, Quantity } from './money.js'

/** What is done about value that a return takes back and that is not there any more (4-member-value 2 and 5). */
export type OnReturn = 'to_zero' | 'debt' | 'pending_only'

/** A line of the basket that was charged, split and added ones included. */
export interface LadderLine {
  readonly lineId: string
  readonly quantity: Quantity
  /** What was paid for it, minor units: of k thousandths `floor(k x net / quantity)`. */
  readonly net: Money
  /** Its net in the basket; above `net` where less was paid. */
  readonly due: Money
  /** Whole units that were given for nothing. */
  readonly free: number
}

/** A rule that counted the sale, with the lines that it counts. */
export interface LadderRule {
  readonly rule: EarningRule
  /** Positions in `lines`, ascending; each has an amount due. */
  readonly lines: readonly number[]
  /** Lines of the minimum spend; null: the rule has none. */
  readonly spending: readonly number[] | null
}

/** What returns need of a sale, for ever (4-member-value 5). */
export interface Ladder {
  readonly lines: readonly LadderLine[]
  /** In the order of the programme; rules that counted nothing are left out. */
  readonly rules: readonly LadderRule[]
}
