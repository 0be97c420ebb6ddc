import { claimAbsence, lockCalculations, lockCounters, lockRow } from './lock-functions.js'
import { release, releaseExpired, reservationsOf } from './reservation-functions.js'
import { joinSale } from './sale-functions.js'
import type { Terms } from './terms.js'
import type { CalculationRow, CounterRow, Transaction } from './transactions.js'
import { SqlError } from './transactions.js'
import {
  accountOf,
  earningAccounts,
  forgetHolds,
  holdsOf,
  holdValue,
  lockAccounts,
  releaseValue,
  type Spend,
  type ValueLeft,
  valueLeft,
} from './value-functions.js'

/** A row of `calculation` as passed in, with its body. */
export interface NewCalculation {
  readonly row: Pick<
    CalculationRow,
    | 'calculationId'
    | 'supersedes'
    | 'venueId'
    | 'memberId'
    | 'status'
    | 'earning'
    | 'answeredAtMs'
    | 'digest'
    | 'packed'
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

export type Confirmed =
  | { readonly reply: 'confirmed' | 'too_late' | 'clock_differs' }
  | { readonly reply: 'short'; readonly counters: Left | ValueLeft }
  | ({ readonly reply: 'known' } & Answer)

export interface Confirmation {
  readonly calculation: NewCalculation
  readonly holds: readonly Hold[]
  readonly spends: readonly Spend[]
  /** Both by the server's clock, as the caller estimates it. */
  readonly sentAtMs: number
  readonly deadlineMs: number
}

/** How far a statement may arrive before it was sent, in milliseconds: `c_tolerance` of confirm_within. */
const toleranceMs = 50

/** confirm_within: stores a calculation and takes its units and value, all or nothing, if time is left and the clocks agree. */
export async function confirmCalculation(tx: Transaction, asked: Confirmation, terms: Terms): Promise<Confirmed> {
  const { calculation, holds, spends, sentAtMs, deadlineMs } = asked
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
  const freeing = frees?.calculationId ?? null
  const short =
    shortOf(tx, { asked, freeing, unlocked }, terms) ?? (await shortOfValue(tx, { asked, freeing, sold }, terms))
  if (short !== null) {
    tx.remove('calculations', id)
    return { reply: 'short', counters: short }
  }
  if (frees !== null && !terms.planted.has('supersede_separately')) supersede(tx, frees.calculationId, terms)
  take(tx, id, holds)
  holdValue(tx, id, spends, terms)
  if (superseded) supersede(tx, id, terms)
  if (sold) await joinSale(tx, id, terms)
  await tx.pause()
  if (terms.nowMs() >= deadlineMs || terms.nowMs() < arrivedAtMs) throw new SqlError('LY001')
  if (frees !== null && terms.planted.has('supersede_separately')) {
    tx.commitSoFar()
    await tx.pause()
    supersede(tx, frees.calculationId, terms)
  }
  return { reply: 'confirmed' }
}

function supersede(tx: Transaction, id: string, terms: Terms): void {
  release(tx, [id])
  if (!terms.planted.has('superseded_keeps_hold')) releaseValue(tx, [id])
  tx.put('calculations', id, { ...tx.get('calculations', id)!, state: 'superseded' })
}

type Left = readonly (CounterRow & { readonly left: number })[]

function shortOf(
  tx: Transaction,
  { asked, freeing, unlocked }: { asked: Confirmation; freeing: string | null; unlocked: Left | null },
  terms: Terms,
): Left | null {
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

/** Locks the accounts that it changes, with those that its sale credits where it is sold already: all in one order. */
async function shortOfValue(
  tx: Transaction,
  { asked, freeing, sold }: { asked: Confirmation; freeing: string | null; sold: boolean },
  terms: Terms,
): Promise<ValueLeft | null> {
  const { calculation, spends } = asked
  const { row } = calculation
  const held = freeing === null ? [] : [freeing]
  if (spends.length === 0 && holdsOf(tx, held).length === 0) return null
  const spent = spends.map(({ currencyId }) => accountOf(String(row.memberId), currencyId))
  await lockAccounts(tx, { held, others: [...spent, ...(sold ? earningAccounts(row) : [])] }, terms)
  const isTrusting = ['hold_without_look', 'basket_makes_debt'] as const
  return isTrusting.some((mistake) => terms.planted.has(mistake)) ? null : valueLeft(tx, { ...row, spends }, freeing)
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
  await lockAccounts(tx, { held: [id], others: [] }, terms)
  release(tx, [id])
  releaseValue(tx, [id])
  await tx.lock(`key ${id}`)
  tx.remove('calculations', id)
  for (const { counter } of mine) tx.remove('reservations', `${id} ${counter}`)
  forgetHolds(tx, id)
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
  await lockAccounts(tx, { held: gone, others: [] }, terms)
  for (const id of new Set(gone)) supersede(tx, id, terms)
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
  const sold = stored.filter((id) => tx.get('sales', id) !== undefined)
  const others = sold.flatMap((id) => earningAccounts(tx.get('calculations', id)!))
  await lockAccounts(tx, { held: [], others }, terms)
  for (const id of sold) await joinSale(tx, id, terms)
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
  await lockAccounts(tx, { held: gone, others: [] }, terms)
  await tx.pause()
  release(tx, gone)
  releaseValue(tx, gone)
  for (const id of gone) tx.put('calculations', id, { ...tx.get('calculations', id)!, state: 'expired' })
  return gone.length
}
