import { onlyRow } from '../connection/rows.js'
import { sql, type Transaction } from '../connection/sql.js'

/** Accounts of members compared with their entries, and transfers with both their sides (4-member-value, section 7). */
export interface ValueReconciliation {
  readonly accounts: number
  /** Accounts whose lots less debt are not the sum of their entries. */
  readonly accountsAstray: number
  /** The first of them by their ids, at most `listedMax`. */
  readonly firstAstray: readonly AccountAstray[]
  /** Transfers whose entries do not sum to zero. */
  readonly transfersAstray: number
}

interface AccountAstray {
  readonly accountId: number
  readonly currencyId: string
  /** Lots less debt. */
  readonly says: number
  /** Sum of the entries. */
  readonly due: number
}

/** Accounts that a report lists at most. */
const listedMax = 100

/** Recounts every account in the snapshot of the transaction. */
export async function reconcileValue(transaction: Transaction): Promise<ValueReconciliation> {
  const [sums, astray, transfers] = [
    await transaction.run<{ count: number }>(sql`select count(*) as count from account`),
    await transaction.run<AccountAstray & { readonly count: number }>(accountsAstray),
    await transaction.run<{ count: number }>(transfersAstray),
  ]
  return {
    accounts: onlyRow(sums, { effect: 'reads' }).count,
    accountsAstray: astray[0]?.count ?? 0,
    firstAstray: astray.map(({ count: _, ...account }) => account),
    transfersAstray: onlyRow(transfers, { effect: 'reads' }).count,
  }
}

const accountsAstray = sql`
  select a.account_id as "accountId", a.currency_id as "currencyId", coalesce(l.amount, 0) - a.debt as says,
    coalesce(e.amount, 0) as due, count(*) over () as count
  from account a
  left join (select account_id, sum(amount)::bigint as amount from lot group by account_id) l on l.account_id = a.account_id
  full join (select account_id, sum(amount)::bigint as amount from entry group by account_id) e on e.account_id = a.account_id
  where coalesce(l.amount, 0) - a.debt is distinct from coalesce(e.amount, 0)
  order by a.account_id
  limit ${listedMax}::integer`

const transfersAstray = sql`
  select count(*) as count from (
    select movement_id from entry where against = 'transferred' group by movement_id having sum(amount) <> 0
  ) t`
