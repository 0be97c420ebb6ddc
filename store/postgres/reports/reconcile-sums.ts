import { onlyRow, sql, type Transaction } from '../connection/sql.js'
import { findAstray, listedMax } from '../value/reconcile-value.js'

/**
 * The daily sums of reports compared with the sales in them, and sums of months and of all venues with those of days at venues. Days with
 * deleted sales, and days before a venue had its time zone, are not compared with sales.
 */
export interface SumReconciliation {
  readonly sums: number
  readonly wholeFrom: string | null
  readonly sumsAstray: number
  readonly firstAstray: readonly SumAstray[]
}

export interface SumAstray {
  /** `month`, `all_venues`: compared with days at venues. `experiment`: all days of an arm compared with its members. */
  readonly span: 'day' | 'month' | 'all_venues' | 'experiment'
  readonly day: string
  readonly venueId: string
  readonly benefitId: string
  readonly currency: string
  readonly figure: string
  readonly says: number
  readonly due: number
}

export async function reconcileSums(transaction: Transaction): Promise<SumReconciliation> {
  const head = await transaction.run<Pick<SumReconciliation, 'sums' | 'wholeFrom'>>(sumsAndStart)
  const astray = await findAstray<SumAstray>(transaction, sumsAstray)
  return {
    ...onlyRow(head, { effect: 'reads' }),
    sumsAstray: astray.count,
    firstAstray: astray.first,
  }
}

/** A day begins up to 14 hours before it does in UTC: only the second one after a deletion is whole everywhere. */
const sumsAndStart = sql`
  select (select count(*) from benefit_sum) + (select count(*) from value_sum) + (select count(*) from sale_sum)
      + (select count(*) from experiment_sum) as sums,
    (select (t.pruned_before at time zone 'UTC')::date + 2 from sums_state t where t.pruned_before > '-infinity')::text
      as "wholeFrom"`

/**
 * Sums of months (m) and of all venues (a) were added with those of days at venues (v). A sale before its calculation may be in the sums of
 * its own day or of its calculation's: both are passed over (unsure). Forgetting takes the member from a sale: sums of sales of members are
 * not compared.
 */
const sumsAstray = sql`
  with given as (
    select g.*
    from sums_state t join sale s on (s.recorded_at, s.calculation_id) <= (t.summed_at, t.summed_id)
      and not exists (select from joined_sale j where j.calculation_id = s.calculation_id)
    cross join lateral given_by_sales(array[s.calculation_id]) g
  ), benefits_due as (
    select g.venue_id, g.day, g.benefit_id, g.currency, count(*) as calculations,
      count(*) filter (where g.redeemed) as redemptions, sum(g.discount) filter (where g.redeemed) as discount,
      sum(g.paid) filter (where g.redeemed) as paid
    from given g group by g.venue_id, g.day, g.benefit_id, g.currency
  ), spent_due as (
    select g.venue_id, g.day, g.benefit_id, g.cost_currency as currency, sum(g.cost) as spent
    from given g where g.redeemed and g.cost > 0 group by g.venue_id, g.day, g.benefit_id, g.cost_currency
  ), unsure as (
    select coalesce(p.venue_id, '') as venue_id, local_day(p.at, v.time_zone, v.day_starts) as day
    from sale s
    left join calculation c on c.calculation_id = s.calculation_id
    cross join lateral (values (s.venue_id, s.recorded_at), (coalesce(c.venue_id, s.venue_id), c.answered_at)) p (venue_id, at)
    left join venue v on v.venue_id = p.venue_id
    where s.joined_at is not null and p.at is not null
  ), sales_due as (
    select f.venue_id, f.day, f.currency, sum(f.sales) as sales, sum(f.applied) as applied, sum(f.failed) as failed,
      sum(f.cancelled) as cancelled, sum(f.paid) as paid, sum(f.discount) as discount,
      sum(f.apart) as apart
    from sums_state t join sale s on (s.recorded_at, s.calculation_id) <= (t.summed_at, t.summed_id)
    cross join lateral (
      select * from sale_figures(array[s.calculation_id]) union all select * from given_figures(array[s.calculation_id])
    ) f
    where s.joined_at is null
    group by f.venue_id, f.day, f.currency
  )
  select r.span, r.day::text as day, r.venue_id as "venueId", r.benefit_id as "benefitId", r.currency, r.figure,
    coalesce(r.says, 0)::bigint as says, coalesce(r.due, 0)::bigint as due, count(*) over () as count
  from (
    select y.*
    from (
      select 'day' as span, coalesce(k.day, d.day) as day, coalesce(k.venue_id, d.venue_id) as venue_id,
        coalesce(k.benefit_id, d.benefit_id) as benefit_id, coalesce(k.currency, d.currency) as currency, f.figure, f.says, f.due
      from (select * from benefit_sum b where b.span = 'v') k
      full join benefits_due d on (d.venue_id, d.day, d.benefit_id, d.currency) = (k.venue_id, k.day, k.benefit_id, k.currency)
      cross join lateral (values ('calculations', k.calculations, d.calculations), ('redemptions', k.redemptions, d.redemptions),
        ('discount', k.discount, d.discount), ('paid', k.paid, d.paid)) f (figure, says, due)
      union all
      select 'day', coalesce(k.day, d.day), coalesce(k.venue_id, d.venue_id), coalesce(k.source_id, d.benefit_id),
        coalesce(k.currency_id, d.currency), 'spent', k.spent, d.spent
      from (select * from value_sum b where b.span = 'v') k
      full join spent_due d on (d.venue_id, d.day, d.benefit_id, d.currency) = (k.venue_id, k.day, k.source_id, k.currency_id)
      union all
      select 'day', coalesce(k.day, d.day), coalesce(k.venue_id, d.venue_id), '', coalesce(k.currency, d.currency), f.figure, f.says, f.due
      from sale_sum k
      full join sales_due d on (d.venue_id, d.day, d.currency) = (k.venue_id, k.day, k.currency)
      cross join lateral (values ('sales', k.sales, d.sales), ('applied', k.applied, d.applied), ('failed', k.failed, d.failed),
        ('cancelled', k.cancelled, d.cancelled), ('paid', k.paid, d.paid), ('discount', k.discount, d.discount), ('apart', k.apart, d.apart)) f (figure, says, due)
      where not exists (
        select from unsure u where (u.venue_id, u.day) = (coalesce(k.venue_id, d.venue_id), coalesce(k.day, d.day))
      )
    ) y
    where y.day >= (select (t.pruned_before at time zone 'UTC')::date + 2 from sums_state t)
      and not exists (
        select from venue v where v.venue_id = y.venue_id and y.day < (v.zone_since at time zone 'UTC')::date + 2
      )
    union all
    select case k.span when 'm' then 'month' else 'all_venues' end as span, k.day, k.venue_id, k.benefit_id, k.currency, k.figure,
      sum(k.amount) filter (where k.is_kept) as says, sum(k.amount) filter (where not k.is_kept) as due
    from (
      select l.span, l.day, l.venue_id, b.benefit_id, b.currency, f.figure, f.amount, b.span <> 'v' as is_kept
      from benefit_sum b
      cross join lateral (
        select n.* from sum_keys(b.venue_id, b.day) n where b.span = 'v' and n.span <> 'v'
        union all select b.span, b.venue_id, b.day where b.span <> 'v'
      ) l
      cross join lateral (values ('calculations', b.calculations), ('redemptions', b.redemptions), ('discount', b.discount),
        ('paid', b.paid)) f (figure, amount)
      union all
      select l.span, l.day, l.venue_id, b.source_id, b.currency_id, f.figure, f.amount, b.span <> 'v'
      from value_sum b
      cross join lateral (
        select n.* from sum_keys(b.venue_id, b.day) n where b.span = 'v' and n.span <> 'v'
        union all select b.span, b.venue_id, b.day where b.span <> 'v'
      ) l
      cross join lateral (values ('earned', b.earned), ('spent', b.spent)) f (figure, amount)
    ) k
    group by k.span, k.day, k.venue_id, k.benefit_id, k.currency, k.figure
    union all
    select 'experiment', current_date, k.arm_id, k.experiment_id, k.currency, k.figure, sum(k.amount) filter (where k.is_kept),
      sum(k.amount) filter (where not k.is_kept)
    from (
      select s.experiment_id, s.arm_id, s.currency, s.figure, s.amount, true as is_kept from experiment_sum s
      union all
      select m.experiment_id, m.arm_id, m.currency, f.figure, f.amount, false from experiment_member m cross join lateral member_figures(m) f
    ) k
    -- Squares may pass 2^63.
    where k.figure in ('members', 'entry', 'past', 'spend', 'metric', 'given', 'visits', 'net', 'refunded', 'discount')
    group by k.experiment_id, k.arm_id, k.currency, k.figure
  ) r
  where coalesce(r.says, 0) <> coalesce(r.due, 0)
  order by r.day, r.span, r.venue_id, r.benefit_id, r.currency, r.figure
  limit ${listedMax}::integer`
