import { reconcile } from '../../../store/postgres/counters/reconcile.js'
import { astrayOf } from '../astray.js'
import { plenty } from '../ledger-builders.js'
import type { Played } from './played.js'

const writes = { effect: 'writes', withinMs: plenty } as const

/** Reconciles everything that histories left behind (4-member-value, section 7), and removes it; what is astray, in words. */
export async function reconciled({ database }: Played): Promise<readonly string[]> {
  const found = await reconcile(database, { since: '2000-01-01', until: null }, () => {})
  const { differences, reservationsAstray } = found
  for (const table of emptied) await database.run({ text: `delete from ${table}`, values: [] }, writes)
  const counters = differences + reservationsAstray
  return [...astrayOf(found), ...(counters === 0 ? [] : [`${counters} counters or reservations are astray`])]
}

/** What grows with histories. */
const emptied = [
  ...['lot', 'account', 'entry', 'movement', 'activation', 'activation_part', 'reward_code', 'wrong_code'],
  ...['value_hold', 'value_hold_part', 'sale_ladder', 'sale_return'],
  ...[
    'earned',
    'earned_total',
    'sale',
    'calculation',
    'calculation_body',
    'member_loyalty_id',
    'member',
    'change',
    'audit_record',
  ],
]
