import type { AdminServer, LedgerServer } from '../../ledger/server.js'
import { readRow } from '../connection/rows.js'
import { adminReads, type Sql, sql } from '../connection/sql.js'

/** What the server of the ledger says of itself. */
export function createAdminServer(database: Sql): AdminServer {
  return {
    async describe() {
      return await readRow<LedgerServer>(
        database,
        sql`select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`,
        adminReads,
      )
    },
  }
}
