/** Idempotency keys that make the faulty worker fail while it works on the batch that holds them. */
export const dieKey = 'die'
export const loopKey = 'loop'
/** Stands still as if the whole process were stopped, a little longer than `standMs`. */
export const standKey = 'stand'
export const standMs = 5_000

/** Keeps the thread that calls it from doing anything for so long. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms)
}
