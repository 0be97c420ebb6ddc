import type { CounterName } from '../engine/core/outcome.js'

/**
 * What internal services look into, beside the path of baskets and sales: on connections of its own, so that a slow list holds
 * up no till. Every method rejects with `StoreFault` when the ledger cannot answer; lists read `limit` rows behind `after`.
 */
export interface Inspection {
  /** Counters from which something was taken, by limit, subject and period, ascending by their bytes. */
  listCounters(filter: CounterFilter, rows: Rows<readonly [string, string, string]>): Promise<readonly CounterState[]>
  /** null: nobody has taken from it yet. */
  findCounter(name: CounterName): Promise<CounterState | null>
  /** What open calculations hold of a counter, the first to expire first. */
  findHolds(name: CounterName, limit: number): Promise<readonly Hold[]>
}

/** Which rows of a list: the cursor of the last one that was seen, null at the beginning, and how many at most. */
export interface Rows<Cursor> {
  readonly after: Cursor | null
  readonly limit: number
}

/** Empty: any. */
export interface CounterFilter {
  readonly limitId: string
  readonly subject: string
  readonly period: string
}

/** A counter as the ledger knows it now, expired reservations already taken off `open`. Times in milliseconds since the epoch. */
export interface CounterState extends CounterName {
  /** As the last calculation that took from it knew it. */
  readonly maximum: number
  readonly used: number
  readonly late: number
  readonly open: number
  /** null: nothing is open. */
  readonly nextExpiryAt: number | null
  readonly lastExpiryAt: number | null
}

export interface Hold {
  readonly calculationId: string
  readonly units: number
  readonly expiresAt: number
}
