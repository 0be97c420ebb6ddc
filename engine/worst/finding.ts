import type { Money } from '../core/base/money.js'
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

/** Why a basket is as bad as it is, from the most particular to the plainest. */
const reasons = [
  'guard_broken',
  'limit_new_at_midnight',
  'again_each_day',
  'again_at_once',
  'earned_pays_for_itself',
  'cheaper_with_more',
  'cheaper_on_two_receipts',
  'excluded_goods_count',
  'cheap_goods_give_dear',
  'gifts_add_up',
  'benefits_add_up',
  'amount_of_another_currency',
  'amount_near_the_price',
  'price_far_below',
  'no_maximum',
  'as_written',
] as const
export type Reason = (typeof reasons)[number]

export interface Remedy {
  readonly list: 'benefits' | 'venues'
  readonly id: string
  /** Such as `conditions.requires[0].select.not`. */
  readonly field: string
  readonly value: unknown
}

/** Such as `benefits[happy-hour].group`; an id that is not plain stands in quotes. */
export function pathOf({ list, id, field }: Remedy): string {
  return `${list}[${/^[\w-]+$/.test(id) ? id : JSON.stringify(id)}].${field}`
}

export interface Finding {
  readonly objective: Objective
  /** How bad: a share in ten-thousandths of a percent, minor units, or times. Compared within one objective only. */
  readonly score: number
  readonly trial: Trial
  readonly price: TrialPrice
  /** The other basket of a pair: without the item that made it cheaper, or the second receipt. */
  readonly other: { readonly trial: Trial; readonly price: TrialPrice } | null
  readonly benefitIds: readonly string[]
  readonly guardId: string | null
  readonly reason: Reason
  /** Ways to close it, each priced again: some values to change together. */
  readonly remedies: readonly (readonly Remedy[])[]
  readonly off: Money
}

/**
 * Acknowledges a finding, such as `largest_amount/cheap_goods_give_dear/3-for-2/899900-NOK`; null where the benefit does as it is written.
 * The amount is part of it: a word for 50.00 is none for 5,000.00.
 */
export function nameOf({ objective, reason, guardId, benefitIds, off, trial }: Finding): string | null {
  if (reason === 'as_written') return null
  const by = [...(guardId === null ? [] : [guardId]), benefitIds.join('+')]
  return [objective, reason, ...by, `${off}-${trial.setting.venue.currency}`].join('/')
}
