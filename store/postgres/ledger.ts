import { callTime } from '../call-deadline.js'
import { type Ledger, StoreFault } from '../index.js'
import { createAdministration } from './administration/administration.js'
import { createCalculations } from './calculations/calculations.js'
import { createLedgerClock } from './calculations/ledger-clock.js'
import { createLookUps } from './calculations/look-ups.js'
import { completeOptions, type LedgerOptions } from './connection/options.js'
import { readRow } from './connection/rows.js'
import { type Sql, sql } from './connection/sql.js'
import { createCounters } from './counters/counters.js'
import { createRecount } from './counters/recount.js'
import { createInspection } from './inspection/inspection.js'
import { createFacts } from './members/facts.js'
import { createProgrammes } from './programmes/programmes.js'
import { createSales } from './sales/sales.js'
import { migrate } from './schema/migrate.js'
import { createGateways } from './upkeep/gateways.js'
import { startUpkeep } from './upkeep/upkeep.js'
import { warmUp } from './upkeep/warm-up.js'

/** Time for a look at the server's clock, in milliseconds: a slower one would tell nothing. */
const clockMs = 1_000

/**
 * The ledger over any database of ours: migrates it, then serves. Rejects, with the database closed, where that fails.
 * Closing the ledger closes the database.
 *
 * @param adminPool  the same database on connections of their own, for what no POS waits for
 */
export async function createLedger(database: Sql, options: LedgerOptions, adminPool: Sql = database): Promise<Ledger> {
  const close = async () => {
    await database.close()
    if (adminPool !== database) await adminPool.close()
  }
  try {
    return await openLedger({ ...database, close }, completeOptions(options), adminPool)
  } catch (error) {
    await close()
    throw error
  }
}

async function openLedger(database: Sql, options: Required<LedgerOptions>, adminPool: Sql): Promise<Ledger> {
  await migrate(database)
  const stopUpkeep = await startUpkeep(database, options)
  const clock = await createLedgerClock(async () => {
    const row = await readRow<{ now: number }>(
      database,
      sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
      { effect: 'reads', withinMs: clockMs },
    )
    return row.now
  })
  const lookUps = createLookUps(database, options)
  return {
    clock: clock.now,
    ...createCalculations(database, { clock, lookUps }, options),
    ...createSales(database, options),
    ...createCounters(database, options),
    ...createProgrammes(database, options),
    ...createFacts(database, lookUps, options),
    ...createRecount(database, options),
    ...createGateways(database),
    inspection: createInspection(inCallTime(adminPool)),
    administration: createAdministration(inCallTime(adminPool), options),
    warmUp: () => warmUp(database),
    async close() {
      stopUpkeep()
      clock.close()
      await database.close()
    },
  }
}

/** The same database, for calls with a deadline of their own. */
function inCallTime(database: Sql): Sql {
  return {
    ...database,
    async run(statement, terms) {
      const withinMs = callTime(terms.withinMs)
      if (withinMs <= 0) throw new StoreFault('ledger', 'timeout')
      return await database.run(statement, { ...terms, withinMs })
    },
  }
}
