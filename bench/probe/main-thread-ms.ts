import { readFileSync } from 'node:fs'

/**
 * Processor time of this process's main thread so far, in milliseconds; null where the system does not report it. On
 * Linux the main thread has the process's own id.
 */
export function mainThreadMs(): number | null {
  try {
    const [onCpu] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
    return Number(onCpu) / 1e6
  } catch {
    return null
  }
}
