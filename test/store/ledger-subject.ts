import type { Ledger } from '../../store/ledger.js'
import type { Sql } from '../../store/postgres/connection/sql.js'

/** What the promises are tested on: ledgers with various options over one database, and the database itself to look into. */
export interface Subject {
  readonly ledger: Ledger
  /** Its calculations expire, and its answers are outlived, after one second. */
  readonly hasty: Ledger
  readonly database: Sql
}
