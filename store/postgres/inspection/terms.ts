import type { Terms } from '../connection/sql.js'

/** Time for a look of internal services, in milliseconds: nobody waits at a POS for it. */
export const inspectTerms: Terms = { effect: 'reads', withinMs: 5_000 }
