import { AsyncLocalStorage } from 'node:async_hooks'
import { StoreFault } from './fault.js'

const deadline = new AsyncLocalStorage<number>()

/**
 * Runs the work of a call whose client waits until `untilMs` (by `performance.now()`): then its ledger calls on the admin connections
 * are abandoned.
 */
export function withinDeadline<T>(untilMs: number, work: () => T): T {
  return deadline.run(untilMs, work)
}

/** How long the ledger has for this call, at most `withinMs`, in milliseconds; 0 or less: the deadline is over. */
export function callTime(withinMs: number): number {
  return Math.min(withinMs, (deadline.getStore() ?? Number.POSITIVE_INFINITY) - performance.now())
}

export function withinTime<T>(store: StoreFault['store'], ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // One more turn of the event loop: a reply that arrived while this process was busy is there already, and in time.
    const timer = setTimeout(() => setImmediate(() => reject(new StoreFault(store, 'timeout'))), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
