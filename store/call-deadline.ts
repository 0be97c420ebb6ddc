import { AsyncLocalStorage } from 'node:async_hooks'
import { StoreFault } from './fault.js'

const deadline = new AsyncLocalStorage<number>()

/** From `untilMs` on (`performance.now()`) ledger calls of this work on the admin connections are abandoned. */
export function withinDeadline<T>(untilMs: number, work: () => T): T {
  return deadline.run(untilMs, work)
}

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
