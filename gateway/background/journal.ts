import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Cache, JournalDepth, Unvouched } from '../../store/cache.js'
import { ignoreStoreFault, StoreFault } from '../../store/fault.js'
import type { CalculationRecord, StoredAnswer } from '../../store/ledger/calculations.js'
import type { PosLedger } from '../../store/ledger.js'

const batchMax = 64
/** Own copies held until the ledger has them; further records are only in the cache's journal. */
const copiesMax = 20_000
/** Calculations known to be in the ledger: their sales come seconds later and need no look-up in the journal. */
const homeMax = 10_000
/** Journalled records older than this belong to a gateway that died, or whose ledger was out of reach. */
const orphanedAfterMs = 2_000
/**
 * Records are written in batches, outside a basket's path: at 50 a second, a transaction for each basket would delay the next basket. In
 * a batch of 25 a record takes half the ledger's time that it takes in one of 5.
 */
const flushEveryMs = 250
/** A copy that the ledger refused is tried again after this time: a bug of ours, or of its schema, may be fixed by then. */
const stuckMs = 10_000
/** A statement ends at most this long after its deadline: the ledger reads its clock just before it commits. */
const commitMs = 100
/** Interval of checks for the end of current decisions. */
const lookMs = 5
/** With this many stored records, acknowledge at once: a ledger that is behind may take long to catch up, and the cache fills meanwhile. */
const unacknowledgedMax = 1_000

/**
 * Brings calculations that were answered without a ledger commit into the ledger, in batches off the path (wire decisions 6). This
 * gateway's own copies outlive a loss of the cache; the cache's journal outlives a loss of this gateway.
 */
export interface Journal {
  /** A record that the cache has just journalled. */
  add(record: CalculationRecord): void
  /**
   * Makes sure that the ledger has the calculation if it is on its way there. `cannot_look`: the cache is out of reach, so that another
   * gateway's record cannot be ruled out. `unvouched`: the cache may have lost it. Rejects with StoreFault of the ledger.
   */
  ensureInLedger(calculationId: string): Promise<'looked' | 'cannot_look' | 'unvouched'>
  /** The answer of a waiting own copy: once the cache has lost it, only this gateway has it. */
  find(calculationId: string): StoredAnswer | null
  /**
   * Takes an own copy of a record from the cache that the ledger may not have yet. A gateway that answers from the cache must also bring
   * the record to the ledger: the gateway that stored it may have ended or never received the reply. null: the ledger has it.
   */
  holdCopy(record: CalculationRecord | null): void
  /** A call of the cache that takes a copy of its finding before the reply is answered: `flushNow` waits until it has settled. */
  track<T>(call: Promise<T>): Promise<T>
  /**
   * The cache has taken a claim for this calculation: the ledger decides about it, until `decided` or this time. A cache that loses its
   * memory loses the claim too, so `flushNow` waits for the decision.
   */
  decides(calculationId: string, untilMs: number): void
  decided(calculationId: string): void
  /**
   * Resolves once the ledger has every answer that this gateway has received from the cache until now, and has decided all claims there.
   * Records that the ledger refuses, for a bug, are not waited for. Rejects with StoreFault of the ledger.
   */
  flushNow(): Promise<void>
  isIdle(): boolean
  readonly depth: number
  /** Length of the cache's journal, of all gateways, at the last `tidy`. */
  readonly journalled: JournalDepth
  /**
   * Acknowledges stored records and adopts orphans; to be called once a second. That is well below the age at which others adopt them; per
   * flush it would be nearly one command for each record. Rejects with StoreFault of the cache.
   */
  tidy(): Promise<void>
  /** Writes the remaining copies, for at most `withinMs`; resolves to the number still left. */
  close(withinMs: number): Promise<number>
}

interface Parts {
  readonly cache: Cache | null
  readonly posLedger: PosLedger
  /** Any failure other than a store out of reach: a bug, for the log. */
  readonly onBug: (error: unknown) => void
  /** The ledger had another answer under these keys; the cache is corrected. */
  readonly onContradiction?: (calculationIds: readonly string[]) => void
}

/** Flushes while it has copies; without a cache nothing is ever added and `ensureInLedger` has nothing to look for. */
export function createJournal({ cache, posLedger, onBug, onContradiction = () => {} }: Parts): Journal {
  const records = createRecords({
    cache,
    posLedger,
    onContradiction,
    onWork: () => cache !== null && flushing.soon(cache),
  })
  const { copies, acknowledgeLanded } = records
  const tracked = createTracked()
  const decisions = createDecisions()
  const own = createOwnCopies(records, onBug)
  /** A store out of reach ends a pass, and the next one tries again. */
  const pass = (work: () => Promise<void>): Promise<void> => work().catch(ignoreStoreFault).catch(onBug)
  const flushing = createFlushing({ records, own, pass })
  let closing = false
  let lastDepth: JournalDepth = { entries: 0, oldestMs: 0 }
  const onDepth = (depth: JournalDepth) => {
    lastDepth = depth
  }

  async function flushNow(): Promise<void> {
    await tracked.settled()
    await decisions.settled()
    const waiting = own.waiting()
    for (let at = 0; at < waiting.length; at += batchMax) await own.store(waiting.slice(at, at + batchMax))
  }

  return {
    add: records.add,
    ensureInLedger: (calculationId) => ensureInLedger(records, calculationId),
    find: (calculationId) => copies.get(calculationId) ?? null,
    holdCopy: records.hold,
    track: tracked.track,
    decides: decisions.begin,
    decided: decisions.end,
    flushNow,
    isIdle: () => copies.size === 0 && tracked.count === 0 && decisions.count === 0,
    get depth() {
      return copies.size
    },
    get journalled() {
      return lastDepth
    },
    async tidy() {
      if (cache === null || closing) return
      decisions.prune()
      // Acknowledge first, because a stored record is no orphan.
      await acknowledgeLanded(cache)
      const orphans = await cache.readJournal(batchMax, orphanedAfterMs, onDepth)
      if (orphans.length > 0) await pass(() => bringHome(records, cache, { orphans, onBug }))
    },
    async close(withinMs) {
      closing = true
      const ended = cache === null ? Promise.resolve() : flushing.end(cache)
      await Promise.race([ended, sleep(withinMs, undefined, { ref: false })])
      return copies.size
    },
  }
}

interface Flushing {
  readonly records: Records
  readonly own: ReturnType<typeof createOwnCopies>
  readonly pass: (work: () => Promise<void>) => Promise<void>
}

/** Flushes again and again while there is something to store or to correct. */
function createFlushing({ records, own, pass }: Flushing) {
  const { landed, acknowledgeLanded, correct } = records
  let running: Promise<void> | null = null
  let closing = false

  async function flush(journalled: Cache): Promise<void> {
    for (let batch = own.waiting(); batch.length > 0; batch = own.waiting()) {
      await own.store(batch.slice(0, batchMax))
      if (landed.size >= unacknowledgedMax) await acknowledgeLanded(journalled).catch(ignoreStoreFault)
    }
    await correct(journalled)
  }

  async function run(journalled: Cache): Promise<void> {
    do {
      await sleep(flushEveryMs)
      await pass(() => flush(journalled))
    } while (!closing && records.isBusy)
    running = null
  }

  return {
    soon(journalled: Cache): void {
      if (!closing) running ??= run(journalled)
    },
    async end(journalled: Cache): Promise<void> {
      closing = true
      await running
      own.tryAgain()
      await pass(() => flush(journalled))
      await pass(() => acknowledgeLanded(journalled))
    },
  }
}

async function bringHome(
  records: Records,
  journalled: Cache,
  { orphans, onBug }: { readonly orphans: readonly CalculationRecord[]; readonly onBug: (error: unknown) => void },
): Promise<void> {
  await adopt(records, orphans, onBug)
  await records.acknowledgeLanded(journalled)
  await records.correct(journalled)
}

async function ensureInLedger(
  { findCopy, store }: Pick<Records, 'findCopy' | 'store'>,
  calculationId: string,
): Promise<'looked' | 'cannot_look' | 'unvouched'> {
  const found = await findCopy(calculationId).catch((error: unknown) => {
    ignoreStoreFault(error)
    return 'cannot_look' as const
  })
  if (found === 'cannot_look') return found
  if (found !== null && 'kind' in found) return found.kind
  if (found !== null) await store([found])
  return 'looked'
}

/**
 * A record that the ledger refuses is dropped, so that it does not block the next ones. If all are refused, none is dropped: they are not
 * the cause.
 */
async function adopt(
  records: Pick<Records, 'store' | 'refuse'>,
  orphans: readonly CalculationRecord[],
  onBug: (error: unknown) => void,
): Promise<void> {
  const refused = await storeOrSkip(records, orphans, onBug)
  if (refused.length < orphans.length) for (const orphan of refused) records.refuse(orphan)
}

/** Stores together; if the ledger refuses them, each by itself. Resolves to those refused for another reason than the ledger's state. */
async function storeOrSkip(
  { store }: Pick<Records, 'store'>,
  records: readonly CalculationRecord[],
  onBug: (error: unknown) => void,
): Promise<readonly CalculationRecord[]> {
  const refused: CalculationRecord[] = []
  try {
    await store(records)
  } catch (error) {
    if (error instanceof StoreFault) throw error
    for (const record of records) {
      await store([record]).catch((fault: unknown) => {
        if (fault instanceof StoreFault) throw fault
        // One report for all: there are many where the records are not at fault.
        if (refused.length === 0) onBug(fault)
        refused.push(record)
      })
    }
  }
  return refused
}

function createOwnCopies({ copies, store }: Pick<Records, 'copies' | 'store'>, onBug: (error: unknown) => void) {
  const stuck = new Set<string>()
  let triedAtMs = performance.now()
  function tryAgain(): void {
    triedAtMs = performance.now()
    stuck.clear()
  }
  return {
    waiting(): readonly CalculationRecord[] {
      if (performance.now() - triedAtMs >= stuckMs) tryAgain()
      return [...copies.values()].filter(({ calculationId }) => !stuck.has(calculationId))
    },
    async store(batch: readonly CalculationRecord[]): Promise<void> {
      for (const { calculationId } of await storeOrSkip({ store }, batch, onBug)) stuck.add(calculationId)
    },
    tryAgain,
  }
}

/** Decisions of the ledger under claims in the cache. Without `decided` they end by their time. */
function createDecisions() {
  const untilMs = new Map<string, number>()
  const isUnderWay = ([calculationId, until]: readonly [string, number]) =>
    untilMs.get(calculationId) === until && until > performance.now()
  return {
    get count() {
      return untilMs.size
    },
    begin: (calculationId: string, until: number) => void untilMs.set(calculationId, until + commitMs),
    end: (calculationId: string) => void untilMs.delete(calculationId),
    prune(): void {
      for (const entry of untilMs) if (!isUnderWay(entry)) untilMs.delete(entry[0])
    },
    async settled(): Promise<void> {
      const begun = [...untilMs]
      while (begun.some(isUnderWay)) await sleep(lookMs)
    },
  }
}

function createTracked() {
  const underWay = new Set<Promise<unknown>>()
  return {
    get count() {
      return underWay.size
    },
    track<T>(call: Promise<T>): Promise<T> {
      underWay.add(call)
      const ended = () => void underWay.delete(call)
      call.then(ended, ended)
      return call
    },
    settled: () => Promise.allSettled([...underWay]),
  }
}

type Records = ReturnType<typeof createRecords>

/** The records on their way, and the state of each. */
function createRecords({
  cache,
  posLedger,
  onContradiction,
  onWork,
}: Pick<Parts, 'cache' | 'posLedger'> & {
  readonly onContradiction: (calculationIds: readonly string[]) => void
  /** There is something to flush. */
  readonly onWork: () => unknown
}) {
  const copies = new Map<string, CalculationRecord>()
  const landed = new Set<string>()
  /** The ledger has another answer under these keys than the cache. */
  const wrong = new Set<string>()
  const home = new LRUCache<string, true>({ max: homeMax })

  function add(record: CalculationRecord): void {
    if (copies.size < copiesMax) copies.set(record.calculationId, record)
    onWork()
  }

  function hold(record: CalculationRecord | null): void {
    if (record !== null && !home.has(record.calculationId)) add(record)
  }

  async function store(records: readonly CalculationRecord[]): Promise<void> {
    const contradicted = new Set(await posLedger.calculations.store(records))
    for (const { calculationId } of records) {
      copies.delete(calculationId)
      home.set(calculationId, true)
      if (contradicted.has(calculationId)) wrong.add(calculationId)
      else landed.add(calculationId)
    }
    if (contradicted.size === 0) return
    onContradiction([...contradicted])
    onWork()
  }

  /** The ledger will never take it; dropped from the cache's journal like a stored one. */
  function refuse({ calculationId }: CalculationRecord): void {
    copies.delete(calculationId)
    landed.add(calculationId)
  }

  /** Where the cache is out of reach, a later pass finds them in its journal and acknowledges them then. */
  async function acknowledgeLanded(journalled: Cache): Promise<void> {
    const ids = [...landed]
    landed.clear()
    await journalled.forgetJournalled(ids)
  }

  async function findCopy(calculationId: string): Promise<CalculationRecord | Unvouched | null> {
    if (home.has(calculationId)) return null
    const found = copies.get(calculationId) ?? (await cache?.findJournalled(calculationId)) ?? null
    if (found !== null && !('kind' in found)) add(found)
    return found
  }

  return {
    ...{ copies, landed, add, hold, store, refuse, acknowledgeLanded, findCopy },
    correct: (journalled: Cache) => correct(wrong, journalled, posLedger),
    get isBusy() {
      return copies.size > 0 || wrong.size > 0
    },
  }
}

/** The ledger's answer counts: a repeat must not find the other answer in the cache. */
async function correct(wrong: Set<string>, journalled: Cache, { calculations }: PosLedger): Promise<void> {
  for (const calculationId of wrong) {
    const lookup = await calculations.findAnswer(calculationId)
    await journalled.correct(calculationId, lookup.kind === 'stored' ? lookup.answer : null)
    wrong.delete(calculationId)
  }
}
