import { claimAbsence, lockCounters, lockRow } from './lock-functions.js'
import { addTo, moveReservations, release, releaseExpired, reservationsOf } from './reservation-functions.js'
import type { Terms } from './terms.js'
import type { CalculationRow, CounterRow, SaleRow, Transaction } from './transactions.js'
import {
  earn,
  earningAccounts,
  holdsOf,
  lockAccounts,
  releaseValue,
  useValue,
  useValueLate,
} from './value-functions.js'

interface Settled {
  readonly late: readonly string[]
  readonly freed: readonly string[]
}

/** settle_calculation: changes a calculation's state by a sale, and uses or releases its units and value. Its row is locked. */
async function settle(
  tx: Transaction,
  found: CalculationRow,
  sale: { readonly status: string; readonly atMs: number | null },
  terms: Terms,
): Promise<Settled> {
  const { calculationId: id } = found
  // What an unchanged calculation holds, its basket had already.
  const given = sale.status === 'applied' || (sale.status === 'unchanged' && found.status === 'unchanged')
  await lockCounters(
    tx,
    reservationsOf(tx, [id]).map(({ counter }) => counter),
    terms,
  )
  const wasHeld = holdsOf(tx, [id]).length > 0
  if (wasHeld) await lockAccounts(tx, { held: [id], others: earningAccounts(found) }, terms)
  const released = [...reservationsOf(tx, [id]), ...holdsOf(tx, [id])].some(({ state }) => state === 'released')
  const timely = (sale.atMs ?? terms.nowMs()) < found.expiresAtMs && !released
  if (found.state === 'open' && (timely || terms.planted.has('late_sale_as_timely'))) {
    const mine = reservationsOf(tx, [id])
    let freed: readonly string[] = []
    if (given) {
      moveReservations(tx, mine, 'used', (units) => ({ open: released ? 0 : -units, used: units }))
    } else freed = release(tx, [id])
    if (given || (sale.status === 'failed' && terms.planted.has('failed_sale_spends'))) useValue(tx, id)
    else releaseValue(tx, [id])
    tx.put('calculations', id, { ...found, state: sale.status === 'cancelled' ? 'abandoned' : 'finalised' })
    return { late: [], freed }
  }
  if (found.state === 'open') tx.put('calculations', id, { ...found, state: 'expired' })
  const freed = release(tx, [id])
  releaseValue(tx, [id])
  const late = [found.state === 'superseded' ? 'superseded' : 'late_event']
  if (given) {
    const mine = reservationsOf(tx, [id]).filter(({ state }) => state === 'released')
    const counted = moveReservations(tx, mine, 'late', (units) => ({ late: units }))
    releaseExpired(tx, counted, terms.nowMs())
    const passed = counted.map((key) => tx.get('counters', key)!)
    if (passed.some((row) => row.used + row.late + row.open > row.maximum)) late.push('limit_exceeded')
    if (useValueLate(tx, id, terms)) late.push('value_overdrawn')
  }
  return { late, freed }
}

/** settle_sale: settles, then gives what the sale earns. */
async function settleSale(
  tx: Transaction,
  found: CalculationRow,
  sale: { readonly status: string; readonly atMs: number | null },
  terms: Terms,
): Promise<Settled> {
  const settled = await settle(tx, found, sale, terms)
  // One that failed before its calculation came is counted without it, or not at all.
  if (sale.status !== 'failed' || sale.atMs === null) await earn(tx, found, sale.status, terms)
  return settled
}

/** join_sale: settles the sale that came before its calculation, which has just been stored. */
export async function joinSale(tx: Transaction, id: string, terms: Terms): Promise<void> {
  if (terms.planted.has('sale_not_joined')) return
  await tx.lock(`sale ${id}`)
  const sale = tx.get('sales', id)
  if (sale === undefined) return
  const { late } = await settleSale(
    tx,
    tx.get('calculations', id)!,
    { status: sale.status, atMs: sale.recordedAtMs },
    terms,
  )
  tx.put('sales', id, { ...sale, discrepancies: late })
}

export type Recorded =
  | {
      readonly reply: 'recorded' | 'unknown_calculation'
      readonly freed: readonly CounterRow[]
      readonly discrepancies: readonly string[]
    }
  | { readonly reply: 'stored'; readonly digest: Buffer; readonly body: Buffer; readonly result: string }
  | { readonly reply: 'duplicate' }

/** record_sale: records a sale event exactly once. */
export async function recordSale(
  tx: Transaction,
  asked: Pick<SaleRow, 'calculationId' | 'status' | 'digest' | 'body'>,
  terms: Terms & { readonly idempotencyMs: number },
): Promise<Recorded> {
  const { calculationId: id } = asked
  let found = await lockRow(tx, id)
  while (found === null && !(await claimAbsence(tx, id))) found = await lockRow(tx, id)
  await tx.pause()
  const stored = tx.get('sales', id)
  if (stored !== undefined) {
    if (terms.planted.has('sale_settled_twice') && stored.status === 'applied') {
      const again = reservationsOf(tx, [id]).filter(({ state }) => state === 'used')
      for (const { counter, units } of again) addTo(tx, counter, { used: units })
    }
    if (terms.planted.has('sale_earns_twice') && found !== null) await earn(tx, found, stored.status, terms)
    if (stored.recordedAtMs + terms.idempotencyMs <= terms.nowMs()) return { reply: 'duplicate' }
    return { reply: 'stored', digest: stored.digest, body: stored.body, result: stored.result }
  }
  const sale = { ...asked, recordedAtMs: terms.nowMs() }
  const result = found === null ? 'unknown_calculation' : 'recorded'
  const { late, freed } =
    found === null
      ? { late: [result], freed: [] }
      : await settleSale(tx, found, { status: sale.status, atMs: null }, terms)
  tx.put('sales', id, { ...sale, result, discrepancies: late })
  return {
    reply: result,
    discrepancies: late,
    freed: freed.map((key) => tx.get('counters', key)!),
  }
}
