import type { Money } from '../core/base/money.js'
import type { Reason, Remedy } from './reasons.js'
import type { Trial, TrialPrice } from './trial.js'

export const objectives = [
  'largest_share',
  'largest_amount',
  'paid_for_more',
  'split',
  'guards',
  'value_for_nothing',
  'too_often',
] as const
export type Objective = (typeof objectives)[number]

/** A basket that is as bad as its objective says, with nothing in it that could be left out. */
export interface Finding {
  readonly objective: Objective
  /** How bad: a share in ten-thousandths of a percent, minor units, or times. Compared within one objective only. */
  readonly score: number
  readonly trial: Trial
  readonly price: TrialPrice
  /** The other basket of a pair: without the item that made it cheaper, or the second receipt. */
  readonly other: { readonly trial: Trial; readonly price: TrialPrice } | null
  /** Benefits that make it, in the order of their ids. */
  readonly benefitIds: readonly string[]
  readonly guardId: string | null
  readonly reason: Reason
  /** Ways to close it, each priced again: some values to change together. */
  readonly remedies: readonly (readonly Remedy[])[]
  /** Minor units taken off, or paid less by it. */
  readonly off: Money
}
