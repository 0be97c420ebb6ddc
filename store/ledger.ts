import type { Audit } from './ledger/audit.js'
import type { AdminCalculations, PosCalculations } from './ledger/calculations.js'
import type { ConsoleSessions } from './ledger/console-sessions.js'
import type { AdminCounters, PosCounters } from './ledger/counters.js'
import type { AdminEvents, AdminWebhooks } from './ledger/events.js'
import type { AdminExperiments } from './ledger/experiments.js'
import type {
  AdminProcesses,
  AdminServer,
  AdminTraffic,
  Changes,
  Gateways,
  PosProcesses,
  PosTraffic,
} from './ledger/gateways.js'
import type { AdminMembers, PosMembers } from './ledger/members.js'
import type { AdminProgrammes, Drafts, PosProgrammes, Proposals } from './ledger/programmes.js'
import type { AdminReports, PosReports } from './ledger/reports.js'
import type { AdminReturns, PosReturns } from './ledger/returns.js'
import type { AdminRewards } from './ledger/rewards.js'
import type { AdminSales, PosSales } from './ledger/sales.js'
import type { AdminValue, PosValue } from './ledger/value.js'
import type { AdminVenues, PosVenues } from './ledger/venues.js'
import type { SavedViews } from './ledger/views.js'

/**
 * Postgres, or PGlite when embedded: the source of truth, by kind of record, through two doors. One transaction per method; the order of
 * locks is in postgres/schema/functions/requests.sql. Every method rejects with `StoreFault` when the ledger cannot answer; any other
 * rejection is a bug.
 */
export interface Ledger {
  readonly posLedger: PosLedger
  readonly adminLedger: AdminLedger
}

export interface PosLedger {
  clock(): number
  readonly calculations: PosCalculations
  readonly sales: PosSales
  readonly returns: PosReturns
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
  ping(): Promise<void>
  /** Runs the statements of calls once on every connection, and rolls back: a first call takes ten times as long. */
  warmUp(): Promise<void>
  close(): Promise<void>
}

/**
 * For internal services, on the admin connections, so that a slow list holds up no POS. Each change is one transaction with its audit record
 * and its request id. Lists read `limit` rows behind `after`.
 */
export interface AdminLedger {
  clock(): number
  ping(): Promise<void>
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
  readonly drafts: Drafts
  readonly reports: AdminReports
  readonly experiments: AdminExperiments
  readonly events: AdminEvents
  readonly webhooks: AdminWebhooks
  readonly audit: Audit
  readonly consoleSessions: ConsoleSessions
  readonly views: SavedViews
  readonly processes: AdminProcesses
  readonly traffic: AdminTraffic
  readonly server: AdminServer
}
