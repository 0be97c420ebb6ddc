import { readFileSync } from 'node:fs'

/**
 * Processor time of this process's main thread so far, in milliseconds; null where the system does not tell. Linux counts it in
 * nanoseconds, and the main thread has the process's own number.
 */
export function mainThreadMs(): number | null {
  try {
    const [onCpu] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
    return Number(onCpu) / 1e6
  } catch {
    return null
  }
}
