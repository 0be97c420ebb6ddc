import { onlyRow } from '../connection/rows.js'
import { sql, type Transaction } from '../connection/sql.js'

/** Returns compared with the ladders of their sales and with the movements (4-member-value, section 7: 6 and 7). */
export interface ReturnReconciliation {
  readonly returns: number
  /** Sales of which more was returned than bought, or whose refunds are not what the ladder gives; returns that moved other value. */
  readonly returnsAstray: number
  /** The first of them, at most `listedMax`. */
  readonly firstAstray: readonly ReturnAstray[]
}

interface ReturnAstray {
  readonly calculationId: string
  /** Of what: `refund`, `quantity`, or the currency that was moved. */
  readonly what: string
  readonly says: number
  readonly due: number
}

/** Sales that a report lists at most. */
const listedMax = 100

/** Recounts every return in the snapshot of the transaction. */
export async function reconcileReturns(transaction: Transaction): Promise<ReturnReconciliation> {
  const returns = await transaction.run<{ count: number }>(sql`select count(*) as count from sale_return`)
  const astray = await transaction.run<ReturnAstray & { readonly count: number }>(returnsAstray)
  return {
    returns: onlyRow(returns, { effect: 'reads' }).count,
    returnsAstray: astray[0]?.count ?? 0,
    firstAstray: astray.map(({ count: _, ...each }) => each),
  }
}

const returnsAstray = sql`
  with returned as (
    select r.calculation_id, sum(r.refund) as refund,
      (select l.ladder::json from sale_ladder l where l.calculation_id = r.calculation_id) as ladder
    from sale_return r group by r.calculation_id
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
    select r.calculation_id, 'refund' as what, r.refund as says, refund_total(r.ladder, q.returned)::numeric as due
    from returned r cross join lateral (select returned_lines(r.calculation_id, r.ladder) as returned) q
    where r.refund is distinct from refund_total(r.ladder, q.returned)
    union all
    select r.calculation_id, 'quantity', q.returned, (l.line ->> 1)::numeric
    from returned r
    cross join lateral json_array_elements(r.ladder -> 'lines') with ordinality l (line, place)
    cross join lateral (select (returned_lines(r.calculation_id, r.ladder))[l.place] as returned) q
    where q.returned > (l.line ->> 1)::bigint
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
