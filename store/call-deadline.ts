import { AsyncLocalStorage } from 'node:async_hooks'

const deadline = new AsyncLocalStorage<number>()

/**
 * Runs the work of a call whose client waits until `untilMs` (by `performance.now()`): what it asks of the ledger on connections of
 * internal services is given up then, for nobody would read the answer.
 */
export function withinDeadline<T>(untilMs: number, work: () => T): T {
  return deadline.run(untilMs, work)
}

/** How long the ledger has for this call, at most `withinMs`, in milliseconds; 0 or less: the deadline is over. */
export function callTime(withinMs: number): number {
  return Math.min(withinMs, (deadline.getStore() ?? Number.POSITIVE_INFINITY) - performance.now())
}
