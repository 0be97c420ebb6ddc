import { randomBytes, randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import type { Cache } from '../../../store/cache.js'
import { createRedisCache } from '../../../store/redis/create-redis-cache.js'
import { bucketOf, createKeys } from '../../../store/redis/keys.js'
import { aCounter, anAnswer, aRecord, aWant, plain, startOperatedRedis, untilAnswering, vouchForAll } from './caches.js'

const server = await startOperatedRedis()
t.teardown(() => server.stop())
const { direct } = server

/** Foreign values under a key of ours: other types, and hashes with foreign fields. */
const garbage: Record<string, (key: string) => Promise<unknown>> = {
  'a text': (key) => direct.set(key, 'hello'),
  'random bytes': (key) => direct.set(key, randomBytes(300)),
  'an empty text': (key) => direct.set(key, ''),
  'a number': (key) => direct.set(key, '1e400'),
  'no number': (key) => direct.set(key, 'nan'),
  'a list': (key) => direct.rpush(key, 'a', 'b'),
  'a set': (key) => direct.sadd(key, 'a'),
  'a stream': (key) => direct.xadd(key, '*', 'a', 'b'),
  'a sorted set of others': (key) => direct.zadd(key, 1, 'no-uuid', 2, randomUUID(), 3, '', 4, 'zz'),
  'a hash of others': (key) => direct.hset(key, 'name', 'value', '', ''),
  'a hash with our fields': (key) =>
    direct.hset(key, {
      ...{ answer: 'x', record: 'y', claims: 'z' },
      ...{ used: 'a', open: 'b', held: 'c' },
    }),
  'a hash with numbers': (key) => direct.hset(key, { claims: '1.5', used: '1', open: '-inf', held: 'nan', answer: '' }),
  'a hash with lengths of nothing': (key) =>
    direct.hset(key, 'answer', Buffer.from([0xff, 0xff, 0xff, 0xff, 1]), 'record', Buffer.alloc(8)),
}

const aVenue = { venueId: 'venue', isSigned: true }

async function open(t: Test, prefix: string) {
  const dropped: string[] = []
  const onGarbage = (keys: readonly string[]) => void dropped.push(...keys)
  const cache = createRedisCache({ url: server.url, prefix, callMs: 5_000, journalCallMs: 5_000, onGarbage })
  t.teardown(() => cache.close())
  await untilAnswering(cache)
  return { cache, dropped, marks: await vouchForAll(cache), keys: createKeys(prefix) }
}

/** Every call of the cache that touches a calculation, its counter or the tokens. */
async function everyCall(cache: Cache, marks: readonly string[], calculationId: string) {
  const counter = aCounter('limit')
  const record = aRecord({ calculationId })
  await cache.takeToken({ endpoint: 'basket', rate: 50, burst: 100, ahead: 0 })
  await cache.readRequests(aVenue)
  await cache.keepRequest(aVenue, 'request', { countMax: 2, bytesMax: 100, lifetimeMs: 1_000 })
  await cache.survey('nonce')
  await cache.findAnswer(calculationId, marks)
  await cache.findJournalled(calculationId)
  await cache.keep(record, marks)
  await cache.claim(calculationId)
  await cache.release(calculationId)
  await cache.reserve(calculationId, randomUUID(), [aWant(counter, 1, 10)])
  await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
  await cache.confirmHold(calculationId, [counter], 1_000)
  await cache.giveBack(calculationId, [counter])
  await cache.readJournal(10, 0)
  await cache.readJournal(10, 1)
  await cache.journalDepth()
  await cache.forgetJournalled([calculationId])
  await cache.remember(calculationId, anAnswer())
  await cache.correct(calculationId, anAnswer())
  await cache.forgetCounters([counter])
}

for (const [name, put] of Object.entries(garbage)) {
  t.test(`${name} under any key of ours is dropped, and every call continues`, async (t) => {
    const { cache, keys, marks } = await open(t, randomUUID())
    const calculationId = randomUUID()
    const bucket = bucketOf(calculationId)
    const [counter, holds] = keys.counter(aCounter('limit'))
    const all = [
      keys.calculation(calculationId),
      keys.journal(bucket),
      keys.vouched(bucket),
      counter,
      holds,
      keys.tokens(),
      keys.requests(aVenue),
    ]
    for (const key of all) {
      await direct.del(key)
      await put(key)
      await t.resolves(everyCall(cache, marks, calculationId), key.replace(/^[^:]*/, ''))
    }
    const now = await vouchForAll(cache)
    const record = aRecord()
    t.same(await cache.keep(record, now), { kind: 'kept' }, 'and everything works after it')
    t.same((await cache.readJournal(10, 0)).map(plain), [plain(record)])
  })
}

t.test('two foreign values under the keys of one call are dropped in turn', async (t) => {
  const { cache, keys } = await open(t, randomUUID())
  const name = aCounter('limit')
  const [counter, holds] = keys.counter(name)
  await direct.hset(counter!, { used: '1', open: '0', held: 'c' })
  await direct.set(holds!, 'hello')
  t.same((await cache.reserve(randomUUID(), null, [aWant(name, 1, 10)])).kind, 'unknown')
})

t.test('where the journal was overwritten nothing is stored without it', async (t) => {
  const { cache, keys, marks } = await open(t, randomUUID())
  const record = aRecord()
  await direct.set(keys.journal(bucketOf(record.calculationId)), 'text')
  t.same(await cache.keep(record, marks), { kind: 'unvouched' })
  t.same(await cache.keep(record, await vouchForAll(cache)), { kind: 'kept' })
})

t.test('a key whose answer was overwritten is decided by the ledger alone', async (t) => {
  const { cache, keys, marks, dropped } = await open(t, randomUUID())
  const spoil: Record<string, (redis: Redis, key: string) => Promise<unknown>> = {
    cut: async (redis, key) => redis.hset(key, 'answer', (await redis.hgetBuffer(key, 'answer'))!.subarray(0, 100)),
    changed: (redis, key) => redis.hset(key, 'answer', randomBytes(2_000)),
    'of another': async (redis, key) => {
      const other = aRecord()
      await cache.keep(other, await vouchForAll(cache))
      await redis.hset(key, 'answer', (await redis.hgetBuffer(keys.calculation(other.calculationId), 'answer'))!)
    },
    replaced: async (redis, key) => {
      await redis.del(key)
      await redis.set(key, 'text')
    },
  }
  t.ok(marks.length)
  for (const [name, how] of Object.entries(spoil)) {
    const current = await vouchForAll(cache)
    const record = aRecord()
    const key = keys.calculation(record.calculationId)
    await cache.keep(record, current)
    await how(direct, key)
    t.same(await cache.findAnswer(record.calculationId, current), { kind: 'unvouched' }, name)
    t.same(await cache.keep(record, current), { kind: 'unvouched' }, `${name}: nothing is decided without the ledger`)
    t.ok(dropped.includes(key))
  }
})

t.test('a broken record in the journal does not stop those after it', async (t) => {
  const { cache, keys, marks } = await open(t, randomUUID())
  const records = Array.from({ length: 6 }, () => aRecord())
  for (const record of records) await cache.keep(record, marks)
  const [cut, foreign, text, ...whole] = records
  await direct.hset(keys.calculation(cut!.calculationId), 'record', randomBytes(40))
  await direct.hset(keys.calculation(foreign!.calculationId), 'answer', 'x')
  await direct.del(keys.calculation(text!.calculationId))
  await direct.set(keys.calculation(text!.calculationId), 'text')
  await direct.zadd(keys.journal(7), 0, 'no-uuid', 1, randomUUID().slice(0, -2).concat('06'))
  await cache.readJournal(10, 0)
  const left = await cache.readJournal(10, 0)
  t.same(left.map(({ calculationId }) => calculationId).sort(), whole.map(({ calculationId }) => calculationId).sort())
  t.equal((await cache.journalDepth()).entries, whole.length)
})
