import { setTimeout as sleep } from 'node:timers/promises'
import type { SaleEvent } from '../../engine/index.js'
import { type CalculationRecord, type Ledger, StoreFault } from '../index.js'
import type { Primary } from './primary.js'

/** What the ledger has acknowledged is remembered for so long, in milliseconds: a standby that lags by more loses the rest. */
export const keptMs = 10_000
/** What is remembered takes at most so many bytes; the oldest goes first. */
export const keptBytesMax = 64 * 1024 * 1024
/**
 * After a promotion calls of tills find the ledger out of reach for so long, in milliseconds: every gateway has seen it by then and has
 * put back what it knows, so that nobody is granted units that another gateway's answer already holds.
 */
export const settlingMs = 3_000
/** Calculations first: a sale that came before its calculation would be stored as one of an unknown one. */
const salesAfterMs = 1_500
/** Time to put one record back, in milliseconds; attempts and the pause between two; records at once. */
const putBackMs = 2_000
const attemptsMax = 5
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
      readonly atMs: number
      readonly bytes: number
    }

/** What came of putting back after a promotion. */
export interface Recalled {
  readonly timeline: number
  /** Calculations with limited benefits and sales that the new primary did not have, and has now. */
  readonly restored: number
  /** Calculations that were answered and for which a limit has nothing left there: that limit has been exceeded by them. */
  readonly refused: readonly string[]
  /** Could not be put back: the ledger failed. */
  readonly failed: number
}

/** The calls of tills and their upkeep, which must not meet a ledger that lacks what has been answered. */
const closedWhileSettling = [
  'findAnswer',
  'findCounters',
  'confirm',
  'withdraw',
  'keepCalculations',
  'recordSale',
  'expireCalculations',
  'recount',
] as const

/**
 * The same ledger over several servers. A standby that follows asynchronously may lack the last commits when it is promoted; what
 * this gateway was told of them it puts back, before it takes new calls. With synchronous replication it finds everything there.
 * What nobody is left to remember is lost: its sale will be one of an unknown calculation.
 */
export function withRecall(ledger: Ledger, primary: Primary, onRecalled: (recalled: Recalled) => void): Ledger {
  const memory = createMemory()
  let settling = 0
  primary.onMove(({ from, timeline }) => {
    if (from === 0) return
    settling += 1
    void recall(ledger, memory, timeline)
      .then(onRecalled)
      .finally(() => {
        settling -= 1
      })
  })
  const open = {
    async confirm(record: CalculationRecord, withinMs: number) {
      const reply = await ledger.confirm(record, withinMs)
      if (reply.kind === 'confirmed') memory.add({ kind: 'confirmed', record, ...taken(bytesOf(record)) })
      return reply
    },
    async withdraw(calculationId: string) {
      const reply = await ledger.withdraw(calculationId)
      if (reply === 'withdrawn') memory.drop(calculationId)
      return reply
    },
    async keepCalculations(records: readonly CalculationRecord[]) {
      await ledger.keepCalculations(records)
      for (const record of records) memory.add({ kind: 'kept', record, ...taken(bytesOf(record)) })
    },
    async recordSale(event: SaleEvent, body: Uint8Array) {
      const reply = await ledger.recordSale(event, body)
      if ('freed' in reply) memory.add({ kind: 'sale', event, body, ...taken(body.length) })
      return reply
    },
  }
  const all: Ledger = { ...ledger, ...open }
  const guarded = closedWhileSettling.map((name) => {
    const method = all[name] as (...args: unknown[]) => Promise<unknown>
    const call = async (...args: unknown[]) => {
      if (settling > 0) throw new StoreFault('ledger', 'unreachable')
      return await method(...args)
    }
    return [name, call]
  })
  return { ...all, ...Object.fromEntries(guarded) }
}

interface Memory {
  add(remembered: Remembered): void
  /** Forgets a calculation that was withdrawn. */
  drop(calculationId: string): void
  all(): readonly Remembered[]
}

function createMemory(): Memory {
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
    all: () => [...kept],
  }
}

function taken(bytes: number): { readonly atMs: number; readonly bytes: number } {
  return { atMs: performance.now(), bytes }
}

function bytesOf({ packed, inputs, explanation }: CalculationRecord): number {
  return packed.length + inputs.length + explanation.length
}

/**
 * Calculations that replace another one come after those; sales after all calculations; and whoever found too little left is asked once
 * more at the end, for sales and replacements give back. Resolves when calls may come again.
 */
async function recall(ledger: Ledger, memory: Memory, timeline: number): Promise<Recalled> {
  const beganMs = performance.now()
  const until = (ms: number) => sleep(Math.max(0, beganMs + ms - performance.now()))
  const { confirmed, kept, sales } = sorted(memory.all())
  const [replacing, plain] = split(confirmed, ({ supersedesCalculationId }) => supersedesCalculationId !== null)
  const confirm = (record: CalculationRecord) => confirmAgain(ledger, record)
  const first = [...(await inParallel(plain, putBackAtOnce, confirm)), ...(await inParallel(replacing, 1, confirm))]
  const keeping = kept.length === 0 ? [] : [await patiently(() => keepAgain(ledger, kept))]
  await until(salesAfterMs)
  const sold = await inParallel(sales, putBackAtOnce, ({ event, body }) => recordAgain(ledger, event, body))
  const [short, settled] = split(first, ({ kind }) => kind === 'short')
  const second = await inParallel(short, 1, (reply) => (reply.kind === 'short' ? confirm(reply.record) : reply))
  await until(settlingMs)
  const replies = [...settled, ...second, ...keeping, ...sold]
  return {
    timeline,
    restored: replies.filter(({ kind }) => kind === 'restored').length,
    refused: replies.flatMap((reply) => (reply.kind === 'short' ? [reply.record.calculationId] : [])),
    failed: replies.filter(({ kind }) => kind === 'failed').length,
  }
}

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
  const lane = async () => {
    for (const one of rest) replies.push(await patiently(async () => work(one)))
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
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

async function confirmAgain(ledger: Ledger, record: CalculationRecord): Promise<Reply> {
  const reply = await ledger.confirm(record, putBackMs)
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

/** Those that are there are left as they are. */
async function keepAgain(ledger: Ledger, records: readonly CalculationRecord[]): Promise<Reply> {
  await ledger.keepCalculations(records)
  return { kind: 'present' }
}

async function recordAgain(ledger: Ledger, event: SaleEvent, body: Uint8Array): Promise<Reply> {
  return { kind: 'freed' in (await ledger.recordSale(event, body)) ? 'restored' : 'present' }
}
