import type { Mistake } from './mistakes.js'
import { addTo, moveReservations, release, releaseExpired, reservationsOf } from './reservation-functions.js'
import type { CalculationRow, CounterRow, SaleRow, Transaction } from './transactions.js'
import { SqlError } from './transactions.js'

/** What the functions of the ledger need beside their arguments. */
export interface Terms {
  /** The server's clock, milliseconds since the epoch. */
  readonly nowMs: () => number
  readonly planted: ReadonlySet<Mistake>
}

/** A row of `calculation` as passed in, with its body. */
export interface NewCalculation {
  readonly row: Pick<
    CalculationRow,
    'calculationId' | 'supersedes' | 'venueId' | 'status' | 'answeredAtMs' | 'digest' | 'packed'
  >
  readonly expiryMs: number
}

export interface Hold {
  readonly counter: string
  readonly limitId: string
  readonly subject: string
  readonly period: string
  readonly units: number
  readonly maximum: number
}

export interface Answer {
  readonly kind: 'stored' | 'unknown'
  readonly digest?: Buffer
  readonly packed?: Buffer
}

/** find_answer: an answer returned from here is never withdrawn. */
export async function findAnswer(tx: Transaction, id: string): Promise<Answer> {
  const found = tx.get('calculations', id)
  if (found === undefined) return { kind: 'unknown' }
  if (found.confirmed && !found.replayed) {
    await tx.lock(`row ${id}`)
    const still = tx.get('calculations', id)
    if (still === undefined) return { kind: 'unknown' }
    tx.put('calculations', id, { ...still, replayed: true })
  }
  return { kind: 'stored', digest: found.digest, packed: found.packed }
}

/** Inserts a calculation; the unique key admits one, the others wait for it and then lose. */
async function store(
  tx: Transaction,
  { row, expiryMs }: NewCalculation,
  confirmed: boolean,
  terms: Terms,
): Promise<boolean> {
  const id = row.calculationId
  if (!terms.planted.has('no_unique_key')) {
    await tx.lock(`key ${id}`)
    if (tx.get('calculations', id) !== undefined) {
      tx.unlock(`key ${id}`)
      return false
    }
  }
  const expiresAtMs = (confirmed ? terms.nowMs() : row.answeredAtMs) + expiryMs
  tx.put('calculations', id, { ...row, expiresAtMs, confirmed, replayed: false, state: 'open' })
  return true
}

/** claim_absence: takes the key of a calculation that does not exist. */
async function claimAbsence(tx: Transaction, id: string): Promise<boolean> {
  await tx.lock(`key ${id}`)
  if (tx.get('calculations', id) === undefined) return true
  tx.unlock(`key ${id}`)
  return false
}

/** select ... for update: null where there is no row. */
async function lockRow(tx: Transaction, id: string): Promise<CalculationRow | null> {
  if (tx.get('calculations', id) === undefined) return null
  await tx.lock(`row ${id}`)
  return tx.get('calculations', id) ?? null
}

/** lock_calculations: whoever is about to store one that does not exist waits for this transaction, or is waited for. */
async function lockCalculations(tx: Transaction, ids: readonly string[], terms: Terms): Promise<CalculationRow[]> {
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

async function lockCounters(tx: Transaction, keys: readonly string[], terms: Terms): Promise<void> {
  const once = [...new Set(keys)]
  const ordered = once.sort()
  if (terms.planted.has('no_lock_order') && terms.nowMs() % 2 === 0) ordered.reverse()
  for (const key of ordered) {
    await tx.lock(`counter ${key}`)
    if (terms.planted.has('no_lock_order')) await tx.pause()
  }
}

export type Confirmed =
  | { readonly reply: 'confirmed' | 'too_late' | 'clock_differs' }
  | { readonly reply: 'short'; readonly counters: readonly (CounterRow & { readonly left: number })[] }
  | ({ readonly reply: 'known' } & Answer)

export interface Confirmation {
  readonly calculation: NewCalculation
  readonly holds: readonly Hold[]
  /** Both by the server's clock, as the caller estimates it. */
  readonly sentAtMs: number
  readonly deadlineMs: number
}

/** How far a statement may arrive before it was sent, in milliseconds: `c_tolerance` of confirm_within. */
const toleranceMs = 50

/** confirm_within: stores a calculation and takes its units, all or nothing, if time is left and the clocks agree. */
export async function confirmCalculation(tx: Transaction, asked: Confirmation, terms: Terms): Promise<Confirmed> {
  const { calculation, holds, sentAtMs, deadlineMs } = asked
  const { calculationId: id, supersedes, venueId } = calculation.row
  const arrivedAtMs = terms.nowMs()
  if (arrivedAtMs < sentAtMs - toleranceMs) return { reply: 'clock_differs' }
  if (terms.nowMs() >= deadlineMs) return { reply: 'too_late' }
  if (supersedes !== null && supersedes < id) await lockCalculations(tx, [supersedes], terms)
  while (!(await store(tx, calculation, true, terms))) {
    const answer = await findAnswer(tx, id)
    if (answer.kind !== 'unknown') return { reply: 'known', ...answer }
  }
  await tx.pause()
  const [old] = supersedes === null ? [] : await lockCalculations(tx, [supersedes], terms)
  const frees = old?.state === 'open' && old.venueId === venueId && old.expiresAtMs > terms.nowMs() ? old : null
  const sold = tx.get('sales', id) !== undefined
  const superseded = tx.rows('calculations').some((other) => other.supersedes === id && other.venueId === venueId)
  const freed = frees === null ? [] : reservationsOf(tx, [frees.calculationId]).map(({ counter }) => counter)
  await tx.pause()
  const unlocked = countLeft(tx, holds, frees?.calculationId ?? null)
  if (terms.planted.has('no_conditional_update')) await tx.pause()
  await lockCounters(tx, [...holds.map(({ counter }) => counter), ...freed], terms)
  await tx.pause()
  if (terms.planted.has('release_before_commit') && frees !== null) {
    tx.remove('calculations', id)
    release(tx, [frees.calculationId])
    tx.commitSoFar()
    await store(tx, calculation, true, terms)
  }
  const short = await shortOf(tx, { asked, freeing: frees?.calculationId ?? null, unlocked }, terms)
  if (short !== null) {
    tx.remove('calculations', id)
    return { reply: 'short', counters: short }
  }
  if (frees !== null && !terms.planted.has('supersede_separately')) supersede(tx, frees.calculationId)
  take(tx, id, holds)
  if (superseded) supersede(tx, id)
  if (sold) await joinSale(tx, id, terms)
  await tx.pause()
  if (terms.nowMs() >= deadlineMs || terms.nowMs() < arrivedAtMs) throw new SqlError('LY001')
  if (frees !== null && terms.planted.has('supersede_separately')) {
    tx.commitSoFar()
    await tx.pause()
    supersede(tx, frees.calculationId)
  }
  return { reply: 'confirmed' }
}

function supersede(tx: Transaction, id: string): void {
  release(tx, [id])
  tx.put('calculations', id, { ...tx.get('calculations', id)!, state: 'superseded' })
}

type Left = readonly (CounterRow & { readonly left: number })[]

async function shortOf(
  tx: Transaction,
  { asked, freeing, unlocked }: { asked: Confirmation; freeing: string | null; unlocked: Left | null },
  terms: Terms,
): Promise<Left | null> {
  if (terms.planted.has('trust_cache_counters')) return null
  if (countLeft(tx, asked.holds, freeing) === null) return null
  releaseExpired(
    tx,
    asked.holds.map(({ counter }) => counter),
    terms.nowMs(),
  )
  const short = countLeft(tx, asked.holds, freeing)
  return terms.planted.has('no_conditional_update') && unlocked === null ? null : short
}

function take(tx: Transaction, id: string, holds: readonly Hold[]): void {
  const { expiresAtMs } = tx.get('calculations', id)!
  for (const hold of holds) {
    const { counter, units, maximum } = hold
    const row = { calculationId: id, counter, units, heldUntilMs: expiresAtMs, state: 'open' } as const
    const { limitId, subject, period } = hold
    const known = tx.get('counters', counter) ?? { limitId, subject, period, used: 0, open: 0, late: 0 }
    tx.put('reservations', `${id} ${counter}`, row)
    tx.put('counters', counter, { ...known, open: known.open + units, maximum })
  }
}

function countLeft(tx: Transaction, holds: readonly Hold[], freeing: string | null): Left | null {
  const left = holds.map(({ counter, limitId, subject, period, units, maximum }) => {
    const row = tx.get('counters', counter) ?? { limitId, subject, period, used: 0, open: 0, late: 0, maximum }
    const theirs = tx.get('reservations', `${freeing} ${counter}`)
    const taken = row.used + row.late + row.open - (theirs?.state === 'open' ? theirs.units : 0)
    return { ...row, short: units > maximum - taken, left: Math.max(0, maximum - taken) }
  })
  return left.some(({ short }) => short) ? left : null
}

/** withdraw_calculation: undoes a confirmed calculation whose answer was never sent. */
export async function withdrawCalculation(tx: Transaction, id: string, terms: Terms): Promise<string> {
  let found = await lockRow(tx, id)
  while (found === null) {
    if (await claimAbsence(tx, id)) return 'unknown'
    found = await lockRow(tx, id)
  }
  const replayed = found.replayed && !terms.planted.has('withdraw_replayed')
  if (replayed || found.state !== 'open' || !found.confirmed) return 'replayed'
  await tx.pause()
  const mine = reservationsOf(tx, [id])
  await lockCounters(
    tx,
    mine.map(({ counter }) => counter),
    terms,
  )
  release(tx, [id])
  await tx.lock(`key ${id}`)
  tx.remove('calculations', id)
  for (const { counter } of mine) tx.remove('reservations', `${id} ${counter}`)
  return 'withdrawn'
}

/** supersede_calculations: marks what fresh calculations supersede, and fresh ones that were superseded before. */
async function supersedeCalculations(tx: Transaction, stored: readonly string[], terms: Terms): Promise<void> {
  const fresh = stored.map((id) => tx.get('calculations', id)!)
  const locked = fresh.flatMap(({ supersedes }) => supersedes ?? [])
  const old = await lockCalculations(tx, locked, terms)
  await tx.pause()
  const all = tx.rows('calculations')
  const pairs = [
    ...fresh.map((n) => [n, old.find((o) => o.calculationId === n.supersedes)] as const),
    ...fresh.flatMap((o) => all.filter((n) => n.supersedes === o.calculationId).map((n) => [n, o] as const)),
  ]
  const gone = pairs.flatMap(([n, o]) =>
    o?.state === 'open' && o.venueId === n.venueId && n.answeredAtMs < o.expiresAtMs ? [o.calculationId] : [],
  )
  await lockCounters(
    tx,
    reservationsOf(tx, gone).map(({ counter }) => counter),
    terms,
  )
  for (const id of new Set(gone)) supersede(tx, id)
}

/** keep_calculations: stores calculations without limits; existing ones stay unchanged. */
export async function keepCalculations(
  tx: Transaction,
  records: readonly NewCalculation[],
  terms: Terms,
): Promise<number> {
  const stored: string[] = []
  const superseded = records.flatMap(({ row }) => row.supersedes ?? [])
  if (superseded.length > 0) {
    await lockCalculations(tx, [...superseded, ...records.map(({ row }) => row.calculationId)], terms)
  }
  for (const record of [...records].sort((left, right) =>
    left.row.calculationId < right.row.calculationId ? -1 : 1,
  )) {
    if (await store(tx, record, false, terms)) stored.push(record.row.calculationId)
  }
  await tx.pause()
  await supersedeCalculations(tx, stored, terms)
  for (const id of stored) if (tx.get('sales', id) !== undefined) await joinSale(tx, id, terms)
  return stored.length
}

/** expire_calculations: skips locked rows until the next time. */
export async function expireCalculations(tx: Transaction, max: number, terms: Terms): Promise<number> {
  const nowMs = terms.nowMs()
  const gone = tx
    .rows('calculations')
    .filter(
      ({ calculationId, state, expiresAtMs }) =>
        state === 'open' && expiresAtMs <= nowMs && tx.tryLock(`row ${calculationId}`),
    )
    .slice(0, max)
    .map(({ calculationId }) => calculationId)
  await lockCounters(
    tx,
    reservationsOf(tx, gone).map(({ counter }) => counter),
    terms,
  )
  await tx.pause()
  release(tx, gone)
  for (const id of gone) tx.put('calculations', id, { ...tx.get('calculations', id)!, state: 'expired' })
  return gone.length
}

interface Settled {
  readonly late: readonly string[]
  readonly freed: readonly string[]
}

/** settle_calculation: changes a calculation's state by a sale, and uses or releases its units. Its row is locked. */
async function settle(
  tx: Transaction,
  found: CalculationRow,
  sale: { readonly status: string; readonly atMs: number | null },
  terms: Terms,
): Promise<Settled> {
  const { calculationId: id } = found
  await lockCounters(
    tx,
    reservationsOf(tx, [id]).map(({ counter }) => counter),
    terms,
  )
  const released = reservationsOf(tx, [id]).some(({ state }) => state === 'released')
  const timely = (sale.atMs ?? terms.nowMs()) < found.expiresAtMs && !released
  if (found.state === 'open' && (timely || terms.planted.has('late_sale_as_timely'))) {
    const mine = reservationsOf(tx, [id])
    let freed: readonly string[] = []
    if (sale.status === 'applied') {
      moveReservations(tx, mine, 'used', (units) => ({ open: released ? 0 : -units, used: units }))
    } else freed = release(tx, [id])
    tx.put('calculations', id, { ...found, state: sale.status === 'cancelled' ? 'abandoned' : 'finalised' })
    return { late: [], freed }
  }
  if (found.state === 'open') tx.put('calculations', id, { ...found, state: 'expired' })
  const freed = release(tx, [id])
  const late = [found.state === 'superseded' ? 'superseded' : 'late_event']
  if (sale.status === 'applied') {
    const mine = reservationsOf(tx, [id]).filter(({ state }) => state === 'released')
    const counted = moveReservations(tx, mine, 'late', (units) => ({ late: units }))
    releaseExpired(tx, counted, terms.nowMs())
    const passed = counted.map((key) => tx.get('counters', key)!)
    if (passed.some((row) => row.used + row.late + row.open > row.maximum)) late.push('limit_exceeded')
  }
  return { late, freed }
}

async function joinSale(tx: Transaction, id: string, terms: Terms): Promise<void> {
  if (terms.planted.has('sale_not_joined')) return
  await tx.lock(`sale ${id}`)
  const sale = tx.get('sales', id)
  if (sale === undefined) return
  const { late } = await settle(
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
    if (stored.recordedAtMs + terms.idempotencyMs <= terms.nowMs()) return { reply: 'duplicate' }
    return { reply: 'stored', digest: stored.digest, body: stored.body, result: stored.result }
  }
  const sale = { ...asked, recordedAtMs: terms.nowMs() }
  const result = found === null ? 'unknown_calculation' : 'recorded'
  const { late, freed } =
    found === null ? { late: [result], freed: [] } : await settle(tx, found, { status: sale.status, atMs: null }, terms)
  tx.put('sales', id, { ...sale, result, discrepancies: late })
  return { reply: result, discrepancies: late, freed: freed.map((key) => tx.get('counters', key)!) }
}
