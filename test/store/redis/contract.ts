import type { Test } from 'tap'
import { answers, tokens } from './contract-answers.js'
import { claims } from './contract-claims.js'
import { counters, loading } from './contract-counters.js'
import { holds } from './contract-holds.js'
import { journal } from './contract-journal.js'
import type { OpenCache, Suite } from './contract-suite.js'

const suites: readonly Suite[] = [tokens, answers, claims, journal, counters, holds, loading]

/** What every cache promises, whatever it is made of. */
export async function cacheContract(t: Test, openCache: OpenCache): Promise<void> {
  for (const suite of suites) {
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
