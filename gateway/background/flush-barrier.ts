import { setTimeout as sleep } from 'node:timers/promises'
import { ignoreStoreFault, isOutOfReach, StoreFault } from '../../store/fault.js'
import type { PosLedger } from '../../store/ledger.js'
import type { Journal } from './journal.js'

/** Pause between two reports to the other gateways, in milliseconds: the longest time until one of their flush requests is seen. */
const reportEveryMs = 200
/** The same while calls wait, here or elsewhere. */
const hurriedEveryMs = 20
/** After a new request, this gateway reports at the shorter interval for this time, in milliseconds. */
const hurryMs = 1_000
/** Without a use of Redis for so long, in milliseconds, a gateway reports once that others need not wait for it, and then no more. */
const idleAfterMs = 5_000
/** The longest wait of an idle gateway's first call for its report, in milliseconds: then the ledger decides without Redis. */
const returnMs = 100
/** Longest pause of a timer. */
const longestMs = 2 ** 31 - 1

/**
 * Makes sure that the ledger has everything that any living gateway has answered only from Redis (wire decisions 6). Gateways list
 * themselves in the ledger; each reads there a few times a second whether another one requests that it flushes its copies.
 */
export interface FlushBarrier {
  /** Lists this gateway, so that others wait for it. Before the first answer. Rejects with StoreFault of the ledger. */
  start(): Promise<void>
  /**
   * Resolves once the ledger has every answer given from Redis before this call. Rejects with StoreFault `busy` after the time: then a
   * record missing in the ledger proves nothing.
   */
  pass(withinMs: number): Promise<void>
  /** True when this gateway may answer only from Redis: others wait for it only while the ledger says so. */
  readonly usesCache: boolean
  /** Runs a call that may answer from Redis; an idle gateway first lists itself again. */
  use<T>(work: () => Promise<T>): Promise<T>
  /** Notified when the circuit to Redis opens and closes. */
  circuitChanged(open: boolean): void
  /** After the journal's last flush; `flushed`: no copies are left. */
  stop(flushed: boolean): Promise<void>
}

export interface BarrierParts {
  readonly gatewayId: string
  readonly posLedger: Pick<PosLedger, 'gateways'>
  readonly journal: Pick<Journal, 'flushNow' | 'isIdle'>
  readonly onBug: (error: unknown) => void
}

export function createFlushBarrier({ gatewayId, posLedger, journal, onBug }: BarrierParts): FlushBarrier {
  const waiters = createWaiters()
  const uses = createUses()
  const pace = createPace()
  const own = createOwnFlush({ journal, onBug }, () => {
    settle()
    pace.hasten()
  })
  let flushedByOthers = 0
  const ours = { circuitOpen: false, usesCache: false, othersWait: true, stopping: false }
  let wished = 0
  let running = Promise.resolve()
  const settle = () => waiters.settle(Math.min(own.through, flushedByOthers))

  async function report(): Promise<void> {
    const asking = waiters.unasked()
    const usesCache = (!ours.circuitOpen && !uses.isIdle()) || !journal.isIdle()
    // If this gateway is about to report that it does not use Redis, it stops using Redis before the report.
    if (!usesCache) ours.usesCache = false
    const sent = { gatewayId, usesCache, flushedThrough: own.through, wishes: asking.length > 0 }
    const met = await posLedger.gateways.meet(sent)
    ours.usesCache = ours.othersWait = usesCache
    if (usesCache) uses.goOn()
    flushedByOthers = met.flushedByOthers
    for (const waiter of asking) waiter.wish = met.wished
    if (met.wished !== wished) pace.hurry()
    wished = met.wished
    own.follow(wished)
    settle()
  }

  /** A busy ledger is asked again; one that is out of reach cannot say what it has. */
  function failed(error: unknown): void {
    if (!(error instanceof StoreFault)) onBug(error)
    uses.goOn()
    if (!isOutOfReach(error)) return
    // A gateway can work with one store: while the ledger is out of reach it uses Redis, although it cannot report this.
    if (!ours.circuitOpen) ours.usesCache = true
    waiters.fail(error)
  }

  async function run(): Promise<void> {
    while (!ours.stopping) {
      await pace.pause(waiters.count > 0, uses.isIdle() && !ours.othersWait && !ours.usesCache)
      await report().catch(failed)
    }
  }

  return {
    async start() {
      await report()
      running = run()
    },
    pass: (withinMs) => waiters.wait(withinMs, pace.hasten),
    get usesCache() {
      return ours.usesCache
    },
    use: (work) => uses.run(work, ours.usesCache || ours.circuitOpen ? null : pace.hasten),
    circuitChanged(open) {
      ours.circuitOpen = open
      pace.hasten()
    },
    async stop(isFlushed) {
      ours.stopping = true
      pace.hasten()
      await running
      if (isFlushed) await posLedger.gateways.leave(gatewayId).catch(failed)
    },
  }
}

/** Writes this gateway's own answers, one flush at a time. Apart from the reports, because a slow flush must not end the lease. */
function createOwnFlush({ journal, onBug }: Pick<BarrierParts, 'journal' | 'onBug'>, done: () => void) {
  let through = 0
  let running = false

  async function flush(wish: number): Promise<void> {
    try {
      await journal.flushNow()
      through = wish
      done()
    } catch (error) {
      if (!(error instanceof StoreFault)) onBug(error)
    } finally {
      running = false
    }
  }

  return {
    get through() {
      return through
    },
    follow(wished: number): void {
      // A promoted standby may have lost requests.
      if (wished < through) through = 0
      if (through === wished || running) return
      running = true
      void flush(wished)
    },
  }
}

/** Calls that may answer from Redis. */
function createUses() {
  let running = 0
  let endedAtMs = performance.now()
  const waiting = new Set<() => void>()
  return {
    isIdle: () => running === 0 && performance.now() - endedAtMs >= idleAfterMs,
    /** @param arrive  null: begins at once; else called first, and `goOn` waited for */
    async run<T>(work: () => Promise<T>, arrive: (() => void) | null): Promise<T> {
      running += 1
      try {
        arrive?.()
        if (arrive !== null)
          await within(returnMs, new Promise<void>((goOn) => waiting.add(goOn))).catch(ignoreStoreFault)
        return await work()
      } finally {
        running -= 1
        endedAtMs = performance.now()
      }
    },
    goOn(): void {
      for (const goOn of waiting) goOn()
      waiting.clear()
    },
  }
}

interface Waiter {
  /** null: not yet in the ledger. */
  wish: number | null
  readonly passed: () => void
  readonly failed: (fault: StoreFault) => void
}

/** Calls that wait until every gateway has written its earlier answers. */
function createWaiters() {
  const waiters = new Set<Waiter>()
  return {
    get count() {
      return waiters.size
    },
    unasked: (): readonly Waiter[] => [...waiters].filter(({ wish }) => wish === null),
    settle(through: number): void {
      for (const { wish, passed } of waiters) if (wish !== null && wish <= through) passed()
    },
    fail(cause: StoreFault): void {
      for (const { failed } of waiters) failed(new StoreFault('ledger', 'busy', { cause }))
    },
    async wait(withinMs: number, hasten: () => void): Promise<void> {
      let mine: Waiter | null = null
      const passing = new Promise<void>((passed, failed) => {
        mine = { wish: null, passed, failed }
        waiters.add(mine)
      })
      hasten()
      try {
        await within(withinMs, passing)
      } finally {
        waiters.delete(mine!)
      }
    },
  }
}

/** Pauses that end early after `hasten`, during or before them. */
function createPace() {
  let ending = new AbortController()
  let hurriedUntilMs = 0
  return {
    async pause(hasWaiters: boolean, isIdle: boolean): Promise<void> {
      const isHurried = hasWaiters || performance.now() < hurriedUntilMs
      const ms = isHurried ? hurriedEveryMs : isIdle ? longestMs : reportEveryMs
      if (!ending.signal.aborted) await sleep(ms, undefined, { signal: ending.signal }).catch(() => {})
      ending = new AbortController()
    },
    hasten: () => ending.abort(),
    hurry(): void {
      hurriedUntilMs = performance.now() + hurryMs
    },
  }
}

/** Settles as `work` does, or rejects with a StoreFault `busy` of the ledger once the time is over; `work` goes on. */
export async function within(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const tooLate = sleep(Math.max(0, ms), undefined, { signal: timer.signal }).then(() => {
    throw new StoreFault('ledger', 'busy')
  })
  tooLate.catch(() => {})
  work.catch(() => {})
  try {
    await Promise.race([work, tooLate])
  } finally {
    timer.abort()
  }
}
