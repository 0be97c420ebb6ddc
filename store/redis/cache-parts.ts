import type { Client } from './client.js'
import type { Keys } from './keys.js'
import type { CacheLifetimes } from './lifetimes.js'

/** What the verbs of the cache are made of. */
export interface CacheParts {
  readonly client: Client
  readonly keys: Keys
  readonly lifetimes: CacheLifetimes
  readonly callMs: number
  readonly journalCallMs: number
}
