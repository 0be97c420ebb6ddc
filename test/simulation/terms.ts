import type { Mistake } from './mistakes.js'

/** What the functions of the ledger need beside their arguments. */
export interface Terms {
  /** The server's clock, milliseconds since the epoch. */
  readonly nowMs: () => number
  readonly planted: ReadonlySet<Mistake>
}
