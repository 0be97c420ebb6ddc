/** Idempotency keys that make the faulty worker fail on their batch. */
export const dieKey = 'die'
export const loopKey = 'loop'
/** Blocks as if the whole process were stopped, a little longer than `standMs`. */
export const standKey = 'stand'
export const standMs = 5_000

/** Blocks the calling thread. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms)
}
