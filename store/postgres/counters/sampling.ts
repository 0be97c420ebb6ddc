import type { PosCounters } from '../../ledger/counters.js'
import { type Sql, sql, type Terms } from '../connection/sql.js'

/** Pause between two rounds of samples. */
const pause = '10 minutes'

const terms: Terms = { effect: 'writes', withinMs: 5_000 }

/** Samples of shared counters, so that people see how fast these go. */
export function createSampling(database: Sql): Pick<PosCounters, 'sample'> {
  return {
    async sample(limits) {
      const sampling = sql`select sample_limits(${JSON.stringify(limits)}::text::json, ${pause}::text::interval)`
      await database.run(sampling, terms)
    },
  }
}
