import { onlyRow } from '../connection/rows.js'
import { sql, type Transaction } from '../connection/sql.js'

/** What rules gave, compared with the sales they counted and with the movements (4-member-value, section 7: 4 and 6). */
export interface EarningReconciliation {
  /** Totals of rules, one for each account. */
  readonly totals: number
  /** Totals that are not the sum of their sales, or gave more than they allow, and accounts whose movements say otherwise. */
  readonly earningAstray: number
  /** The first of them, at most `listedMax`. */
  readonly firstAstray: readonly EarningAstray[]
}

interface EarningAstray {
  readonly accountId: number
  /** Empty: all that the account earned, by its movements. */
  readonly ruleId: string
  /** What the total says was given and not taken back, or the movements say was given. */
  readonly says: number
  /** What the sales were given, and returns of them did not take back. */
  readonly due: number
}

/** Totals that a report lists at most. */
const listedMax = 100

/** Recounts every total in the snapshot of the transaction. */
export async function reconcileEarning(transaction: Transaction): Promise<EarningReconciliation> {
  const totals = await transaction.run<{ count: number }>(sql`select count(*) as count from earned_total`)
  const astray = await transaction.run<EarningAstray & { readonly count: number }>(earningAstray)
  return {
    totals: onlyRow(totals, { effect: 'reads' }).count,
    earningAstray: astray[0]?.count ?? 0,
    firstAstray: astray.map(({ count: _, ...each }) => each),
  }
}

const earningAstray = sql`
  with counted as (
    select e.account_id, e.rule_id, sum((e.counted - e.returned)::numeric * e.factor) as total, sum(e.given) as given,
      sum(e.taken) as taken, bool_or(e.is_limited) as is_limited
    from earned e group by e.account_id, e.rule_id
  ), moved as (
    select coalesce(a.merged_into, a.account_id) as account_id, sum(n.amount) as given
    from movement m join entry n on n.movement_id = m.movement_id join account a on a.account_id = n.account_id
    where m.kind = 'earned' group by 1
  ), given as (
    select c.account_id, sum(c.given) as given from counted c group by c.account_id
  ), astray as (
    select coalesce(t.account_id, c.account_id) as account_id, coalesce(t.rule_id, c.rule_id) as rule_id,
      coalesce(t.given - t.completed - t.taken, 0) as says, coalesce(c.given - c.taken, 0) as due
    from earned_total t
    full join counted c on c.account_id = t.account_id and c.rule_id = t.rule_id
    left join value_rule r on r.rule_id = t.rule_id
    where t.total is distinct from c.total or t.given - t.completed is distinct from c.given or t.taken is distinct from c.taken
      or (r.every is not null and not c.is_limited and t.given - t.taken > r.give * div(t.total, r.every::numeric * 10000))
    union all
    select coalesce(m.account_id, g.account_id), '', coalesce(m.given, 0), coalesce(g.given, 0)
    from moved m full join given g on g.account_id = m.account_id
    where coalesce(m.given, 0) <> coalesce(g.given, 0)
  )
  select a.account_id as "accountId", a.rule_id as "ruleId", a.says::bigint as says, a.due::bigint as due, count(*) over () as count
  from astray a
  order by a.account_id, a.rule_id
  limit ${listedMax}::integer`
