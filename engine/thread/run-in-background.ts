import { setPriority } from 'node:os'

/** The lowest priority that the system gives a thread. */
const lowest = 19

/**
 * Gives the calling thread the lowest priority, so that it takes the processor from no POS call. On Linux alone a thread has a priority of its own;
 * elsewhere the whole process would lose its.
 */
export function runInBackground(): void {
  if (process.platform === 'linux') setPriority(lowest)
}
