import type { PosValue } from '../../ledger/value.js'
import { readRow } from '../connection/rows.js'
import { type Sql, sql, type Terms } from '../connection/sql.js'

/** Nobody waits for it. */
const terms: Terms = { effect: 'writes', withinMs: 5_000 }

/** Accounts of members, as the gateway's upkeep needs them. */
export function createPosValue(database: Sql): PosValue {
  return {
    async announce(max) {
      const announcing = sql`select announce_value(${max}::integer) + announce_tiers(${max}::integer) as found`
      const row = await readRow<{ found: number }>(database, announcing, terms)
      return row.found
    },
    async expire(max) {
      const expiring = sql`select expire_value(${max}::integer) as accounts`
      const row = await readRow<{ accounts: number }>(database, expiring, terms)
      return row.accounts
    },
  }
}
