import type { PosValue } from '../../ledger/value.js'
import type { LedgerOptions } from '../connection/options.js'
import { readRow } from '../connection/rows.js'
import { type Sql, sql } from '../connection/sql.js'

/** Accounts of members, as the gateway's upkeep needs them. */
export function createPosValue(database: Sql, { saleMs }: Required<LedgerOptions>): PosValue {
  return {
    async expire(max) {
      const row = await readRow<{ accounts: number }>(database, sql`select expire_value(${max}::integer) as accounts`, {
        effect: 'writes',
        withinMs: saleMs,
      })
      return row.accounts
    },
  }
}
