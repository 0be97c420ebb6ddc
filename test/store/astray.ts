import type { Reconciliation } from '../../store/postgres/counters/reconcile.js'

/** What a reconciliation finds astray of members' value (4-member-value, section 7), in words; empty: everything adds up. */
export function astrayOf({ value, earning, spending, returns }: Reconciliation): readonly string[] {
  const count =
    value.accountsAstray +
    value.transfersAstray +
    earning.earningAstray +
    spending.holdsAstray +
    spending.accountsAstray +
    returns.returnsAstray
  return count === 0 ? [] : [`reconcile finds ${JSON.stringify({ value, earning, spending, returns })}`]
}
