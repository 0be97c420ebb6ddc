import { join } from 'node:path'
import { lockFolder } from './embedded/folder.js'
import { createPgliteSql } from './embedded/pglite-sql.js'
import { createPostgresSql } from './postgres/connection/postgres-sql.js'
import { type Difference, type Period, type Reconciliation, reconcile } from './postgres/counters/reconcile.js'

/** Reads a ledger from outside the service: never writes, and needs none of its threads. */
interface Reconciler {
  reconcile(period: Period, onDifference: (difference: Difference) => void): Promise<Reconciliation>
  close(): Promise<void>
}

interface ReconcilerOptions {
  /** DATABASE_URL; null: the embedded ledger in `dataFolder`, which no other process may have open. */
  readonly databaseUrl: string | null
  readonly dataFolder: string
}

/** Rejects where the embedded ledger is in use; where a database is out of reach, `reconcile` rejects. */
export async function openReconciler({ databaseUrl, dataFolder }: ReconcilerOptions): Promise<Reconciler> {
  if (databaseUrl !== null) {
    const database = createPostgresSql(databaseUrl, 1)
    return { reconcile: (period, onFinding) => reconcile(database, period, onFinding), close: () => database.close() }
  }
  const place = join(dataFolder, 'ledger')
  const unlock = await lockFolder(place)
  try {
    const database = await createPgliteSql(place)
    return {
      reconcile: (period, onFinding) => reconcile(database, period, onFinding),
      async close() {
        await database.close()
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw error
  }
}
