import type { Terms } from '../connection/sql.js'

/** Time for a change of internal services, in milliseconds; publishing a large programme takes seconds. */
export const changeTerms: Terms = { effect: 'writes', withinMs: 30_000 }
