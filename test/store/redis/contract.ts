import type { Test } from 'tap'
import type { FrontLifetimes } from '../../../store/redis/lifetimes.js'
import { answers, tokens } from './contract-answers.js'
import { claims } from './contract-claims.js'
import { counters, loading } from './contract-counters.js'
import { holds } from './contract-holds.js'
import { journal } from './contract-journal.js'
import type { VouchedFront } from './vouched-cache.js'

/** Opens a front with nothing in it; the suite closes it. */
export type OpenFront = (lifetimes?: Partial<FrontLifetimes>) => Promise<VouchedFront>

/** A group of promises; its name is that of its function. */
export type Suite = (t: Test, open: OpenFront) => Promise<void>

/** What every front promises, whatever it is made of. */
export async function frontContract(t: Test, openFront: OpenFront): Promise<void> {
  for (const suite of [tokens, answers, claims, journal, counters, holds, loading]) {
    await t.test(suite.name, async (t) => {
      const open: OpenFront = async (lifetimes) => {
        const front = await openFront(lifetimes)
        t.teardown(() => front.close())
        return front
      }
      await suite(t, open)
    })
  }
}
