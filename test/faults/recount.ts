import { openReconciler } from '../../store/open-reconciler.js'
import { astrayOf } from '../store/ledger-checker.js'

/** Differences in members' value found by `lps reconcile`, in words; the checker itself recounts counters (I2). */
export async function recountValue(databaseUrl: string): Promise<readonly string[]> {
  const reconciler = await openReconciler({ databaseUrl, dataFolder: '' })
  try {
    return astrayOf(await reconciler.reconcile({ since: '2000-01-01', until: null }, () => {}))
  } finally {
    await reconciler.close()
  }
}
