import { refundOf, type StoredLadder } from '../../../engine/value/ladder.js'
import { onlyRow, type Statement, sql, type Transaction } from '../connection/sql.js'

export const listedMax = 100

export interface ValueReconciliation {
  readonly accounts: number
  /** Accounts whose lots less debt differ from the sum of their entries; the first `listedMax` by their ids. */
  readonly accountsAstray: number
  readonly firstAstray: readonly AccountAstray[]
  readonly transfersAstray: number
}

interface AccountAstray {
  readonly accountId: number
  readonly currencyId: string
  readonly says: number
  readonly due: number
}

export interface EarningReconciliation {
  readonly totals: number
  /** Totals that differ from the sum of their sales, or gave more than they allow, and accounts whose movements differ; the first `listedMax`. */
  readonly earningAstray: number
  readonly firstAstray: readonly EarningAstray[]
}

interface EarningAstray {
  readonly accountId: number
  readonly ruleId: string
  readonly says: number
  readonly due: number
}

export interface SpendingReconciliation {
  readonly holds: number
  /** Holds in another state than their calculation and sale require, or whose lots do not add up to them or are not in the order of expiry. */
  readonly holdsAstray: number
  /** Accounts whose lots hold, or whose movements used, more or less than calculations did. */
  readonly accountsAstray: number
  readonly firstAstray: readonly SpendingAstray[]
}

interface SpendingAstray {
  readonly accountId: number
  readonly currencyId: string
  readonly calculationId: string | null
  readonly what: string
}

export interface ReturnReconciliation {
  readonly returns: number
  /** More returned than bought, refunds that the ladder does not allow, or other value moved; the first `listedMax`. */
  readonly returnsAstray: number
  readonly firstAstray: readonly ReturnAstray[]
}

interface ReturnAstray {
  readonly calculationId: string
  readonly what: string
  readonly says: number
  readonly due: number
}

export async function findAstray<Row>(
  transaction: Transaction,
  statement: Statement,
): Promise<{ readonly count: number; readonly first: readonly Row[] }> {
  const rows = await transaction.run<Row & { readonly count: number }>(statement)
  return { count: rows[0]?.count ?? 0, first: rows.map(({ count: _, ...row }) => row as unknown as Row) }
}

async function countOf(transaction: Transaction, statement: Statement): Promise<number> {
  return onlyRow(await transaction.run<{ count: number }>(statement), { effect: 'reads' }).count
}

export async function reconcileValue(transaction: Transaction): Promise<ValueReconciliation> {
  const astray = await findAstray<AccountAstray>(transaction, accountsAstray)
  return {
    accounts: await countOf(transaction, sql`select count(*) as count from account`),
    accountsAstray: astray.count,
    firstAstray: astray.first,
    transfersAstray: await countOf(transaction, transfersAstray),
  }
}

export async function reconcileEarning(transaction: Transaction): Promise<EarningReconciliation> {
  const astray = await findAstray<EarningAstray>(transaction, earningAstray)
  return {
    totals: await countOf(transaction, sql`select count(*) as count from earned_total`),
    earningAstray: astray.count,
    firstAstray: astray.first,
  }
}

export async function reconcileSpending(transaction: Transaction): Promise<SpendingReconciliation> {
  const ofHolds = await findAstray<SpendingAstray>(transaction, holdsAstray)
  const ofAccounts = await findAstray<SpendingAstray>(transaction, heldAstray)
  return {
    holds: await countOf(transaction, sql`select count(*) as count from value_hold`),
    holdsAstray: ofHolds.count,
    accountsAstray: ofAccounts.count,
    firstAstray: [...ofHolds.first, ...ofAccounts.first].slice(0, listedMax),
  }
}

export async function reconcileReturns(transaction: Transaction): Promise<ReturnReconciliation> {
  const others = await findAstray<ReturnAstray>(transaction, returnsAstray)
  const refunds = await refundsAstray(transaction)
  return {
    returns: await countOf(transaction, sql`select count(*) as count from sale_return`),
    returnsAstray: others.count + refunds.length,
    firstAstray: [...others.first, ...refunds].slice(0, listedMax),
  }
}

async function refundsAstray(transaction: Transaction): Promise<readonly ReturnAstray[]> {
  const astray: ReturnAstray[] = []
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const sales = await transaction.run<RefundedSale>(refundedSales(after))
    for (const { calculationId, ladder, returned, says } of sales) {
      const most = ladder.lines.map(({ quantity }, at) => Math.min(quantity, returned[at] ?? 0))
      const due = refundOf(ladder, most)
      if (says !== due) astray.push({ calculationId, what: 'refund', says, due })
    }
    if (sales.length < refundedMax) return astray
    after = sales.at(-1)!.calculationId
  }
}

interface RefundedSale {
  readonly calculationId: string
  readonly ladder: StoredLadder
  readonly returned: Readonly<Record<number, number>>
  readonly says: number
}

const refundedMax = 1_000

function refundedSales(after: string): Statement {
  return sql`
    select l.calculation_id as "calculationId", l.ladder::json as ladder, (
        select json_object_agg(n.place, n.quantity) from (
          select e.line ->> 0 as place, sum((e.line ->> 1)::bigint) as quantity
          from sale_return r cross join lateral json_array_elements(r.lines::json) e (line)
          where r.calculation_id = l.calculation_id group by 1
        ) n
      ) as returned,
      (select sum(r.refund)::bigint from sale_return r where r.calculation_id = l.calculation_id) as says
    from sale_ladder l
    where l.calculation_id > ${after}::uuid and exists (select from sale_return r where r.calculation_id = l.calculation_id)
      and (l.ladder::json ->> 'policy' = 'as_paid' or not (l.ladder::json ->> 'anew')::boolean)
    order by l.calculation_id
    limit ${refundedMax}::integer`
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

const heldAstray = sql`
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

const returnsAstray = sql`
  with returned as (
    select r.calculation_id, n.place, sum(n.quantity) as quantity
    from sale_return r
    cross join lateral (
      select (l.line ->> 0)::bigint as place, (l.line ->> 1)::bigint as quantity from json_array_elements(r.lines::json) l (line)
    ) n
    group by 1, 2
  ), line as (
    select s.calculation_id, s.ladder::json ->> 'policy' = 'reprice' and (s.ladder::json ->> 'anew')::boolean as is_anew,
      (n.line ->> 'quantity')::bigint as quantity, (n.line ->> 'paid')::bigint as paid,
      coalesce(r.quantity, 0) as returned
    from sale_ladder s
    cross join lateral json_array_elements(s.ladder::json -> 'lines') with ordinality n (line, place)
    left join returned r on r.calculation_id = s.calculation_id and r.place = n.place - 1
    where exists (select from sale_return x where x.calculation_id = s.calculation_id)
  ), paid as (
    select l.calculation_id, sum(l.paid) as paid, bool_and(l.returned >= l.quantity) as is_all from line l where l.is_anew group by 1
  ), said as (
    select r.return_id, r.calculation_id, v."currencyId" as currency_id, sum(v.amount * b.sign) as amount
    from sale_return r
    cross join lateral (values (r.taken_back, -1), (r.given_back, 1)) b (moved, sign)
    cross join lateral json_to_recordset(b.moved::json) as v ("currencyId" text, amount bigint)
    group by 1, 2, 3
  ), moved as (
    select r.return_id, r.calculation_id, a.currency_id, sum(e.amount) as amount
    from sale_return r
    join movement m on m.cause = 'return:' || r.return_id
    join entry e on e.movement_id = m.movement_id
    join account a on a.account_id = e.account_id
    group by 1, 2, 3
  ), astray as (
    -- Where the kept basket was priced anew: at most the amount paid, and all of it when everything was returned.
    select p.calculation_id, 'refund' as what, r.refund as says, p.paid as due
    from paid p
    cross join lateral (select sum(x.refund) as refund from sale_return x where x.calculation_id = p.calculation_id) r
    where r.refund > p.paid or (p.is_all and r.refund < p.paid)
    union all
    select l.calculation_id, 'quantity', l.returned, l.quantity from line l where l.returned > l.quantity
    union all
    select coalesce(s.calculation_id, m.calculation_id), coalesce(s.currency_id, m.currency_id), coalesce(s.amount, 0),
      coalesce(m.amount, 0)
    from said s full join moved m on m.return_id = s.return_id and m.currency_id = s.currency_id
    where coalesce(s.amount, 0) <> coalesce(m.amount, 0)
  )
  select a.calculation_id as "calculationId", a.what, a.says::bigint as says, a.due::bigint as due, count(*) over () as count
  from astray a
  order by a.calculation_id, a.what
  limit ${listedMax}::integer`
