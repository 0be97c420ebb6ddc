import { StoreFault } from './fault.js'

/**
 * Settles as `work` does, or rejects with a StoreFault `timeout` once `ms` milliseconds have passed. What comes later than
 * that is dropped, a rejection too.
 */
export function withinTime<T>(store: StoreFault['store'], ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // One more turn of the event loop: a reply that arrived while this process was busy is there already, and in time.
    const timer = setTimeout(() => setImmediate(() => reject(new StoreFault(store, 'timeout'))), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
