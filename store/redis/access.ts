import type { Client } from './client.js'
import type { Keys } from './keys.js'

export interface CacheAccess {
  readonly client: Client
  readonly keys: Keys
  readonly lifetimes: CacheLifetimes
  readonly callMs: number
  readonly journalCallMs: number
}

/** Lifetimes of entries, in milliseconds. Each bounds how long the cache may be wrong. */
export interface CacheLifetimes {
  /** An answer that the ledger has too: a POS repeats a call within seconds, and seldom after minutes. */
  readonly answerMs: number
  /** An unconfirmed hold: longer than any deadline, short enough that a killed gateway's units are soon free. */
  readonly holdMs: number
  /** A counter, from its loading on, whatever happens to it: after that it is loaded from the ledger again. */
  readonly counterMs: number
}

export const cacheLifetimes: CacheLifetimes = { answerMs: 15 * 60_000, holdMs: 5_000, counterMs: 60_000 }

/** Time for one call on the path of a basket, in milliseconds: a small part of its deadline (wire decisions 6). */
export const callMs = 75

/** Time for one call of the journal, in milliseconds: it carries many records, and no request waits for it. */
export const journalCallMs = 2_000
