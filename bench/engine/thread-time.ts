import { readFileSync } from 'node:fs'

const nap = new Int32Array(new SharedArrayBuffer(4))

/**
 * Processor time that this thread has used, in milliseconds, without that of the compiler's and the garbage collector's own
 * threads; null where the system does not tell. A thread that naps has its time brought up to date.
 */
export function threadTimeMs(): number | null {
  if (process.platform !== 'linux') return null
  Atomics.wait(nap, 0, 0, 1)
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
}
