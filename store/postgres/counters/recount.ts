import type { PosCounters, Recount } from '../../ledger/counters.js'
import type { LedgerOptions } from '../connection/options.js'
import { readRow } from '../connection/rows.js'
import { type Sql, sql, type Terms } from '../connection/sql.js'

/** A slice begins no further counter or account after so long, in milliseconds: it must not be felt. */
const sliceMs = 40

/** Reservations of a counter, or entries of an account, that a slice reads at most; one with more is left to `lps reconcile`. */
const rowsMax = 100_000

/** How far back the discrepancies of sales are counted. */
const discrepancyAge = '1 day'

const terms: Terms = { effect: 'writes', withinMs: 5_000 }

interface SliceRow {
  readonly found: readonly string[]
}

type RoundRow = Omit<Recount, 'found' | 'discrepancies'>

/** The service's own recount of its limit counters and accounts, a slice at a time (see `reconcile` for the whole at once). */
export function createRecount(
  database: Sql,
  { recountPauseMs }: Required<LedgerOptions>,
): Pick<PosCounters, 'recount'> {
  return {
    async recount() {
      const slice = await readRow<SliceRow>(
        database,
        sql`
          select to_json(differing) as found from recount_slice(
            make_interval(secs => ${recountPauseMs / 1_000}::float8), make_interval(secs => ${sliceMs / 1_000}::float8),
            ${rowsMax}::integer
          )`,
        terms,
      )
      const round = await readRow<RoundRow>(
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
      return {
        ...round,
        found: slice.found,
        discrepancies: Object.fromEntries(kinds.map(({ kind, count }) => [kind, count])),
      }
    },
  }
}
