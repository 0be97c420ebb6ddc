import type { Terms } from './terms.js'
import type { CalculationRow, Transaction } from './transactions.js'

/** claim_absence: takes the key of a calculation that does not exist. */
export async function claimAbsence(tx: Transaction, id: string): Promise<boolean> {
  await tx.lock(`key ${id}`)
  if (tx.get('calculations', id) === undefined) return true
  tx.unlock(`key ${id}`)
  return false
}

/** select ... for update: null where there is no row. */
export async function lockRow(tx: Transaction, id: string): Promise<CalculationRow | null> {
  if (tx.get('calculations', id) === undefined) return null
  await tx.lock(`row ${id}`)
  return tx.get('calculations', id) ?? null
}

/** lock_calculations: whoever is about to store one that does not exist waits for this transaction, or is waited for. */
export async function lockCalculations(
  tx: Transaction,
  ids: readonly string[],
  terms: Terms,
): Promise<CalculationRow[]> {
  const locked: CalculationRow[] = []
  for (const id of [...new Set(ids)].sort()) {
    let row = await lockRow(tx, id)
    while (row === null && !terms.planted.has('superseded_not_awaited') && !(await claimAbsence(tx, id))) {
      row = await lockRow(tx, id)
    }
    if (row !== null) locked.push(row)
  }
  return locked
}

export async function lockCounters(tx: Transaction, keys: readonly string[], terms: Terms): Promise<void> {
  await lockInOrder(
    tx,
    keys.map((key) => `counter ${key}`),
    terms,
  )
}

/** Everybody locks in one order, so nobody waits in a circle. */
export async function lockInOrder(tx: Transaction, names: readonly string[], terms: Terms): Promise<void> {
  const ordered = [...new Set(names)].sort()
  if (terms.planted.has('no_lock_order') && terms.nowMs() % 2 === 0) ordered.reverse()
  for (const name of ordered) {
    await tx.lock(name)
    if (terms.planted.has('no_lock_order')) await tx.pause()
  }
}
