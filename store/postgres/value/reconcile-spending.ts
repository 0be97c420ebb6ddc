import { onlyRow } from '../connection/rows.js'
import { sql, type Transaction } from '../connection/sql.js'

/** What calculations hold and used of accounts, compared with lots, sales and movements (4-member-value, section 7: 2, 4, 5 and 8). */
export interface SpendingReconciliation {
  /** Holds, one for each calculation and account. */
  readonly holds: number
  /**
   * Holds in a state that their calculation and sale do not give them, or whose lots do not add up to them or are not in the order of
   * expiry.
   */
  readonly holdsAstray: number
  /** Accounts of which lots have more or less held than calculations hold, or movements used more or less than calculations did. */
  readonly accountsAstray: number
  /** The first of both, at most `listedMax`. */
  readonly firstAstray: readonly SpendingAstray[]
}

interface SpendingAstray {
  readonly accountId: number
  readonly currencyId: string
  /** The calculation; null: all of the account. */
  readonly calculationId: string | null
  /** Such as `held 3, due 4`. */
  readonly what: string
}

/** Rows that a report lists at most. */
const listedMax = 100

/** Recounts every hold in the snapshot of the transaction. */
export async function reconcileSpending(transaction: Transaction): Promise<SpendingReconciliation> {
  const holds = await transaction.run<{ count: number }>(sql`select count(*) as count from value_hold`)
  const ofHolds = await transaction.run<SpendingAstray & { readonly count: number }>(holdsAstray)
  const ofAccounts = await transaction.run<SpendingAstray & { readonly count: number }>(accountsAstray)
  return {
    holds: onlyRow(holds, { effect: 'reads' }).count,
    holdsAstray: ofHolds[0]?.count ?? 0,
    accountsAstray: ofAccounts[0]?.count ?? 0,
    firstAstray: [...ofHolds, ...ofAccounts].slice(0, listedMax).map(({ count: _, ...each }) => each),
  }
}

const holdsAstray = sql`
  select h.account_id as "accountId", a.currency_id as "currencyId", h.calculation_id as "calculationId",
    format('%s of %s, due %s; %s in lots%s', h.state, h.amount, h.due, h.parts, case when h.ordered then '' else ' out of order' end)
      as what,
    count(*) over () as count
  from (
    select v.*, due_hold_state(v, c, s) as due, coalesce(p.amount, 0) as parts, coalesce(p.ordered, true) as ordered
    from value_hold v
    left join calculation c on c.calculation_id = v.calculation_id
    left join sale s on s.calculation_id = v.calculation_id
    left join (
      select n.calculation_id, n.account_id, sum(n.amount) as amount, bool_and(n.expires_at >= n.before) as ordered
      from (
        select q.*, lag(q.expires_at, 1, '-infinity') over (partition by q.calculation_id, q.account_id order by q.place) as before
        from value_hold_part q
      ) n
      group by n.calculation_id, n.account_id
    ) p on p.calculation_id = v.calculation_id and p.account_id = v.account_id
  ) h
  left join account a on a.account_id = h.account_id
  where h.state <> h.due or not h.ordered or h.parts > h.amount or (h.state in ('open', 'used') and h.parts <> h.amount)
  order by h.account_id, h.calculation_id
  limit ${listedMax}::integer`

const accountsAstray = sql`
  select a.account_id as "accountId", a.currency_id as "currencyId", null as "calculationId",
    format('held %s, due %s; used %s, due %s', coalesce(l.held, 0), coalesce(h.held, 0), coalesce(m.used, 0), coalesce(h.used, 0))
      as what,
    count(*) over () as count
  from account a
  left join (select account_id, sum(held) as held from lot group by account_id) l on l.account_id = a.account_id
  left join (
    select coalesce(o.merged_into, o.account_id) as account_id, -sum(n.amount) as used
    from movement k join entry n on n.movement_id = k.movement_id join account o on o.account_id = n.account_id
    where k.kind = 'used' group by 1
  ) m on m.account_id = a.account_id
  left join (
    select account_id, sum(amount) filter (where state = 'open') as held, sum(amount) filter (where state in ('used', 'late')) as used
    from value_hold group by account_id
  ) h on h.account_id = a.account_id
  where coalesce(l.held, 0) <> coalesce(h.held, 0) or coalesce(m.used, 0) <> coalesce(h.used, 0)
  order by a.account_id
  limit ${listedMax}::integer`
