import type { Counter, CounterLookUp, PosCounters, Recount } from '../../ledger/counters.js'
import type { LedgerOptions } from '../connection/options.js'
import { readRow, wrongRows } from '../connection/rows.js'
import { type Sql, sql, type Terms } from '../connection/sql.js'

/** A slice of the recount begins no further counter or account after so long, in milliseconds: it must not be felt. */
const sliceMs = 40
/** Reservations of a counter, or entries of an account, that a slice reads at most; one with more is left to `lps reconcile`. */
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

export function createCounterLookUp(database: Sql, withinMs: number): CounterLookUp {
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
