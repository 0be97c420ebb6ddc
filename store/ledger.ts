import type { Audit } from './ledger/audit.js'
import type { AdminCalculations, PosCalculations } from './ledger/calculations.js'
import type { Changes } from './ledger/changes.js'
import type { ConsoleSessions } from './ledger/console-sessions.js'
import type { AdminCounters, PosCounters } from './ledger/counters.js'
import type { AdminEvents, AdminWebhooks } from './ledger/events.js'
import type { Gateways } from './ledger/gateways.js'
import type { AdminMembers, PosMembers } from './ledger/members.js'
import type { AdminProcesses, PosProcesses } from './ledger/processes.js'
import type { AdminProgrammes, PosProgrammes } from './ledger/programmes.js'
import type { Proposals } from './ledger/proposals.js'
import type { AdminReports, PosReports } from './ledger/reports.js'
import type { AdminReturns } from './ledger/returns.js'
import type { AdminRewards } from './ledger/rewards.js'
import type { AdminSales, PosSales } from './ledger/sales.js'
import type { AdminServer } from './ledger/server.js'
import type { AdminTraffic, PosTraffic } from './ledger/traffic.js'
import type { AdminValue, PosValue } from './ledger/value.js'
import type { AdminVenues, PosVenues } from './ledger/venues.js'

/**
 * Postgres, or PGlite when embedded: the source of truth, by kind of record. One transaction per method; locks are taken in one order:
 * members by id, then calculations by id, then counters by key, then accounts by member and currency, then sale. Every method rejects with `StoreFault` when the ledger cannot answer;
 * any other rejection is a bug.
 */
export type Ledger = PosLedger & AdminLedger

/** What POS calls, and the gateway's own upkeep, wait for: on the POS connections, with short times. */
export interface PosLedger {
  /** The ledger's own clock as last compared, carried on by a monotonic one: milliseconds since the epoch. */
  clock(): number
  readonly calculations: PosCalculations
  readonly sales: PosSales
  readonly counters: PosCounters
  readonly members: PosMembers
  readonly value: PosValue
  readonly venues: PosVenues
  readonly programmes: PosProgrammes
  readonly reports: PosReports
  readonly changes: Changes
  readonly gateways: Gateways
  readonly processes: PosProcesses
  readonly traffic: PosTraffic
  /** Resolves when the ledger answers. */
  ping(): Promise<void>
  /** Does once on every connection what calls do, and leaves no trace, so that no call is the first: that one takes ten times as long. */
  warmUp(): Promise<void>
  close(): Promise<void>
}

/**
 * What internal services read and change: on the admin connections, so that a slow list holds up no POS. Each change is one
 * transaction with its audit record and its request id. Lists read `limit` rows behind `after`.
 */
export interface AdminLedger {
  readonly calculations: AdminCalculations
  readonly sales: AdminSales
  readonly counters: AdminCounters
  readonly members: AdminMembers
  readonly value: AdminValue
  readonly rewards: AdminRewards
  readonly returns: AdminReturns
  readonly venues: AdminVenues
  readonly programmes: AdminProgrammes
  readonly proposals: Proposals
  readonly reports: AdminReports
  readonly events: AdminEvents
  readonly webhooks: AdminWebhooks
  readonly audit: Audit
  readonly consoleSessions: ConsoleSessions
  readonly processes: AdminProcesses
  readonly traffic: AdminTraffic
  readonly server: AdminServer
}
