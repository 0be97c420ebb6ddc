import { callTime } from '../call-deadline.js'
import { type BreakerOptions, openOnLastingOutage, withBreaker } from '../circuit-breaker.js'
import { StoreFault } from '../fault.js'
import type { AdminLedger, Ledger, PosLedger } from '../ledger.js'
import { createAudit } from './audit/audit.js'
import { createAdminCalculations } from './calculations/admin-calculations.js'
import { createLedgerClock } from './calculations/ledger-clock.js'
import { createPosCalculations } from './calculations/pos-calculations.js'
import { completeOptions, type LedgerOptions } from './connection/options.js'
import { adminReads, readRow, type Sql, sql } from './connection/sql.js'
import { createConsoleSessions, createSavedViews } from './console/console.js'
import { createAdminCounters, createPosCounters } from './counters/counters.js'
import { createAdminEvents, createAdminWebhooks } from './events/events.js'
import { createLookUps, createSingleLookUps } from './look-ups.js'
import { createAdminMembers, createPosMembers } from './members/members.js'
import { createDrafts } from './programmes/drafts.js'
import { createAdminProgrammes, createPosProgrammes } from './programmes/programmes.js'
import { createProposals } from './programmes/proposals.js'
import { createAdminExperiments } from './reports/experiments.js'
import { createAdminReports, createPosReports } from './reports/reports.js'
import { createAdminSales } from './sales/admin-sales.js'
import { createPosSales } from './sales/pos-sales.js'
import { createAdminReturns, createPosReturns } from './sales/returns.js'
import { migrate } from './schema/migrate.js'
import {
  createAdminProcesses,
  createAdminServer,
  createAdminTraffic,
  createChanges,
  createGateways,
  createPosProcesses,
  createPosTraffic,
} from './upkeep/gateways.js'
import { startRetention } from './upkeep/retention.js'
import { warmUp } from './upkeep/warm-up.js'
import { createAdminRewards } from './value/admin-rewards.js'
import { createAdminValue, createPosValue } from './value/value.js'
import { createAdminVenues, createPosVenues } from './venues/venues.js'

/** Time to read the server's clock, in milliseconds: a slower reading would be useless. */
const clockMs = 1_000

interface Surroundings {
  readonly adminPool?: Sql
  /** For POS calls alone: a slow list must not open their circuit. Default: none. */
  readonly breaker?: BreakerOptions | undefined
}

export async function createLedger(
  database: Sql,
  options: LedgerOptions,
  surroundings: Surroundings = {},
): Promise<Ledger> {
  const { adminPool = database } = surroundings
  const close = async () => {
    await database.close()
    if (adminPool !== database) await adminPool.close()
  }
  try {
    return await openLedger({ ...database, close }, completeOptions(options), { ...surroundings, adminPool })
  } catch (error) {
    await close()
    throw error
  }
}

async function openLedger(
  database: Sql,
  options: Required<LedgerOptions>,
  { adminPool, breaker }: Surroundings & { readonly adminPool: Sql },
): Promise<Ledger> {
  await migrate(database)
  const stopRetention = await startRetention(database, options)
  const posLedger = await createPosLedger(database, options, stopRetention)
  return {
    posLedger: breaker === undefined ? posLedger : behindBreaker(posLedger, breaker),
    adminLedger: createAdminLedger(inCallTime(adminPool), posLedger.clock, options),
  }
}

async function createPosLedger(
  database: Sql,
  options: Required<LedgerOptions>,
  stopRetention: () => void,
): Promise<PosLedger> {
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
    calculations: createPosCalculations(database, { clock, lookUps }, options),
    sales: createPosSales(database, options),
    returns: createPosReturns(database, options),
    counters: createPosCounters(database, options),
    members: createPosMembers(lookUps),
    value: createPosValue(database),
    venues: createPosVenues(lookUps),
    programmes: createPosProgrammes(database, options),
    reports: createPosReports(database),
    changes: createChanges(database, clock, options),
    gateways: createGateways(database),
    processes: createPosProcesses(database),
    traffic: createPosTraffic(database),
    ping: () => ping(database, options.readMs),
    warmUp: () => warmUp(database),
    async close() {
      stopRetention()
      await database.close()
    },
  }
}

function createAdminLedger(database: Sql, clock: () => number, options: Required<LedgerOptions>): AdminLedger {
  const lookUps = createSingleLookUps(database, { ...options, readMs: adminReads.withinMs })
  return {
    clock,
    ping: () => ping(database, adminReads.withinMs),
    calculations: createAdminCalculations(database),
    sales: createAdminSales(database),
    counters: createAdminCounters(database),
    members: createAdminMembers(database, lookUps),
    value: createAdminValue(database),
    rewards: createAdminRewards(database),
    returns: createAdminReturns(database),
    venues: createAdminVenues(database, lookUps),
    programmes: createAdminProgrammes(database),
    reports: createAdminReports(database),
    experiments: createAdminExperiments(database),
    events: createAdminEvents(database),
    webhooks: createAdminWebhooks(database),
    audit: createAudit(database),
    proposals: createProposals(database),
    drafts: createDrafts(database),
    consoleSessions: createConsoleSessions(database),
    views: createSavedViews(database),
    processes: createAdminProcesses(database),
    traffic: createAdminTraffic(database),
    server: createAdminServer(database),
  }
}

async function ping(database: Sql, withinMs: number): Promise<void> {
  await readRow(database, sql`select 1`, { effect: 'reads', withinMs })
}

/** Reads of the clock serve no caller, so they bypass the breaker. */
function behindBreaker(pos: PosLedger, breaker: BreakerOptions): PosLedger {
  return { ...withBreaker('ledger', pos, { ...breaker, ...openOnLastingOutage }), clock: pos.clock }
}

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
