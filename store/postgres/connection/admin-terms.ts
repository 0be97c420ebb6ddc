import type { Terms } from './sql.js'

/** Time for a look-up of internal services, in milliseconds: no POS waits for it. */
export const adminReads: Terms = { effect: 'reads', withinMs: 5_000 }

/** Time for a change of internal services, in milliseconds; publishing a large programme takes seconds. */
export const adminChanges: Terms = { effect: 'writes', withinMs: 30_000 }
