import type { Test } from 'tap'
import type { CacheLifetimes } from '../../../store/redis/lifetimes.js'
import { answers, tokens } from './contract-answers.js'
import { claims } from './contract-claims.js'
import { counters, loading } from './contract-counters.js'
import { holds } from './contract-holds.js'
import { journal } from './contract-journal.js'
import type { VouchedCache } from './vouched-cache.js'

/** Opens an empty cache; the suite closes it. */
export type OpenCache = (lifetimes?: Partial<CacheLifetimes>) => Promise<VouchedCache>

/** A group of promises; its name is that of its function. */
export type Suite = (t: Test, open: OpenCache) => Promise<void>

/** The promises of every implementation of the cache. */
export async function cacheContract(t: Test, openCache: OpenCache): Promise<void> {
  for (const suite of [tokens, answers, claims, journal, counters, holds, loading]) {
    await t.test(suite.name, async (t) => {
      const open: OpenCache = async (lifetimes) => {
        const cache = await openCache(lifetimes)
        t.teardown(() => cache.close())
        return cache
      }
      await suite(t, open)
    })
  }
}
