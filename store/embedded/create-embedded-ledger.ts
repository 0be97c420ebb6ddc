import { join } from 'node:path'
import type { BreakerOptions } from '../circuit-breaker.js'
import type { Ledger } from '../ledger.js'
import type { LedgerOptions } from '../postgres/connection/options.js'
import { createLedger } from '../postgres/ledger.js'
import { lockFolder } from './folder-lock.js'
import { createPgliteSql } from './pglite-sql.js'

export interface EmbeddedLedgerOptions extends LedgerOptions {
  /** LOYALTY_DATA: made where it is missing; one process at a time. */
  readonly folder: string
  /** The circuit breaker of POS calls. Default: none. */
  readonly breaker?: BreakerOptions
}

/**
 * The ledger with nothing to install: the same schema and the same statements on PGlite, in `folder`/ledger. Durable against the
 * death of the process at any moment, NOT against a power loss. Rejects with an Error where another process has the folder.
 */
export async function createEmbeddedLedger({ folder, breaker, ...options }: EmbeddedLedgerOptions): Promise<Ledger> {
  const place = join(folder, 'ledger')
  const unlock = await lockFolder(place)
  try {
    const ledger = await createLedger(await createPgliteSql(place), options, { breaker })
    return {
      ...ledger,
      async close() {
        await ledger.close()
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw error
  }
}
