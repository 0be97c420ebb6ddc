import { readFileSync } from 'node:fs'

const nap = new Int32Array(new SharedArrayBuffer(4))

/**
 * Processor time of this thread in milliseconds, without V8's helper threads; null where the system does not report it.
 * A short sleep makes the kernel update the value.
 */
export function threadTimeMs(): number | null {
  if (process.platform !== 'linux') return null
  Atomics.wait(nap, 0, 0, 1)
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
}
