import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { FaultCase, Stage } from '../run-case.js'
import { publishAgainAndAgain, raisedMaxima } from './programme-cases.js'

/** Time between two losses, in milliseconds: longer than a flush, so that most calls find a memory that is vouched for. */
const betweenMs = 350

/** Redis loses what Postgres does not have yet, or holds foreign values. A key never gets two different 200s. */
export const lostMemoryCases: readonly FaultCase[] = [
  {
    id: 'F8c',
    title: 'Redis emptied within the flush, while gateways notice a new programme at different moments',
    maxima: { greatest: raisedMaxima, last: raisedMaxima },
    async run(stage) {
      const losing = new AbortController()
      const [missed] = await Promise.all([
        publishAgainAndAgain(stage).finally(() => losing.abort()),
        repeatedly(losing.signal, () => stage.world.redisCommand('flushall')),
      ])
      return missed
    },
  },
  {
    id: 'F8d',
    title: 'garbage of ten kinds under keys of ours',
    run: putGarbage,
  },
]

async function repeatedly(stopping: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!stopping.aborted) {
    await work()
    await sleep(betweenMs)
  }
}

const kinds: readonly ((redis: Redis, key: string) => Promise<unknown>)[] = [
  (redis, key) => redis.set(key, 'hello'),
  (redis, key) => redis.set(key, randomBytes(300)),
  (redis, key) => redis.set(key, ''),
  (redis, key) => redis.rpush(key, 'a'),
  (redis, key) => redis.sadd(key, 'a'),
  (redis, key) => redis.xadd(key, '*', 'a', 'b'),
  (redis, key) => redis.zadd(key, 1, 'no-uuid', 2, 'zz'),
  (redis, key) => redis.hset(key, 'a', 'b'),
  (redis, key) => redis.hset(key, { answer: 'x', record: 'y', claims: 'z', used: 'a', open: 'b', held: 'c' }),
  (redis, key) => redis.hset(key, 'answer', Buffer.alloc(60, 255), 'record', Buffer.alloc(8)),
]

/** Overwrites a share of all keys repeatedly, the youngest included. */
async function putGarbage({ world, dice, full }: Stage): Promise<readonly string[]> {
  const redis = new Redis(world.redis.port, '127.0.0.1')
  let spoiled = 0
  try {
    for (let round = full ? 40 : 10; round > 0; round -= 1) {
      for (const key of await redis.keys('*')) {
        if (!dice.chance(0.2)) continue
        if (dice.chance(0.7)) await redis.del(key)
        // A wrong type at an existing key makes the same error.
        await dice
          .pick(kinds)(redis, key)
          .catch(() => {})
        spoiled += 1
      }
      await sleep(betweenMs)
    }
    return spoiled > 100 ? [] : [`more than 100 keys are spoiled, there were ${spoiled}`]
  } finally {
    redis.disconnect()
  }
}
