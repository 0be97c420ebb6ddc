import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import {
  type CalculationRecord,
  type Front,
  type JournalDepth,
  type Ledger,
  type StoredAnswer,
  StoreFault,
} from '../store/index.js'

/** Records of one transaction into the ledger. */
const batchMax = 64
/** Own copies held until the ledger has them; beyond that the front's journal alone holds the record. */
const copiesMax = 20_000
/** Calculations brought home that are remembered: their sales, seconds later, need not be looked for on the way. */
const homeMax = 10_000
/** Journalled records older than this belong to a gateway that died, or whose ledger was out of reach. */
const orphanedAfterMs = 2_000
/**
 * Off the path, and rather a few together than each by itself: at 50 a second a transaction of one for each basket takes the processor
 * from the next one.
 */
const flushEveryMs = 100
/**
 * The front's journal lies in many buckets, each of which is told by itself: of a second's records together that is a command for
 * several of them, of a flush's one for each. Well below the age at which others adopt them.
 */
const tidyEveryMs = 1_000
/** Of so many that have landed the front is told at once: a ledger that is behind may take long to catch up, and the front fills meanwhile. */
const untoldMax = 1_000

/**
 * Brings calculations that were answered without a ledger commit into the ledger, in batches off the path (wire decisions 6).
 * This gateway's own copies outlive a loss of the front; the front's journal outlives a loss of this gateway.
 */
export interface Journal {
  /** A record that the front has just journalled. */
  add(record: CalculationRecord): void
  /**
   * Makes sure that the ledger holds the calculation if it is on its way there. `cannot_look`: the front is out of reach, so
   * that another gateway's record cannot be ruled out. Rejects with StoreFault of the ledger.
   */
  bringHome(calculationId: string): Promise<'looked' | 'cannot_look'>
  /** The answer of an own copy that waits: where the front has forgotten it meanwhile, nobody else knows it yet. */
  find(calculationId: string): StoredAnswer | null
  /**
   * Takes an own copy of what the front holds and the ledger may not have yet: whoever answers from the front answers for it, for
   * the call that kept it may have died or never heard that it was kept. Rejects with StoreFault of the front.
   */
  holdCopy(calculationId: string): Promise<void>
  /** Own copies that wait. */
  readonly depth: number
  /** What waited in the cache's journal, of all gateways, at the last pass over it: at most about a second ago while the cache is in reach. */
  readonly journalled: JournalDepth
  /** Writes what is left, for at most `withinMs`; resolves to the number of own copies that are left. */
  close(withinMs: number): Promise<number>
}

interface Parts {
  readonly front: Front | null
  readonly ledger: Ledger
  /** A failure that is neither store's being out of reach: a bug, for the log. */
  readonly onBug: (error: unknown) => void
}

/** Starts flushing at once; without a front nothing is ever added and `bringHome` has nothing to look for. */
export function createJournal({ front, ledger, onBug }: Parts): Journal {
  const records = createRecords({ front, ledger })
  const { copies, landed, store, tellLanded, findCopy } = records
  let closing = false
  let lastDepth: JournalDepth = { entries: 0, oldestMs: 0 }

  async function flush(journalled: Front): Promise<void> {
    while (copies.size > 0) {
      await store([...copies.values()].slice(0, batchMax))
      if (landed.size >= untoldMax) await tellLanded(journalled).catch(ignoreStoreFault)
    }
  }

  /** Told first, for what has landed is no orphan, and again, for what was adopted is none any more. */
  async function tidy(journalled: Front): Promise<void> {
    await tellLanded(journalled)
    const orphans = await journalled.readJournal(batchMax, orphanedAfterMs, (found) => {
      lastDepth = found
    })
    if (orphans.length === 0) return
    await store(orphans)
    await tellLanded(journalled)
  }

  /** A store out of reach ends a pass, and the next one tries again. */
  const pass = (work: () => Promise<void>): Promise<void> => work().catch(ignoreStoreFault).catch(onBug)

  async function run(journalled: Front): Promise<void> {
    let tidiedAtMs = performance.now()
    while (!closing) {
      await sleep(flushEveryMs)
      await pass(() => flush(journalled))
      if (performance.now() - tidiedAtMs < tidyEveryMs) continue
      tidiedAtMs = performance.now()
      await pass(() => tidy(journalled))
    }
    await pass(() => flush(journalled))
    await pass(() => tellLanded(journalled))
  }

  const running = front === null ? Promise.resolve() : run(front)

  return {
    add: records.add,
    async bringHome(calculationId) {
      const found = await findCopy(calculationId).catch((error: unknown) => {
        ignoreStoreFault(error)
        return 'cannot_look' as const
      })
      if (found === 'cannot_look') return found
      if (found !== null) await store([found])
      return 'looked'
    },
    find: (calculationId) => copies.get(calculationId) ?? null,
    holdCopy: (calculationId) => findCopy(calculationId).then(() => undefined),
    get depth() {
      return copies.size
    },
    get journalled() {
      return lastDepth
    },
    async close(withinMs) {
      closing = true
      await Promise.race([running, sleep(withinMs, undefined, { ref: false })])
      return copies.size
    },
  }
}

/** The records on their way, and where each of them is. */
function createRecords({ front, ledger }: Pick<Parts, 'front' | 'ledger'>) {
  /** On their way, by calculationId. */
  const copies = new Map<string, CalculationRecord>()
  /** In the ledger, and still listed in the front's journal. */
  const landed = new Set<string>()
  const home = new LRUCache<string, true>({ max: homeMax })

  function add(record: CalculationRecord): void {
    if (copies.size < copiesMax) copies.set(record.calculationId, record)
  }

  async function store(records: readonly CalculationRecord[]): Promise<void> {
    await ledger.keepCalculations(records)
    for (const { calculationId } of records) {
      copies.delete(calculationId)
      landed.add(calculationId)
      home.set(calculationId, true)
    }
  }

  /** Where the front cannot be told now, a later pass finds them in its journal and tells it then. */
  async function tellLanded(journalled: Front): Promise<void> {
    const ids = [...landed]
    landed.clear()
    await journalled.forgetJournalled(ids)
  }

  async function findCopy(calculationId: string): Promise<CalculationRecord | null> {
    if (home.has(calculationId)) return null
    const found = copies.get(calculationId) ?? (await front?.findJournalled(calculationId)) ?? null
    if (found !== null) add(found)
    return found
  }

  return { copies, landed, add, store, tellLanded, findCopy }
}

function ignoreStoreFault(error: unknown): void {
  if (!(error instanceof StoreFault)) throw error
}
