import type { Client } from './client.js'
import type { Keys } from './keys.js'

export interface CacheAccess {
  readonly client: Client
  readonly keys: Keys
  readonly lifetimes: CacheLifetimes
  readonly callMs: number
  readonly journalCallMs: number
}

export interface CacheLifetimes {
  readonly answerMs: number
  /** An unconfirmed hold: longer than any deadline, short enough that a killed gateway's units are soon free. */
  readonly holdMs: number
  readonly counterMs: number
}

export const cacheLifetimes: CacheLifetimes = { answerMs: 15 * 60_000, holdMs: 5_000, counterMs: 60_000 }

export const callMs = 75

export const journalCallMs = 2_000
