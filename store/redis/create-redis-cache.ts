import type { Cache } from '../cache.js'
import { createAnswers } from './answers.js'
import type { CacheParts } from './cache-parts.js'
import { type Client, createClient } from './client.js'
import { createCounters } from './counters.js'
import { createJournal } from './journal.js'
import { createKeys } from './keys.js'
import { type CacheLifetimes, cacheLifetimes, callMs, journalCallMs } from './lifetimes.js'
import { createRate } from './rate.js'
import { createServer } from './server.js'
import { createVouching } from './vouching.js'

export interface CacheOptions {
  /** `redis://` or `rediss://`; several, comma-separated, are nodes of one cluster. Redis 7 or newer, noeviction. */
  readonly url: string
  /** Begins every key; sets apart environments, or tests, that share a server. Without braces. Default `loyalty`. */
  readonly prefix?: string
  /** Default `callMs`. */
  readonly callMs?: number
  /** Default `journalCallMs`. */
  readonly journalCallMs?: number
  /** Default `cacheLifetimes`. `answerMs` should not pass the time for which answers are stored at all (LOYALTY_IDEMPOTENCY_S). */
  readonly lifetimes?: Partial<CacheLifetimes>
  /** Receives why the connection is away, at every attempt: for the log. */
  readonly onError?: (error: Error) => void
  /** Notified of keys that were dropped, for what they held was not ours. */
  readonly onGarbage?: (keys: readonly string[]) => void
}

/**
 * The cache on Redis. It connects in the background, at once and again and again; until a connection is there every call
 * rejects with StoreFault `unreachable`. Throws RangeError where `url` or `prefix` is unfit.
 */
export function createRedisCache(options: CacheOptions): Cache {
  const keys = createKeys(options.prefix ?? 'loyalty')
  const connected = createClient(options.url, options.onError ?? (() => {}))
  const client: Client = {
    ...connected,
    onGarbage: options.onGarbage ?? (() => {}),
  }
  const parts: CacheParts = {
    client,
    keys,
    lifetimes: { ...cacheLifetimes, ...options.lifetimes },
    callMs: options.callMs ?? callMs,
    journalCallMs: options.journalCallMs ?? journalCallMs,
  }
  return {
    ...createRate(parts),
    ...createAnswers(parts),
    ...createCounters(parts),
    ...createJournal(parts),
    ...createVouching(parts),
    ...createServer({ client: connected, callMs: parts.callMs }),
    async ping() {
      await client.send('ping', [], parts.callMs)
    },
    async close() {
      client.close()
    },
  }
}
