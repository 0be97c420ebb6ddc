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
  readonly field: string
  readonly value: unknown
}

export function pathOf({ list, id, field }: Remedy): string {
  return `${list}[${/^[\w-]+$/.test(id) ? id : JSON.stringify(id)}].${field}`
}

export interface Finding {
  readonly objective: Objective
  /** How bad: a share in ten-thousandths of a percent, minor units, or times. Compared within one objective only. */
  readonly score: number
  readonly trial: Trial
  readonly price: TrialPrice
  readonly other: { readonly trial: Trial; readonly price: TrialPrice } | null
  readonly benefitIds: readonly string[]
  readonly guardId: string | null
  readonly reason: Reason
  readonly remedies: readonly (readonly Remedy[])[]
  readonly off: Money
}

/** Such as `largest_amount/cheap_goods_give_dear/3-for-2/899900-NOK`; null: as written. A name for 50.00 is none for 5,000.00. */
export function nameOf({ objective, reason, guardId, benefitIds, off, trial }: Finding): string | null {
  if (reason === 'as_written') return null
  const by = [...(guardId === null ? [] : [guardId]), benefitIds.join('+')]
  return [objective, reason, ...by, `${off}-${trial.setting.venue.currency}`].join('/')
}
