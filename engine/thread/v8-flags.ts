import { setFlagsFromString } from 'node:v8'

/**
 * Heaps of the main thread and of the pricing threads, which start later (docs/decisions/0026-set-v8-flags-at-the-start.md).
 *
 * - A heap may grow to five times what the last full collection left before the next one: V8 would take a few megabytes, which calls in
 *   flight fill in a second.
 * - Code stays compiled: V8 would drop what some full collections have found unused, and a POS would wait for it to be compiled again.
 * - Each thread collects its young generation alone. V8 would wake its helpers for every scavenge, which for so small a generation costs
 *   more than it saves: `npm run bench -- thread/price/200` shows it, with this flag and without.
 */
const heapFlags = ['--heap-growing-percent=400', '--no-flush-bytecode', '--no-parallel-scavenge']

/**
 * The V8 of Node.js 20 can compile a function so that a small whole number is read as 0. Where merged moves between
 * registers form a cycle, the move before a shift can copy 32 bits instead of 64 (`movl rdx,r10; shr rdx,32`): the result is always 0.
 * Unmerged moves cost up to some percent of a pricing.
 */
const soundFlags = process.versions.v8.startsWith('11.3.') ? ['--no-turbo-move-optimization'] : []

/** Of the whole process, before its pricing threads start. */
export function setV8Flags(): void {
  for (const flag of [...heapFlags, ...soundFlags]) setFlagsFromString(flag)
}

/** Those without which a runtime that we support reckons wrongly; for whatever prices outside the service too. */
export function setSoundFlags(): void {
  for (const flag of soundFlags) setFlagsFromString(flag)
}
