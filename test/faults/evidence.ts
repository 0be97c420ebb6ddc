import type { Usage } from './gateway-slot.js'
import type { Call } from './history.js'
import type { LedgerRows } from './ledger-rows.js'

/** A step of the ledger's clock. */
export interface LedgerStep {
  /** By the client's monotonic clock, ms. */
  readonly at: number
  readonly byMs: number
}

/** All that the checker judges by: the ledger's rows, the client's history, and what was observed during the run. */
export interface Evidence {
  readonly history: readonly Call[]
  readonly rows: LedgerRows
  /** Maximum of each limit by limitId: the greatest that any published programme gave it. */
  readonly maxima: ReadonlyMap<string, number>
  readonly expiryMs: number
  /** When the ledger's clock was set, and by how much. */
  readonly ledgerSteps?: readonly LedgerStep[]
  /** Counters over their maximum, as a watcher with its own connection saw them during the run. */
  readonly sightings: readonly string[]
  readonly probes: readonly Probe[]
  /** Differences in members' value that the ledger's own recount finds. */
  readonly recount: readonly string[]
  readonly aftermath: Aftermath
}

/** Units that are free in the ledger, requested by the next call. */
export interface Probe {
  readonly counter: string
  readonly gateway: number
  readonly free: number
  readonly granted: number
}

/** The state after a run, once everything was healed and quiet. */
export interface Aftermath {
  /** Log records of level error, and gateways that ended by themselves. */
  readonly complaints: readonly string[]
  /** Calculations that are still pending: in the cache's journal, and in the gateways' own copies. */
  readonly journalled: number
  readonly copies: number
  /** Transactions left open in the ledger, and connections of gateways. */
  readonly openTransactions: number
  readonly connections: number
  readonly connectionsMax: number
  /** Per gateway: right after its start, and at the end. */
  readonly usage: readonly { readonly base: Usage; readonly now: Usage }[]
}

/** One contradiction between promise and observation. */
export interface Violation {
  /** I1 to I17 (reliability.md). */
  readonly invariant: Invariant
  readonly what: string
}

export const invariants = [
  'I1',
  'I2',
  'I3',
  'I4',
  'I5',
  'I6',
  'I7',
  'I8',
  'I9',
  'I10',
  'I11',
  'I12',
  'I13',
  'I14',
  'I15',
  'I16',
  'I17',
] as const
export type Invariant = (typeof invariants)[number]
