import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOutOfReach, type Ledger, StoreFault } from '../store/index.js'
import type { Journal } from './journal.js'

/** Pause between two reports to the other gateways, in milliseconds: so long may one of their wishes go unseen. */
const reportEveryMs = 200
/** The same while somebody waits, here or elsewhere. */
const hurriedEveryMs = 20
/** A gateway that cannot reach Redis makes a wish with every call: its next one is seen at once for so long, in milliseconds. */
const hurryMs = 1_000

/**
 * Makes sure that the ledger has everything that any living gateway has answered from Redis alone (wire decisions 6). Gateways list
 * themselves in the ledger; each looks there a few times a second whether another wishes that it flushes its copies.
 */
export interface FlushBarrier {
  /** Lists this gateway, so that others wait for it. Before the first answer. Rejects with StoreFault of the ledger. */
  start(): Promise<void>
  /**
   * Resolves once the ledger has whatever was answered from Redis before this was called. Rejects with StoreFault `busy` where that is
   * not so within the time: then nobody may conclude anything from what the ledger does not have.
   */
  pass(withinMs: number): Promise<void>
  /** Whether this gateway may answer from Redis alone: others wait for it only while the ledger says so. */
  readonly usesFront: boolean
  /** Notified when the circuit to Redis opens and closes. */
  circuitChanged(open: boolean): void
  /** After the journal's last flush; `flushed`: nothing is left to wait for. */
  stop(flushed: boolean): Promise<void>
}

interface Waiter {
  /** null: not yet told to the ledger. */
  wish: number | null
  readonly passed: () => void
  readonly failed: (fault: StoreFault) => void
}

export interface BarrierParts {
  readonly ledger: Pick<Ledger, 'meetGateways' | 'leaveGateways'>
  readonly journal: Pick<Journal, 'flushNow' | 'isIdle'>
  readonly onBug: (error: unknown) => void
}

export function createFlushBarrier({ ledger, journal, onBug }: BarrierParts): FlushBarrier {
  const gatewayId = randomUUID()
  const waiters = new Set<Waiter>()
  let circuitOpen = false
  let usesFront = false
  let flushedThrough = 0
  let flushedByOthers = 0
  let wished = 0
  let hurriedUntilMs = 0
  let flushing = false
  let pausing = new AbortController()
  let stopping = false
  let running = Promise.resolve()

  async function report(): Promise<void> {
    const asking = [...waiters].filter(({ wish }) => wish === null)
    const reported = !circuitOpen || !journal.isIdle()
    // What the ledger is about to say of this gateway counts from before it says so.
    if (!reported) usesFront = false
    const sent = { gatewayId, usesFront: reported, flushedThrough, wishes: asking.length > 0 }
    const met = await ledger.meetGateways(sent)
    usesFront = reported
    flushedByOthers = met.flushedByOthers
    for (const waiter of asking) waiter.wish = met.wished
    if (met.wished !== wished) hurriedUntilMs = performance.now() + hurryMs
    // A promoted standby may have lost wishes.
    if (met.wished < flushedThrough) flushedThrough = 0
    wished = met.wished
    settle()
    if (flushedThrough < wished && !flushing) void flush(wished)
  }

  /** Beside the reports, for a slow flush must not end the lease. */
  async function flush(through: number): Promise<void> {
    flushing = true
    try {
      await journal.flushNow()
      flushedThrough = through
      settle()
      hasten()
    } catch (error) {
      if (!(error instanceof StoreFault)) onBug(error)
    } finally {
      flushing = false
    }
  }

  function settle(): void {
    for (const waiter of waiters) {
      if (waiter.wish !== null && waiter.wish <= Math.min(flushedThrough, flushedByOthers)) waiter.passed()
    }
  }

  function hasten(): void {
    pausing.abort()
  }

  /** A ledger that is busy is asked again; one that is out of reach cannot say what it has. */
  function failed(error: unknown): void {
    if (!(error instanceof StoreFault)) onBug(error)
    if (!isOutOfReach(error)) return
    // Either store alone carries a gateway: with the ledger away it goes on with Redis, though it cannot say so.
    if (!circuitOpen) usesFront = true
    for (const waiter of waiters) waiter.failed(new StoreFault('ledger', 'busy', { cause: error }))
  }

  function pauseMs(): number {
    return waiters.size > 0 || performance.now() < hurriedUntilMs ? hurriedEveryMs : reportEveryMs
  }

  async function run(): Promise<void> {
    while (!stopping) {
      if (!pausing.signal.aborted) await sleep(pauseMs(), undefined, { signal: pausing.signal }).catch(() => {})
      pausing = new AbortController()
      await report().catch(failed)
    }
  }

  return {
    async start() {
      await report()
      running = run()
    },
    async pass(withinMs) {
      const timer = new AbortController()
      const tooLate = sleep(Math.max(0, withinMs), undefined, { signal: timer.signal })
      let waiter: Waiter | null = null
      const passing = new Promise<void>((passed, failed) => {
        waiter = { wish: null, passed, failed }
        waiters.add(waiter)
      })
      hasten()
      const ending = tooLate.then(() => {
        throw new StoreFault('ledger', 'busy')
      })
      ending.catch(() => {})
      try {
        await Promise.race([passing, ending])
      } finally {
        waiters.delete(waiter!)
        timer.abort()
      }
    },
    get usesFront() {
      return usesFront
    },
    circuitChanged(open) {
      circuitOpen = open
      hasten()
    },
    async stop(flushed) {
      stopping = true
      hasten()
      await running
      if (flushed) await ledger.leaveGateways(gatewayId).catch(failed)
    },
  }
}
