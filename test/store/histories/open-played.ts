import type { Sql } from '../../../store/postgres/connection/sql.js'
import { createLedger } from '../../../store/postgres/ledger.js'
import { plenty } from '../ledger-builders.js'
import { publishRules } from './play.js'
import type { Played } from './played.js'

/** A ledger for histories over an empty database. Closing it closes the database. */
export async function openPlayed(database: Sql): Promise<Played> {
  const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty, recountPauseMs: 86_400_000 }
  const played = { ledger: await createLedger(database, options), database }
  await publishRules(played)
  return played
}
