import { setTimeout as sleep } from 'node:timers/promises'
import type { SaleEvent } from '../../../engine/index.js'
import { StoreFault } from '../../fault.js'
import type { AdminCalculations, CalculationRecord, PosCalculations } from '../../ledger/calculations.js'
import type { PosSales, Recounted } from '../../ledger/sales.js'
import type { PosLedger } from '../../ledger.js'
import { withMethods } from '../../with-methods.js'
import type { Primary } from './primary.js'

/** What the ledger has acknowledged is remembered for so long, in milliseconds: a standby that lags by more loses the rest. */
export const keptMs = 10_000
/** What is remembered takes at most so many bytes; the oldest goes first. */
const keptBytesMax = 64 * 1024 * 1024
/**
 * After a promotion, POS calls find the ledger out of reach for this time, in milliseconds. In this time every gateway sees the promotion
 * and writes back what it remembers. So nobody is granted units that an answer of another gateway holds.
 */
const settlingMs = 3_000
/**
 * When each step begins, in milliseconds after the promotion was seen. Gateways see it within `lookEveryMs` of each other, so when a
 * gateway begins a step, all gateways have had time for the steps before it.
 */
const steps = { calculationsMs: 600, salesMs: 1_500, againMs: 2_400 } as const
/** Time to put one record back, in milliseconds; attempts and the pause between two; records at once. */
const putBackMs = 2_000
const attemptsMax = 50
const attemptPauseMs = 200
const putBackAtOnce = 8

type Remembered =
  | {
      readonly kind: 'confirmed' | 'kept'
      readonly record: CalculationRecord
      readonly atMs: number
      readonly bytes: number
    }
  | {
      readonly kind: 'sale'
      readonly event: SaleEvent
      readonly body: Uint8Array
      /** As it was recorded with; undefined: nothing had to be counted. */
      readonly recounted: Recounted | undefined
      /** What its POS was answered; null: nothing. */
      readonly answered: 'recorded' | 'unknown_calculation' | null
      readonly atMs: number
      readonly bytes: number
    }

/** What came of putting back after a promotion. */
export interface Recalled {
  readonly timeline: number
  /** Calculations with limited benefits and sales that the new primary did not have, and has now. */
  readonly restored: number
  /** Answered calculations for which the new primary has too few units left: they exceed a limit, and are stored without units. */
  readonly refused: readonly string[]
  /** Could not be put back: the ledger failed. */
  readonly failed: number
}

interface Parts {
  readonly findCalculation: AdminCalculations['find']
  readonly primary: Pick<Primary, 'onMove'>
  readonly onRecalled: (recalled: Recalled) => void
  readonly nowMs?: () => number
}

/**
 * The same ledger over several servers. A standby that follows asynchronously may lack the last commits when it is promoted; what
 * this gateway received of them it puts back, before it takes new calls. With synchronous replication it finds everything there.
 * A calculation that only an ended gateway remembered is lost: its sale gets `unknown_calculation`.
 */
export function withRecall(pos: PosLedger, parts: Parts): PosLedger {
  const { findCalculation, primary, onRecalled, nowMs = () => performance.now() } = parts
  const memory = createMemory(nowMs)
  let settling = 0
  primary.onMove(({ from, timeline }) => {
    if (from === 0) return
    settling += 1
    void recall({ ...pos, findCalculation }, memory, timeline)
      .then(onRecalled)
      .finally(() => {
        settling -= 1
      })
  })
  const { calculations, sales, counters, gateways } = pos
  // Not to be asked while the ledger lacks what has been answered. Members, venues and programmes are only read.
  const closedWhileSettling = {
    calculations: rememberedCalculations(calculations, memory, nowMs),
    sales: rememberedSales(sales, memory, nowMs),
    counters,
    gateways,
  }
  const closable = withMethods(closedWhileSettling, (_, method) => async (...args) => {
    if (settling > 0) throw new StoreFault('ledger', 'unreachable')
    return await method(...args)
  })
  return { ...pos, ...closable, gateways: { ...closable.gateways, leave: gateways.leave } }
}

function rememberedCalculations(calculations: PosCalculations, memory: Memory, nowMs: () => number): PosCalculations {
  return {
    ...calculations,
    async confirm(record, withinMs) {
      const reply = await calculations.confirm(record, withinMs)
      if (reply.kind === 'confirmed') memory.add({ kind: 'confirmed', record, atMs: nowMs(), bytes: bytesOf(record) })
      return reply
    },
    async withdraw(calculationId) {
      const reply = await calculations.withdraw(calculationId)
      if (reply !== 'replayed') memory.drop(calculationId)
      return reply
    },
    async store(records) {
      const contradicted = await calculations.store(records)
      for (const record of records) {
        if (contradicted.includes(record.calculationId)) continue
        memory.add({ kind: 'kept', record, atMs: nowMs(), bytes: bytesOf(record) })
      }
      return contradicted
    },
  }
}

function rememberedSales(sales: PosSales, memory: Memory, nowMs: () => number): PosSales {
  return {
    async record(event, body, recounted) {
      const remember = (answered: 'recorded' | 'unknown_calculation' | null) =>
        memory.add({ kind: 'sale', event, body, recounted, answered, atMs: nowMs(), bytes: body.length })
      const reply = await sales.record(event, body, recounted).catch((error: unknown) => {
        // It may have been stored, and somebody else may have answered its repeat from there; if not, the POS sends it again.
        if (error instanceof StoreFault && error.kind === 'in_doubt') remember(null)
        throw error
      })
      if ('freed' in reply) remember(reply.kind)
      return reply
    },
  }
}

/** What putting back needs of the ledger. */
type RecallLedger = Pick<PosLedger, 'calculations' | 'sales'> & Pick<Parts, 'findCalculation'>

interface Memory {
  add(remembered: Remembered): void
  /** Forgets a calculation that was withdrawn. */
  drop(calculationId: string): void
  /** Everything, remembered as if acknowledged just now: who is promoted next may lack again what is put back now. */
  renew(): readonly Remembered[]
}

function createMemory(nowMs: () => number): Memory {
  const kept = new Set<Remembered>()
  let bytes = 0
  function forget(remembered: Remembered): void {
    kept.delete(remembered)
    bytes -= remembered.bytes
  }
  return {
    add(remembered) {
      kept.add(remembered)
      bytes += remembered.bytes
      for (const oldest of kept) {
        if (oldest.atMs > remembered.atMs - keptMs && bytes <= keptBytesMax) break
        forget(oldest)
      }
    },
    drop(calculationId) {
      for (const each of kept) if (each.kind !== 'sale' && each.record.calculationId === calculationId) forget(each)
    },
    renew() {
      const all = [...kept]
      kept.clear()
      for (const each of all) kept.add({ ...each, atMs: nowMs() })
      return all
    },
  }
}

function bytesOf({ packed, inputs, explanation }: CalculationRecord): number {
  return packed.length + inputs.length + explanation.length
}

/**
 * Writes back in this order: sales that came before their calculations, calculations, calculations that supersede another one, other sales.
 * A calculation that finds too few units is tried again at the end, because sales and superseding calculations free units. If it is still
 * short, it is stored without units, because its answer was sent. Resolves when calls may come again.
 */
async function recall(ledger: RecallLedger, memory: Memory, timeline: number): Promise<Recalled> {
  const beganMs = performance.now()
  const until = (ms: number) => sleep(Math.max(0, beganMs + ms - performance.now()))
  const { confirmed, kept, sales } = sorted(memory.renew())
  const record = (sale: Sale) => recordAgain(ledger, sale)
  const confirm = (each: CalculationRecord) => confirmAgain(ledger, each)
  const [early, settling] = split(sales, ({ answered }) => answered === 'unknown_calculation')
  const replies = [...(await inParallel(early, putBackAtOnce, record))]
  await until(steps.calculationsMs)
  const [replacing, plain] = split(confirmed, ({ supersedesCalculationId }) => supersedesCalculationId !== null)
  const first = [...(await inParallel(plain, putBackAtOnce, confirm)), ...(await inParallel(replacing, 1, confirm))]
  if (kept.length > 0) replies.push(await patiently(() => keepAgain(ledger, kept)))
  await until(steps.salesMs)
  const short = first.flatMap((reply) => (reply.kind === 'short' ? [reply.record] : []))
  const shortIds = new Set(short.map(({ calculationId }) => calculationId))
  const [waiting, ready] = split(settling, ({ event }) => shortIds.has(event.calculationId))
  replies.push(...(await inParallel(ready, putBackAtOnce, record)))
  await until(steps.againMs)
  replies.push(...(await inParallel(short, 1, (each) => confirmOrKeep(ledger, each))))
  replies.push(...(await inParallel(waiting, 1, record)))
  await until(settlingMs)
  const all = [...first.filter(({ kind }) => kind !== 'short'), ...replies]
  return {
    timeline,
    restored: all.filter(({ kind }) => kind === 'restored').length,
    refused: all.flatMap((reply) => (reply.kind === 'short' ? [reply.record.calculationId] : [])),
    failed: all.filter(({ kind }) => kind === 'failed').length,
  }
}

type Sale = Extract<Remembered, { readonly kind: 'sale' }>

type Reply =
  | { readonly kind: 'restored' | 'present' | 'failed' }
  | { readonly kind: 'short'; readonly record: CalculationRecord }

function sorted(remembered: readonly Remembered[]) {
  const confirmed = remembered.flatMap((each) => (each.kind === 'confirmed' ? [each.record] : []))
  const kept = remembered.flatMap((each) => (each.kind === 'kept' ? [each.record] : []))
  const sales = remembered.flatMap((each) => (each.kind === 'sale' ? [each] : []))
  return { confirmed, kept, sales }
}

function split<T>(all: readonly T[], belongs: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))]
}

async function inParallel<T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<Reply> | Reply,
): Promise<readonly Reply[]> {
  const replies: Reply[] = []
  const rest = all.values()
  const pooled = async () => {
    for (const one of rest) replies.push(await patiently(async () => work(one)))
  }
  await Promise.all(Array.from({ length: atOnce }, pooled))
  return replies
}

/** Tries for a while: the new primary may be only just beginning. */
async function patiently(work: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      if (attempt === attemptsMax) return { kind: 'failed' }
      await sleep(attemptPauseMs)
    }
  }
}

async function confirmAgain(ledger: RecallLedger, record: CalculationRecord): Promise<Reply> {
  const reply = await ledger.calculations.confirm(record, putBackMs)
  switch (reply.kind) {
    case 'confirmed':
      return { kind: 'restored' }
    case 'known':
      return { kind: 'present' }
    case 'short':
      return { kind: 'short', record }
    case 'too_late':
      throw new StoreFault('ledger', 'busy')
  }
}

/** If another gateway has written back the calculation that supersedes it, it needs no units. */
async function confirmOrKeep(ledger: RecallLedger, record: CalculationRecord): Promise<Reply> {
  const reply = await confirmAgain(ledger, record)
  if (reply.kind !== 'short') return reply
  await ledger.calculations.store([{ ...record, holds: [] }])
  const stored = await ledger.findCalculation(record.calculationId)
  return stored?.summary.state === 'superseded' ? { kind: 'restored' } : reply
}

/** Those that are there are left as they are. */
async function keepAgain(ledger: RecallLedger, records: readonly CalculationRecord[]): Promise<Reply> {
  await ledger.calculations.store(records)
  return { kind: 'present' }
}

/** What was counted may not fit what the new primary has. Then the sale is recorded with what can be said without counting. */
async function recordAgain({ sales }: RecallLedger, { event, body, recounted }: Sale): Promise<Reply> {
  let reply = await sales.record(event, body, recounted)
  if (reply.kind === 'paid_less' || reply.kind === 'uncounted') reply = await sales.record(event, body, 'unknown')
  return { kind: 'freed' in reply ? 'restored' : 'present' }
}
