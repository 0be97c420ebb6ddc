import type { Transaction } from './transactions.js'

export function reservationsOf(tx: Transaction, ids: readonly string[]) {
  return tx.rows('reservations').filter(({ calculationId }) => ids.includes(calculationId))
}

export function addTo(tx: Transaction, key: string, more: Partial<Record<'open' | 'used' | 'late', number>>): void {
  const row = tx.get('counters', key)!
  const { open = 0, used = 0, late = 0 } = more
  tx.put('counters', key, { ...row, open: row.open + open, used: row.used + used, late: row.late + late })
}

export function moveReservations(
  tx: Transaction,
  chosen: readonly { calculationId: string; counter: string; units: number }[],
  state: 'used' | 'late' | 'released',
  more: (units: number) => Partial<Record<'open' | 'used' | 'late', number>>,
): string[] {
  for (const { calculationId, counter, units } of chosen) {
    const key = `${calculationId} ${counter}`
    tx.put('reservations', key, { ...tx.get('reservations', key)!, state })
    addTo(tx, counter, more(units))
  }
  return [...new Set(chosen.map(({ counter }) => counter))]
}

export function release(tx: Transaction, ids: readonly string[]): string[] {
  const open = reservationsOf(tx, ids).filter(({ state }) => state === 'open')
  return moveReservations(tx, open, 'released', (units) => ({ open: -units }))
}

export function releaseExpired(tx: Transaction, counters: readonly string[], nowMs: number): void {
  const gone = tx
    .rows('reservations')
    .filter(({ counter, state, heldUntilMs }) => counters.includes(counter) && state === 'open' && heldUntilMs <= nowMs)
  moveReservations(tx, gone, 'released', (units) => ({ open: -units }))
}
