import type {
  AdminCounters,
  Counter,
  CounterLookUp,
  CounterState,
  Hold,
  LimitFilter,
  Pace,
  Paces,
  PosCounters,
  Recount,
  TakenCounter,
} from '../../ledger/counters.js'
import type { LedgerOptions } from '../connection/options.js'
import {
  adminReads,
  findRow,
  join,
  readRow,
  type Sql,
  type Statement,
  sql,
  storable,
  type Terms,
  wrongRows,
} from '../connection/sql.js'

export function createAdminCounters(database: Sql): AdminCounters {
  const readStates = async (statement: Statement) =>
    (await database.run<Paced<CounterState>>(statement, adminReads)).map(withPaces)
  return {
    ...createCounterLookUp(database, adminReads.withinMs),
    async list({ limitId, subject, period }, { after, limit }) {
      if ([limitId, subject, period].some((text) => storable(text) === null)) return []
      const from = after ?? start
      // A member's own counters are few and have an index of their own.
      return await readStates(
        subject === ''
          ? listOfLimit({ limitId, period }, from, limit)
          : listOfSubject({ limitId, subject, period }, from, limit),
      )
    },
    async listOf(limits, { subject }, { after, limit }) {
      if (storable(subject) === null) return []
      return await readStates(listOfLimits({ limits, subject }, after ?? start, limit))
    },
    async findTaken(limits, limit) {
      const rows = await database.run<Paced<TakenCounter>>(takenStatement(limits, limit), adminReads)
      return rows.map(withPaces)
    },
    async find({ limitId, subject, period }) {
      if ([limitId, subject, period].some((text) => storable(text) === null)) return null
      const which = sql`where k.limit_id = ${limitId} and k.subject = ${subject} and k.period = ${period}`
      const row = await findRow<Paced<CounterState>>(database, join([states, which], ' '), adminReads)
      return row === null ? null : withPaces(row)
    },
    async findHolds({ limitId, subject, period }, limit) {
      return await database.run<Hold>(
        sql`
          select r.calculation_id as "calculationId", r.units, milliseconds(r.held_until) as "expiresAt"
          from limit_counter k join reservation r on r.counter_id = k.counter_id
          where k.limit_id = ${limitId} and k.subject = ${subject} and k.period = ${period}
            and r.held_until > statement_timestamp()
          order by r.held_until, r.calculation_id
          limit ${limit}::integer`,
        adminReads,
      )
    },
  }
}

type Paced<Row extends Paces> = Omit<Row, keyof Paces> & {
  readonly hourSince: number | null
  readonly hourTaken: number
  readonly daySince: number | null
  readonly dayTaken: number
  readonly weekSince: number | null
  readonly weekTaken: number
}

function withPaces<Row extends Paces>(paced: Paced<Row>): Row {
  const { hourSince, hourTaken, daySince, dayTaken, weekSince, weekTaken, ...row } = paced
  const pace = (since: number | null, taken: number): Pace | null => (since === null ? null : { since, taken })
  const paces: Paces = {
    hour: pace(hourSince, hourTaken),
    day: pace(daySince, dayTaken),
    week: pace(weekSince, weekTaken),
  }
  return { ...row, ...paces } as unknown as Row
}

const paces = sql`milliseconds(h.since) as "hourSince", h.taken as "hourTaken", milliseconds(d.since) as "daySince",
  d.taken as "dayTaken", milliseconds(w.since) as "weekSince", w.taken as "weekTaken"`

const pacesOfK = sql`left join lateral limit_pace(k, '1 hour') h on true left join lateral limit_pace(k, '1 day') d on true
  left join lateral limit_pace(k, '7 days') w on true`

const states = join(
  [sql`select s.*,`, paces, sql`from limit_counter k cross join lateral limit_counter_state(k) s`, pacesOfK],
  ' ',
)

/** Paces are looked up of those alone that are replied. */
function takenStatement(limits: Parameters<AdminCounters['findTaken']>[0], limit: number): Statement {
  return join(
    [
      sql`
    with full_ones as materialized (
      select k.counter_id, f.maximum
      from json_to_recordset(${JSON.stringify(limits)}::text::json)
        as f ("limitId" text, "isOfVenue" boolean, periods json, "from" float8, maximum float8)
      cross join lateral (
        select '' as subject where not f."isOfVenue" union all select v.venue_id from venue v where f."isOfVenue"
      ) s
      cross join lateral json_array_elements_text(f.periods) p (period)
      join limit_counter k on k.limit_id = f."limitId" and k.subject = s.subject and k.period = p.period
      where k.used + k.late + k.open >= f."from"
      order by (k.used + k.late + k.open) / greatest(1, f.maximum) desc
      limit ${limit}::integer
    )
    select k.limit_id as "limitId", k.subject, k.period, k.used + k.late + k.open as taken, k.open as held,`,
      paces,
      sql`from full_ones o join limit_counter k on k.counter_id = o.counter_id`,
      pacesOfK,
      sql`order by (k.used + k.late + k.open) / greatest(1, o.maximum) desc, k.limit_id, k.subject, k.period`,
    ],
    ' ',
  )
}

type From = readonly [string, string, string]
const start: From = ['', '', '']

function listOfLimit(
  { limitId, period }: { readonly limitId: string; readonly period: string },
  from: From,
  limit: number,
): Statement {
  const which = sql`
    where (k.limit_id, k.subject, k.period) > (${from[0]}, ${from[1]}, ${from[2]})
      and k.limit_id >= ${limitId} and (${limitId} = '' or k.limit_id = ${limitId})
      and (${period} = '' or k.period = ${period})
    order by k.limit_id, k.subject, k.period
    limit ${limit}::integer`
  return join([states, which], ' ')
}

function listOfSubject(
  { limitId, subject, period }: { readonly limitId: string; readonly subject: string; readonly period: string },
  from: From,
  limit: number,
): Statement {
  const which = sql`
    where k.subject = ${subject} and (k.limit_id, k.period) > (${from[0]}, ${from[2]})
      and (${limitId} = '' or k.limit_id = ${limitId}) and (${period} = '' or k.period = ${period})
    order by k.limit_id, k.period
    limit ${limit}::integer`
  return join([states, which], ' ')
}

/** Each limit by itself: counters of others between them, a million perhaps, are not read. */
function listOfLimits(
  { limits, subject }: { readonly limits: readonly LimitFilter[]; readonly subject: string },
  from: From,
  limit: number,
): Statement {
  const which = sql`
    where k.counter_id in (
      select c.counter_id
      from json_to_recordset(${JSON.stringify(limits)}::text::json) as f ("limitId" text, periods json)
      cross join lateral (
        select c.counter_id, c.limit_id, c.subject, c.period from limit_counter c
        where c.limit_id = f."limitId" and (c.limit_id, c.subject, c.period) > (${from[0]}, ${from[1]}, ${from[2]})
          and (${subject} = '' or c.subject = ${subject})
          and (json_typeof(f.periods) is distinct from 'array' or c.period in (select json_array_elements_text(f.periods)))
        order by c.subject, c.period
        limit ${limit}::integer
      ) c
      order by c.limit_id, c.subject, c.period
      limit ${limit}::integer
    )
    order by k.limit_id, k.subject, k.period`
  return join([states, which], ' ')
}

/** A slice of the recount begins no further counter or account after so long, in milliseconds: it must not be felt. */
const sliceMs = 40
const rowsMax = 100_000
const discrepancyAge = '1 day'
const samplePause = '10 minutes'

const terms: Terms = { effect: 'writes', withinMs: 5_000 }

export function createPosCounters(database: Sql, { readMs, recountPauseMs }: Required<LedgerOptions>): PosCounters {
  return {
    ...createCounterLookUp(database, readMs),
    async recount() {
      const { found } = await readRow<Pick<Recount, 'found'>>(
        database,
        sql`
          select to_json(differing) as found from recount_slice(
            make_interval(secs => ${recountPauseMs / 1_000}::float8), make_interval(secs => ${sliceMs / 1_000}::float8),
            ${rowsMax}::integer
          )`,
        terms,
      )
      const round = await readRow<Omit<Recount, 'found' | 'discrepancies'>>(
        database,
        sql`
          select (extract(epoch from r.ended_at))::float8 as "endedAtS", r.last_counters as counters, r.last_accounts as accounts,
            greatest(r.last_differences, r.differences) as differences, r.last_passed_over as "passedOver"
          from recount r`,
        { ...terms, effect: 'reads' },
      )
      const kinds = await database.run<{ kind: string; count: number }>(
        sql`
          select d.kind, count(*) as count from sale s, unnest(s.discrepancies) as d (kind)
          where s.recorded_at > clock_timestamp() - ${discrepancyAge}::text::interval and s.discrepancies <> '{}'
          group by d.kind order by d.kind`,
        { ...terms, effect: 'reads' },
      )
      return { ...round, found, discrepancies: Object.fromEntries(kinds.map(({ kind, count }) => [kind, count])) }
    },
    async sample(limits) {
      const sampling = sql`select sample_limits(${JSON.stringify(limits)}::text::json, ${samplePause}::text::interval)`
      await database.run(sampling, terms)
    },
  }
}

function createCounterLookUp(database: Sql, withinMs: number): CounterLookUp {
  return {
    async lookUp(names) {
      const wanted = names.map(({ limitId, subject, period }) => ({ limitId, subject, period }))
      const counters = await database.run<Counter>(
        sql`
          select n."limitId", n.subject, n.period,
            coalesce(k.used + k.late, 0) as used,
            coalesce(k.open - (
              select coalesce(sum(r.units), 0)::bigint from reservation r
              where r.counter_id = k.counter_id and r.held_until <= statement_timestamp()
            ), 0) as open
          from rows from (json_to_recordset(${JSON.stringify(wanted)}::text::json) as ("limitId" text, subject text, period text))
            with ordinality as n ("limitId", subject, period, place)
          left join limit_counter k on k.limit_id = n."limitId" and k.subject = n.subject and k.period = n.period
          order by n.place`,
        { effect: 'reads', withinMs },
      )
      if (counters.length !== names.length) throw wrongRows('reads', names.length, counters.length)
      return counters
    },
  }
}
