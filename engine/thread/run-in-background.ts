import { setPriority } from 'node:os'

const lowest = 19

/** Gives the calling thread the lowest priority. Only on Linux: elsewhere the priority would be the whole process's. */
export function runInBackground(): void {
  if (process.platform === 'linux') setPriority(lowest)
}
