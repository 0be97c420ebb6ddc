import { setFlagsFromString } from 'node:v8'

/**
 * How V8 keeps the heaps of the main thread and of the pricing threads, which start later; `docs/decisions.md` says what it is worth.
 *
 * - A heap may grow to five times what the last full collection left before the next one: V8 would take a few megabytes, which calls in
 *   flight fill in a second.
 * - Code stays compiled: V8 would drop what some full collections have found unused, and a till would wait for it to be compiled again.
 * - Each thread collects its young generation alone. V8 would wake its helpers for every scavenge, which for so small a generation costs
 *   more than it saves: `npm run bench -- thread/price/200` shows it, with this flag and without.
 */
const heapFlags = ['--heap-growing-percent=400', '--no-flush-bytecode', '--no-parallel-scavenge']

/** Of the whole process, before its pricing threads start. */
export function setHeapFlags(): void {
  for (const flag of heapFlags) setFlagsFromString(flag)
}
