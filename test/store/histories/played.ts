import type { Ledger } from '../../../store/ledger.js'
import type { Sql } from '../../../store/postgres/connection/sql.js'

/** A ledger under test; `openPlayed` makes one. */
export interface Played {
  readonly ledger: Ledger
  readonly database: Sql
}
