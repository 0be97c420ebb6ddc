import type {
  AdminReports,
  BenefitFigures,
  PosReports,
  ReachFigures,
  ReachFilter,
  SaleFigures,
  SumFilter,
  SumKeys,
  TopMember,
  ValueFigures,
} from '../../ledger/reports.js'
import { adminReads, join, readRow, type Sql, type Statement, sql, storable, type Terms } from '../connection/sql.js'

export function createAdminReports(database: Sql): AdminReports {
  async function read<Row>(filter: SumFilter, statement: () => Statement): Promise<readonly Row[]> {
    if ([filter.venueId, filter.benefitId].some((text) => storable(text) === null)) return []
    return await database.run<Row>(statement(), adminReads)
  }
  return {
    readBenefits: (filter, by, limit) => read<BenefitFigures>(filter, () => benefitStatement(filter, by, limit)),
    readSales: (filter, by, limit) => read<SaleFigures>(filter, () => saleStatement(filter, by, limit)),
    readValue: (filter, by, limit) => read<ValueFigures>(filter, () => valueStatement(filter, by, limit)),
    async readReach(filter, by, limit) {
      if (storable(filter.benefitId) === null) return []
      return await database.run<ReachFigures>(reachStatement(filter, by, limit), adminReads)
    },
    async readTopMembers(benefitId, limit) {
      if (storable(benefitId) === null) return []
      return await database.run<TopMember>(
        sql`
          select m.member_id as "memberId", m.redemptions, m.last_day::text as "lastDay"
          from benefit_member m
          where m.benefit_id = ${benefitId} and m.benefit_id <> '' and m.redemptions > 0
          order by m.redemptions desc, m.member_id
          limit ${limit}::integer`,
        adminReads,
      )
    },
    async reachSince() {
      const since = sql`select milliseconds(t.reach_since) as since from sums_state t`
      return (await readRow<{ since: number }>(database, since, adminReads)).since
    },
    async countDiscrepancies(lastMs, venueId) {
      if (storable(venueId) === null) return { sales: 0, kinds: [] }
      const rows = await database.run<{ readonly discrepancy: string; readonly sales: number }>(
        sql`
          with disagreeing as materialized (
            select s.discrepancies from sale s
            where s.discrepancies <> '{}' and not s.discrepancies <@ s.settled
              and s.recorded_at > statement_timestamp() - ${lastMs}::float8 * interval '1 ms'
              and (${venueId}::text = '' or s.venue_id = ${venueId})
          )
          select '' as discrepancy, count(*) as sales from disagreeing
          union all
          select d, count(*) from disagreeing s cross join lateral unnest(s.discrepancies) d group by d
          order by discrepancy`,
        adminReads,
      )
      const [every, ...kinds] = rows
      return { sales: every!.sales, kinds }
    },
  }
}

const live = sql`with live as materialized (
    select array_agg(u.calculation_id) filter (where not u.is_joined) as new, array_agg(u.calculation_id) as given,
      array_agg(u.calculation_id) filter (where u.earns) as earning
    from unsummed_sales('infinity', null) u
  )`

function benefitStatement(filter: SumFilter, by: SumKeys, limit: number): Statement {
  const { benefitId } = filter
  return join(
    [
      live,
      sql`select`,
      keyColumns(by),
      by.benefit ? sql`, r.benefit_id as "benefitId",` : sql`, '' as "benefitId",`,
      sql`r.currency, sum(r.calculations)::bigint as calculations, sum(r.redemptions)::bigint as redemptions,
        sum(r.discount)::bigint as discount, sum(r.paid)::bigint as paid
      from (`,
      ...kept(filter, by).flatMap((rows) => [
        sql`select f.venue_id, f.day, f.benefit_id, f.currency, f.calculations, f.redemptions, f.discount, f.paid
          from benefit_sum f where`,
        rows,
        sql`union all`,
      ]),
      sql`select f.* from live cross join lateral benefit_figures(live.given) f where`,
      onDays(filter),
      sql`) r where`,
      atVenue(filter, 'r'),
      sql`and (${benefitId}::text = '' or r.benefit_id = ${benefitId}) group by r.currency`,
      grouping(by, by.benefit ? sql`, r.benefit_id` : null),
      sql`order by 1, 2, 3, 4 limit ${limit}::integer`,
    ],
    ' ',
  )
}

function saleStatement(filter: SumFilter, by: SumKeys, limit: number): Statement {
  return join(
    [
      live,
      sql`select`,
      keyColumns(by),
      sql`, r.currency, sum(r.sales)::bigint as sales, sum(r.member_sales)::bigint as "memberSales",
        sum(r.applied)::bigint as applied, sum(r.failed)::bigint as failed, sum(r.cancelled)::bigint as cancelled,
        sum(r.paid)::bigint as paid, sum(r.discount)::bigint as discount, sum(r.apart)::bigint as apart
      from (
        select f.* from sale_sum f where`,
      onDays(filter),
      sql`union all select f.* from live cross join lateral (
        select * from sale_figures(live.new) union all select * from given_figures(live.given)
      ) f where`,
      onDays(filter),
      sql`) r where`,
      atVenue(filter, 'r'),
      sql`group by r.currency`,
      grouping(by, null),
      sql`order by 1, 2, 3 limit ${limit}::integer`,
    ],
    ' ',
  )
}

function valueStatement(filter: SumFilter, by: SumKeys, limit: number): Statement {
  const { benefitId } = filter
  return join(
    [
      live,
      sql`select`,
      keyColumns(by),
      by.benefit ? sql`, r.source_id as "sourceId",` : sql`, '' as "sourceId",`,
      sql`r.currency_id as "currencyId", sum(r.earned)::bigint as earned, sum(r.spent)::bigint as spent
      from (`,
      ...kept(filter, by).flatMap((rows) => [
        sql`select f.venue_id, f.day, f.source_id, f.currency_id, f.earned, f.spent from value_sum f where`,
        rows,
        sql`union all`,
      ]),
      sql`select f.* from live cross join lateral value_figures(live.earning) f where`,
      onDays(filter),
      sql`) r where`,
      atVenue(filter, 'r'),
      sql`and (${benefitId}::text = '' or r.source_id = ${benefitId}) group by r.currency_id`,
      grouping(by, by.benefit ? sql`, r.source_id` : null),
      sql`order by 1, 2, 3, 4 limit ${limit}::integer`,
    ],
    ' ',
  )
}

/** A member counts on the first day of the stretch on which it got the benefit: the day before lies before the stretch. */
function reachStatement(
  { days, benefitId }: ReachFilter,
  by: Pick<SumKeys, 'benefit' | 'day'>,
  limit: number,
): Statement {
  const from = by.day ? sql`r.day` : sql`${days.from}::text::date`
  return join(
    [
      sql`select`,
      by.day ? sql`r.day::text as day,` : sql`'' as day,`,
      by.benefit ? sql`r.benefit_id as "benefitId",` : sql`'' as "benefitId",`,
      sql`sum(r.first + coalesce((select sum(n) from unnest(r.again[(r.day - `,
      from,
      sql`+ 1):]) n), 0))::bigint as members
      from benefit_reach r
      where r.day between ${days.from}::text::date and ${days.until}::text::date and`,
      by.benefit && benefitId === '' ? sql`r.benefit_id <> ''` : sql`r.benefit_id = ${benefitId}`,
      sql`group by 1, 2 order by 1, 2 limit ${limit}::integer`,
    ],
    ' ',
  )
}

function keyColumns({ venue, day }: SumKeys): Statement {
  return join(
    [day ? sql`r.day::text as day` : sql`'' as day`, venue ? sql`r.venue_id as "venueId"` : sql`'' as "venueId"`],
    ', ',
  )
}

function grouping({ venue, day }: SumKeys, more: Statement | null): Statement {
  const keys = [...(day ? [sql`, r.day`] : []), ...(venue ? [sql`, r.venue_id`] : []), ...(more === null ? [] : [more])]
  return join(keys, '')
}

function kept(filter: SumFilter, { venue, day }: SumKeys): readonly Statement[] {
  const { days, venueId } = filter
  const rows = (span: Statement, ...more: readonly Statement[]) => join([span, atVenue(filter, 'f'), ...more], ' and ')
  const ofDays = sql`f.span = 'v'`
  if (days === 'today') return [rows(ofDays, today)]
  if (!venue && venueId === '') return [rows(sql`f.span = 'a'`, onDays(filter))]
  const months = day ? null : wholeMonths(days)
  if (months === null) return [rows(ofDays, onDays(filter))]
  const { from, until } = months
  return [
    rows(sql`f.span = 'm'`, sql`f.day >= ${from}::text::date and f.day < ${until}::text::date`),
    rows(ofDays, sql`f.day >= ${days.from}::text::date and f.day < ${from}::text::date`),
    rows(ofDays, sql`f.day >= ${until}::text::date and f.day <= ${days.until}::text::date`),
  ]
}

function wholeMonths(days: { readonly from: string; readonly until: string }) {
  const firstOf = (day: Date, plus: number) => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + plus, 1))
  const first = new Date(days.from)
  const behind = new Date(Date.parse(days.until) + dayMs)
  const from = firstOf(first, first.getUTCDate() === 1 ? 0 : 1)
  const until = firstOf(behind, 0)
  return from < until ? { from: from.toISOString().slice(0, 10), until: until.toISOString().slice(0, 10) } : null
}

const dayMs = 86_400_000

function onDays({ days }: SumFilter): Statement {
  if (days === 'today') return today
  return sql`f.day between ${days.from}::text::date and ${days.until}::text::date`
}

/** No venue has another day than one of these four. */
const today = sql`f.day between (statement_timestamp() at time zone 'UTC')::date - 2
    and (statement_timestamp() at time zone 'UTC')::date + 1
  and f.day = (
    select local_day(statement_timestamp(), v.time_zone, v.day_starts)
    from (select) one left join venue v on v.venue_id = f.venue_id
  )`

/** Two statements, so that each gets its own plan. */
function atVenue({ venueId }: SumFilter, rows: 'f' | 'r'): Statement {
  if (venueId === '') return sql`true`
  return rows === 'f' ? sql`f.venue_id = ${venueId}` : sql`r.venue_id = ${venueId}`
}

const terms: Terms = { effect: 'writes', withinMs: 10_000 }

export function createPosReports(database: Sql): PosReports {
  return {
    async sum(max) {
      const row = await readRow<{ summed: number }>(database, sql`select sum_sales(${max}::integer) as summed`, terms)
      return row.summed
    },
  }
}
