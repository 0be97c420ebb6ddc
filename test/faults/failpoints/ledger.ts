import type { Ledger } from '../../../store/ledger.js'
import {
  createPostgresLedger as create,
  type PostgresLedgerOptions,
} from '../../../store/postgres/create-postgres-ledger.js'
import { withFailpoint } from './with-failpoint.js'

export async function createPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const ledger = await create(options)
  return { ...ledger, posLedger: withFailpoint('ledger', ledger.posLedger) }
}
