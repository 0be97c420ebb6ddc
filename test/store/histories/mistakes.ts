import type { Edit } from './plant-mistake.js'

/** A mistake that histories must notice: its effect on the ledger, and where it is planted. */
export interface Mistake {
  readonly title: string
  readonly edits: readonly Edit[]
  /** The search for a history that shows it begins here. */
  readonly seed: number
}

/** In functions of the ledger (store/postgres/schema/functions). */
export const mistakes: readonly Mistake[] = [
  {
    title: 'a sale earns twice',
    seed: 4,
    edits: [['earn', 'sum(s.given)::bigint as given', '2 * sum(s.given)::bigint as given']],
  },
  {
    title: 'a hold is released after it was used',
    seed: 29,
    edits: [
      ['use_value', 'set amount = l.amount - v_part.amount, held =', 'set held ='],
      ['use_value', 'l.lot_id = v_part.lot_id and l.amount = v_part.amount;', 'false;'],
    ],
  },
  {
    title: 'what is pending is spent',
    seed: 13,
    edits: [
      ['account_available', 'and l.opens_at <= clock_timestamp()', ''],
      ['hold_value', 'and l.opens_at <= v_now', ''],
    ],
  },
  {
    title: 'value expires under a hold',
    seed: 252,
    edits: [
      ['expire_lots', 'l.expires_at <= v_now and l.amount > l.held', 'l.expires_at <= v_now'],
      ['expire_lots', 'e.account_id, e.held - e.amount', 'e.account_id, -e.amount'],
      ['expire_lots', 'case when l.held > 0 then', 'case when false then'],
    ],
  },
  {
    title: 'a return takes by the rule of today: its multiplier is not that of the sale',
    seed: 4,
    edits: [['uncount_rules', 'r.out * e.factor::numeric as out', 'r.out * 10000::numeric as out']],
  },
  {
    title: 'what expires last is taken first',
    seed: 1,
    edits: [['take_available', 'order by l.expires_at,', 'order by l.expires_at desc,']],
  },
  {
    title: 'what expires last is held first',
    seed: 32,
    edits: [['hold_value', 'order by l.expires_at,', 'order by l.expires_at desc,']],
  },
  {
    title: 'what is held is spent by another',
    seed: 29,
    edits: [['account_available', 'l.amount - l.held', 'l.amount']],
  },
  {
    title: 'a late use of what is gone makes no debt',
    seed: 332,
    edits: [['use_value_late', 'set debt = a.debt + v_hold.amount - v_there', 'set debt = a.debt']],
  },
  { title: 'a credit pays no debt', seed: 332, edits: [['pay_debt', 'if v_debt = 0 then', 'if true then']] },
  {
    title: 'the order of sales decides what they give',
    seed: 5,
    edits: [['earning_basis', 'coalesce(t.total, 0)::text', "'0'"]],
  },
  {
    title: 'what one maximum let through is forgotten',
    seed: 45,
    edits: [['earning_basis', 'given_within(a.account_id, r."ruleId", r.maximum ->> \'period\', v_day, b.about)', '0']],
  },
]
