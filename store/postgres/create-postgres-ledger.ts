import type { BreakerOptions } from '../circuit-breaker.js'
import type { Ledger } from '../ledger.js'
import type { LedgerOptions } from './connection/options.js'
import { createPostgresSql } from './connection/postgres-sql.js'
import { withReplica } from './connection/read-replica.js'
import { createLedger } from './ledger.js'

export const adminConnections = 2
/** A list may take seconds on a server that is silent to others meanwhile: only the time of each call ends a read. */
const adminHangMs = 60_000

export interface PostgresLedgerOptions extends LedgerOptions {
  readonly url: string
  readonly readUrl?: string | null
  readonly connections?: number
  readonly hangMs?: number
  readonly breaker?: BreakerOptions
}

/** Rejects with StoreFault where Postgres is out of reach, with an Error where it is unfit (URL, encoding, migrations, rights). */
export async function createPostgresLedger({
  url,
  readUrl = null,
  connections,
  hangMs,
  breaker,
  ...options
}: PostgresLedgerOptions): Promise<Ledger> {
  const onPrimary = createPostgresSql(url, adminConnections, adminHangMs)
  const adminPool =
    readUrl === null ? onPrimary : withReplica(onPrimary, createPostgresSql(readUrl, adminConnections, adminHangMs))
  return await createLedger(createPostgresSql(url, connections, hangMs), options, { adminPool, breaker })
}
