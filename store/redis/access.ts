import type { Client } from './client.js'
import type { Keys } from './keys.js'

/** Shared by the calls of the cache. */
export interface CacheAccess {
  readonly client: Client
  readonly keys: Keys
  readonly lifetimes: CacheLifetimes
  readonly callMs: number
  readonly journalCallMs: number
}

/** How long things live in the cache, in milliseconds. Every one is a bound on how long the cache may be wrong. */
export interface CacheLifetimes {
  /** An answer that the ledger holds too stays hot so long: POS callers repeat a call within seconds, and seldom after minutes. */
  readonly answerMs: number
  /** A hold that nobody confirms: longer than any deadline, short enough that a killed gateway's units are soon free. */
  readonly holdMs: number
  /** A counter, from its loading on, whatever happens to it: after that the ledger is asked anew. */
  readonly counterMs: number
}

export const cacheLifetimes: CacheLifetimes = { answerMs: 15 * 60_000, holdMs: 5_000, counterMs: 60_000 }

/** Time for one call on the path of a basket, in milliseconds: a small part of its deadline (wire decisions 6). */
export const callMs = 75

/** Time for one call of the journal's, in milliseconds: it carries many records and nobody waits for it. */
export const journalCallMs = 2_000
