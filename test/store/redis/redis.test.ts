import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createRedisCache } from '../../../store/redis/create-redis-cache.js'
import { bucketCount, bucketOf, createKeys } from '../../../store/redis/keys.js'
import {
  aCounter,
  anAnswer,
  aRecord,
  aWant,
  plain,
  startOperatedRedis,
  untilAnswering,
  type VouchedCache,
  vouchedCache,
} from './caches.js'

const server = await startOperatedRedis()
t.teardown(() => server.stop())

async function open(lifetimes = {}, prefix: string = randomUUID()): Promise<VouchedCache> {
  const cache = createRedisCache({ url: server.url, prefix, lifetimes, callMs: 5_000, journalCallMs: 5_000 })
  await untilAnswering(cache)
  return await vouchedCache(cache)
}

await t.test('a stored calculation never expires until it is forgotten, a counter always does', async (t) => {
  const prefix = randomUUID()
  const cache = await open({}, prefix)
  const keys = createKeys(prefix)
  const { calculationId, ...rest } = aRecord()
  await cache.keep({ calculationId, ...rest })
  t.equal(await server.direct.pttl(keys.calculation(calculationId)), -1)
  await cache.forgetJournalled([calculationId])
  const left = await server.direct.pttl(keys.calculation(calculationId))
  t.ok(left > 890_000 && left <= 900_000, `15 minutes, not ${left} ms`)

  const counter = aCounter()
  await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
  await cache.reserve(calculationId, null, [aWant(counter, 1, 10)])
  await cache.confirmHold(calculationId, [counter], 1_800_000)
  for (const key of keys.counter(counter)) {
    const life = await server.direct.pttl(key)
    t.ok(life > 50_000 && life <= 60_000, `a minute at most, not ${life} ms`)
  }
  await cache.close()
})

await t.test('a hot answer ends with its lifetime, counted from when it was stored, by any clock', async (t) => {
  const prefix = randomUUID()
  const cache = await open({}, prefix)
  const keys = createKeys(prefix)
  const minute = 60_000
  for (const [keptAgoMs, leftMs] of [
    [10 * minute, 5 * minute],
    [16 * minute, 0],
    [-30 * minute, 15 * minute],
  ] as const) {
    const { calculationId, ...rest } = aRecord()
    await cache.keep({ calculationId, ...rest })
    await server.direct.zadd(keys.journal(bucketOf(calculationId)), Date.now() - keptAgoMs, calculationId)
    await cache.forgetJournalled([calculationId])
    const left = Math.max(await server.direct.pttl(keys.calculation(calculationId)), 0)
    t.ok(left <= leftMs && left >= leftMs - 5_000, `${leftMs} ms, not ${left}`)
  }
  await cache.close()
})

await t.test('caches with different prefixes share a server and nothing else', async (t) => {
  const [left, right] = [await open(), await open()]
  const record = aRecord()
  await left.keep(record)
  t.equal(await right.findAnswer(record.calculationId), null)
  t.same(await right.journalDepth(), { entries: 0, oldestMs: 0 })
  t.same(await right.keep(record), { kind: 'kept' })
  await left.close()
  await right.close()
})

await t.test('every key begins with the prefix', async (t) => {
  await server.direct.flushall()
  const cache = await open({}, 'house')
  const counter = aCounter()
  await cache.keep(aRecord())
  await cache.remember(randomUUID(), anAnswer())
  // Slowly, so that the key is still there when it is looked for.
  await cache.takeToken({ endpoint: 'sale', rate: 0.1, burst: 100, ahead: 0 })
  await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
  await cache.reserve(randomUUID(), null, [aWant(counter, 1, 10)])
  const names = await server.direct.keys('*')
  t.equal(names.length, 6 + bucketCount, 'and what vouches for each bucket')
  t.same(
    names.filter((name) => !name.startsWith('house:')),
    [],
  )
  await cache.close()
})

await t.test(
  'requests for the partner page stay within count, bytes and lifetime, each venue for itself',
  async (t) => {
    const prefix = randomUUID()
    const cache = await open({}, prefix)
    const [own, unsigned, other] = [
      { venueId: 'a:{b}', isSigned: true },
      { venueId: 'a:{b}', isSigned: false },
      { venueId: 'a', isSigned: true },
    ]
    const bounds = { countMax: 3, bytesMax: 10_000, lifetimeMs: 60_000 }
    for (const text of ['1', '2', '3', '4']) await cache.keepRequest(own, text, bounds)
    await cache.keepRequest(unsigned, 'u', bounds)
    t.same(await cache.readRequests(own), ['4', '3', '2'])
    const [large, larger] = ['5'.repeat(7_000), '6'.repeat(12_000)]
    await cache.keepRequest(own, large, bounds)
    t.same(await cache.readRequests(own), [large, '4', '3'])
    await cache.keepRequest(own, larger, bounds)
    t.same(await cache.readRequests(own), [larger], 'whole ones, the newest')
    t.same(await cache.readRequests(unsigned), ['u'])
    t.same(await cache.readRequests(other), [])
    const life = await server.direct.pttl(createKeys(prefix).requests(own))
    t.ok(life > 50_000 && life <= 60_000, `a minute at most, not ${life} ms`)
    await cache.dropRequests(own.venueId)
    t.same([await cache.readRequests(own), await cache.readRequests(unsigned)], [[], []])
    await cache.close()
  },
)

await t.test('a server that forgets its scripts gets them again', async (t) => {
  const cache = await open()
  const record = aRecord()
  await cache.keep(record)
  await server.direct.script('FLUSH')
  t.equal((await cache.keep(record)).kind, 'known')
  await server.direct.script('FLUSH')
  const replies = await Promise.all(Array.from({ length: 100 }, () => cache.keep(aRecord())))
  t.ok(replies.every((reply) => reply.kind === 'kept'))
  await cache.close()
})

await t.test('a server that is wiped has no counter and no answer, and keeps working', async (t) => {
  const cache = await open()
  const [counter, record] = [aCounter(), aRecord()]
  await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
  await cache.reserve(record.calculationId, null, [aWant(counter, 1, 10)])
  await cache.keep(record)
  await server.direct.flushall()
  t.same(await cache.plain.findAnswer(record.calculationId), { kind: 'unvouched' })
  await cache.vouchAgain()
  t.equal((await cache.reserve(record.calculationId, null, [aWant(counter, 1, 10)])).kind, 'unknown')
  await cache.confirmHold(record.calculationId, [counter], 1_000)
  await cache.giveBack(record.calculationId, [counter])
  await cache.forgetJournalled([record.calculationId])
  t.equal(await cache.findAnswer(record.calculationId), null)
  t.equal(await cache.findJournalled(record.calculationId), null)
  t.same(await cache.readJournal(10, 0), [])
  t.same(await cache.keep(record), { kind: 'kept' })
  await cache.close()
})

await t.test('a journal entry without its record does not wait forever', async (t) => {
  const prefix = randomUUID()
  const cache = await open({}, prefix)
  const [evicted, stays] = [aRecord(), aRecord()]
  await cache.keep(evicted)
  await cache.keep(stays)
  await server.direct.del(createKeys(prefix).calculation(evicted.calculationId))
  t.same((await cache.readJournal(10, 0)).map(plain), [plain(stays)])
  t.equal((await cache.journalDepth()).entries, 1)
  await cache.close()
})

await t.test('a record in a format of a later build is left in the journal for it', async (t) => {
  const prefix = randomUUID()
  const cache = await open({}, prefix)
  const [later, own] = [aRecord(), aRecord()]
  await cache.keep(later)
  await cache.keep(own)
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, 13]), Buffer.from('calculation 2')])
  await server.direct.hset(createKeys(prefix).calculation(later.calculationId), 'record', bytes)
  t.same((await cache.readJournal(10, 0)).map(plain), [plain(own)])
  t.equal(await cache.findJournalled(later.calculationId), null)
  t.equal((await cache.journalDepth()).entries, 2)
  await cache.close()
})

await t.test('a record stored by a clock in front of this one does not wait until then', async (t) => {
  const prefix = randomUUID()
  const cache = await open({}, prefix)
  const record = aRecord({ calculationId: '00000000-0000-4000-8000-000000000000' })
  await cache.keep(record)
  await cache.keep(aRecord({ calculationId: '00000000-0000-4000-8000-000000000040' }))
  await server.direct.zadd(createKeys(prefix).journal(0), Date.now() + 3_600_000, record.calculationId)
  t.same((await cache.readJournal(10, 60_000)).map(plain), [plain(record)])
  t.equal((await cache.readJournal(10, 0)).length, 2)
  await cache.forgetJournalled(['00000000-0000-4000-8000-000000000040'])
  t.same(await cache.journalDepth(), { entries: 1, oldestMs: 0 })
  await cache.close()
})

await t.test('a clock set back closes the bucket for no longer than it takes to fill', async (t) => {
  const prefix = randomUUID()
  const cache = await open({}, prefix)
  await server.direct.set(createKeys(prefix).tokens(), String((Date.now() + 3_600_000) * 1_000))
  t.same(await cache.takeToken({ endpoint: 'basket', rate: 1, burst: 10, ahead: 0 }), { taken: false, retryAfterS: 1 })
  await cache.close()
})

await t.test('an invalid URL or prefix is refused at once, and no password is printed', async (t) => {
  for (const url of [
    '',
    'localhost:6379',
    'http://localhost',
    'redis://',
    'redis://:secret@',
    'redis://a,',
    'redis://u:secret@a:99999',
  ]) {
    try {
      await createRedisCache({ url }).close()
      t.fail(`taken: ${url}`)
    } catch (error) {
      t.type(error, RangeError)
      t.notMatch(String(error), 'secret')
    }
  }
  t.throws(() => createRedisCache({ url: server.url, prefix: 'a{b}' }), RangeError)
})
