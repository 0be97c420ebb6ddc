import { setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Heap flags of the main thread and of pricing threads started later
 * (docs/decisions.md).
 *
 * - heap-growing-percent: the heap may grow to five times its size after the last full collection. V8's default is a
 *   few megabytes, which calls in flight fill in a second.
 * - no-flush-bytecode: V8 drops unused code after some full collections, and a POS would wait for its compilation.
 * - no-parallel-scavenge: waking helper threads costs more than it saves for so small a young generation (`npm run
 *   bench -- thread/price/200` with and without the flag).
 */
const heapFlags = ['--heap-growing-percent=400', '--no-flush-bytecode', '--no-parallel-scavenge']

/**
 * The V8 of Node.js 20 can compile a function so that a small integer is read as 0. Where merged register moves form a
 * cycle, the move before a shift can copy 32 bits instead of 64 (`movl rdx,r10; shr rdx,32`), so that the result is
 * always 0. Unmerged moves slow pricing by a few percent at most.
 */
const soundFlags = process.versions.v8.startsWith('11.3.') ? ['--no-turbo-move-optimization'] : []

export function setV8Flags(): void {
  for (const flag of [...heapFlags, ...soundFlags]) setFlagsFromString(flag)
}

export function setSoundFlags(): void {
  for (const flag of soundFlags) setFlagsFromString(flag)
}

/** Collects all garbage of this thread: some 60 ms for 150 MB. Node.js has no other way to ask for it. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

const lowest = 19

/** Gives the calling thread the lowest priority. Only on Linux: elsewhere the priority would be the whole process's. */
export function runInBackground(): void {
  if (process.platform === 'linux') setPriority(lowest)
}
