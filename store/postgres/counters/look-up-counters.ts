import type { Counter, PosCounters } from '../../ledger/counters.js'
import type { LedgerOptions } from '../connection/options.js'
import { wrongRows } from '../connection/rows.js'
import { type Sql, sql } from '../connection/sql.js'

/** The counters of limits as a ledger knows them; what nobody has taken from yet is all zero. */
export function createCounterLookUp(database: Sql, { readMs }: Required<LedgerOptions>): Pick<PosCounters, 'lookUp'> {
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
        { effect: 'reads', withinMs: readMs },
      )
      if (counters.length !== names.length) throw wrongRows('reads', names.length, counters.length)
      return counters
    },
  }
}
