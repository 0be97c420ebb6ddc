/** Idempotency keys that make the faulty worker fail while it works on the batch that holds them. */
export const dieKey = 'die'
export const loopKey = 'loop'
