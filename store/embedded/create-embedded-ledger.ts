import { join } from 'node:path'
import type { BreakerOptions } from '../circuit-breaker.js'
import type { Ledger } from '../ledger.js'
import type { LedgerOptions } from '../postgres/connection/options.js'
import { createLedger } from '../postgres/ledger.js'
import { lockFolder } from './folder.js'
import { createPgliteSql } from './pglite-sql.js'

export interface EmbeddedLedgerOptions extends LedgerOptions {
  readonly folder: string
  readonly breaker?: BreakerOptions
}

/** PGlite in `folder`/ledger. Survives the death of the process, NOT a power loss. Rejects where another process has the folder. */
export async function createEmbeddedLedger({ folder, breaker, ...options }: EmbeddedLedgerOptions): Promise<Ledger> {
  const place = join(folder, 'ledger')
  const unlock = await lockFolder(place)
  try {
    const { posLedger, adminLedger } = await createLedger(await createPgliteSql(place), options, { breaker })
    const close = async () => {
      await posLedger.close()
      await unlock()
    }
    return { adminLedger, posLedger: { ...posLedger, close } }
  } catch (error) {
    await unlock()
    throw error
  }
}
