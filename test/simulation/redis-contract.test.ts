import t from 'tap'
import { createAnswers } from '../../store/redis/answers.js'
import type { Client } from '../../store/redis/client.js'
import { createCounters } from '../../store/redis/counters.js'
import { faultFromError } from '../../store/redis/faults.js'
import { createJournal } from '../../store/redis/journal.js'
import { createKeys } from '../../store/redis/keys.js'
import { type CacheLifetimes, cacheLifetimes } from '../../store/redis/lifetimes.js'
import { createRate } from '../../store/redis/rate.js'
import { createVouching } from '../../store/redis/vouching.js'
import { cacheContract } from '../store/redis/contract.js'
import { type VouchedCache, vouchedCache } from '../store/redis/vouched-cache.js'
import { createRedisServer } from './redis-server.js'

/** The simulated Redis in real time, over a connection on which nothing is lost. */
async function open(lifetimes: Partial<CacheLifetimes> = {}): Promise<VouchedCache> {
  const time = {
    get nowMs() {
      return performance.now()
    },
  }
  const server = createRedisServer(time, () => {})
  const client: Client = {
    async send(command, args) {
      const result = server.execute(command, args)
      if ('reply' in result) return asSent(result.reply)
      throw faultFromError(Object.assign(new Error(result.error), { name: 'ReplyError' }))
    },
    close: () => {},
  }
  const parts = {
    client,
    keys: createKeys('contract'),
    lifetimes: { ...cacheLifetimes, ...lifetimes },
    callMs: 5_000,
    journalCallMs: 5_000,
  }
  return await vouchedCache({
    ...createRate(parts),
    ...createAnswers(parts),
    ...createCounters(parts),
    ...createJournal(parts),
    ...createVouching(parts),
    describe: async () => ({ version: 'simulated', bytes: 0, bytesMax: 0, evictionPolicy: null }),
    ping: async () => {},
    close: async () => {},
  })
}

/** Strings arrive as bytes. */
function asSent(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(asSent)
  return typeof reply === 'string' ? Buffer.from(reply) : reply
}

await t.test('the simulated Redis does as a cache promises', (t) =>
  // The rate limit takes no part in the simulation.
  cacheContract(t, open, ['tokens']),
)
