import type { Ledger } from '../index.js'
import { createLedger } from './ledger.js'
import type { LedgerOptions } from './options.js'
import { createPostgresSql } from './postgres-sql.js'

/** Connections for what internal services ask; no till waits for them. */
export const officeConnections = 2
/** A list may take seconds on a server that says nothing else to them meanwhile: only the time of each call ends a look. */
const officeHangMs = 60_000

export interface PostgresLedgerOptions extends LedgerOptions {
  /** DATABASE_URL: `postgres://user:password@host:port/database?sslmode=...`, Postgres 15 or newer. */
  readonly url: string
  /** Connections at most. Default `connectionsDefault`. */
  readonly connections?: number
  /** Silence of the server after which it counts as out of reach, in milliseconds. Default `hangMsDefault`. */
  readonly hangMs?: number
}

/**
 * The ledger on a real Postgres: migrated when this resolves. Rejects with StoreFault where it is out of reach, with an Error
 * where it is not fit to be one (URL, encoding, foreign migrations, rights).
 */
export async function createPostgresLedger({
  url,
  connections,
  hangMs,
  ...options
}: PostgresLedgerOptions): Promise<Ledger> {
  const office = createPostgresSql(url, officeConnections, officeHangMs)
  return createLedger(createPostgresSql(url, connections, hangMs), options, office)
}
