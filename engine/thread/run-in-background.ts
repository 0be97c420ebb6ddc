import { setPriority } from 'node:os'

/** The lowest thread priority of the system. */
const lowest = 19

/** Gives the calling thread the lowest priority. Only on Linux: elsewhere the priority would be the whole process's. */
export function runInBackground(): void {
  if (process.platform === 'linux') setPriority(lowest)
}
