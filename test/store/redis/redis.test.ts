import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createFront } from '../../../store/redis/create-redis-cache.js'
import { bucketCount, bucketOf, createKeys } from '../../../store/redis/keys.js'
import { frontContract } from './contract.js'
import { startOperatedRedis } from './operated-redis.js'
import { aCounter, anAnswer, aRecord, aWant, plain, untilAnswering } from './records.js'
import { type VouchedFront, vouchedFront } from './vouched-cache.js'

const server = await startOperatedRedis()
t.teardown(() => server.stop())

async function open(lifetimes = {}, prefix: string = randomUUID()): Promise<VouchedFront> {
  const front = createFront({ url: server.url, prefix, lifetimes, callMs: 5_000, journalCallMs: 5_000 })
  await untilAnswering(front)
  return await vouchedFront(front)
}

await t.test('a front on Redis', (t) => frontContract(t, open))

await t.test('a kept calculation has no end until it is forgotten, and a counter has one from the start', async (t) => {
  const prefix = randomUUID()
  const front = await open({}, prefix)
  const keys = createKeys(prefix)
  const { calculationId, ...rest } = aRecord()
  await front.keep({ calculationId, ...rest })
  t.equal(await server.direct.pttl(keys.calculation(calculationId)), -1)
  await front.forgetJournalled([calculationId])
  const left = await server.direct.pttl(keys.calculation(calculationId))
  t.ok(left > 890_000 && left <= 900_000, `15 minutes, not ${left} ms`)

  const counter = aCounter()
  await front.loadCounters([{ ...counter, used: 0, open: 0 }])
  await front.reserve(calculationId, null, [aWant(counter, 1, 10)])
  await front.confirmHold(calculationId, [counter], 1_800_000)
  for (const key of keys.counter(counter)) {
    const life = await server.direct.pttl(key)
    t.ok(life > 50_000 && life <= 60_000, `a minute at most, not ${life} ms`)
  }
  await front.close()
})

await t.test('a hot answer ends when its lifetime does, counted from its keeping, by whatever clock', async (t) => {
  const prefix = randomUUID()
  const front = await open({}, prefix)
  const keys = createKeys(prefix)
  const minute = 60_000
  for (const [keptAgoMs, leftMs] of [
    [10 * minute, 5 * minute],
    [16 * minute, 0],
    [-30 * minute, 15 * minute],
  ] as const) {
    const { calculationId, ...rest } = aRecord()
    await front.keep({ calculationId, ...rest })
    await server.direct.zadd(keys.journal(bucketOf(calculationId)), Date.now() - keptAgoMs, calculationId)
    await front.forgetJournalled([calculationId])
    const left = Math.max(await server.direct.pttl(keys.calculation(calculationId)), 0)
    t.ok(left <= leftMs && left >= leftMs - 5_000, `${leftMs} ms, not ${left}`)
  }
  await front.close()
})

await t.test('fronts with different prefixes share a server and nothing else', async (t) => {
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
  const front = await open({}, 'house')
  const counter = aCounter()
  await front.keep(aRecord())
  await front.remember(randomUUID(), anAnswer())
  await front.takeToken('sale', 50, 100)
  await front.loadCounters([{ ...counter, used: 0, open: 0 }])
  await front.reserve(randomUUID(), null, [aWant(counter, 1, 10)])
  const names = await server.direct.keys('*')
  t.equal(names.length, 6 + bucketCount, 'and what vouches for each bucket')
  t.same(
    names.filter((name) => !name.startsWith('house:')),
    [],
  )
  await front.close()
})

await t.test('a server that forgets its scripts is told them again', async (t) => {
  const front = await open()
  const record = aRecord()
  await front.keep(record)
  await server.direct.script('FLUSH')
  t.equal((await front.keep(record)).kind, 'known')
  await server.direct.script('FLUSH')
  const replies = await Promise.all(Array.from({ length: 100 }, () => front.keep(aRecord())))
  t.ok(replies.every((reply) => reply.kind === 'kept'))
  await front.close()
})

await t.test('a server that is wiped knows no counter and no answer, and works on', async (t) => {
  const front = await open()
  const [counter, record] = [aCounter(), aRecord()]
  await front.loadCounters([{ ...counter, used: 0, open: 0 }])
  await front.reserve(record.calculationId, null, [aWant(counter, 1, 10)])
  await front.keep(record)
  await server.direct.flushall()
  t.same(await front.plain.findAnswer(record.calculationId), { kind: 'unvouched' })
  await front.vouchAgain()
  t.equal((await front.reserve(record.calculationId, null, [aWant(counter, 1, 10)])).kind, 'unknown')
  await front.confirmHold(record.calculationId, [counter], 1_000)
  await front.giveBack(record.calculationId, [counter])
  await front.forgetJournalled([record.calculationId])
  t.equal(await front.findAnswer(record.calculationId), null)
  t.equal(await front.findJournalled(record.calculationId), null)
  t.same(await front.readJournal(10, 0), [])
  t.same(await front.keep(record), { kind: 'kept' })
  await front.close()
})

await t.test('a journal entry whose record is gone does not wait for ever', async (t) => {
  const prefix = randomUUID()
  const front = await open({}, prefix)
  const [evicted, stays] = [aRecord(), aRecord()]
  await front.keep(evicted)
  await front.keep(stays)
  await server.direct.del(createKeys(prefix).calculation(evicted.calculationId))
  t.same((await front.readJournal(10, 0)).map(plain), [plain(stays)])
  t.equal((await front.journalDepth()).entries, 1)
  await front.close()
})

await t.test('a record in a form of a later build is left in the journal for it', async (t) => {
  const prefix = randomUUID()
  const front = await open({}, prefix)
  const [later, own] = [aRecord(), aRecord()]
  await front.keep(later)
  await front.keep(own)
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, 13]), Buffer.from('calculation 2')])
  await server.direct.hset(createKeys(prefix).calculation(later.calculationId), 'record', bytes)
  t.same((await front.readJournal(10, 0)).map(plain), [plain(own)])
  t.equal(await front.findJournalled(later.calculationId), null)
  t.equal((await front.journalDepth()).entries, 2)
  await front.close()
})

await t.test('what was kept by a clock ahead of this one does not wait until then', async (t) => {
  const prefix = randomUUID()
  const front = await open({}, prefix)
  const record = aRecord({ calculationId: '00000000-0000-4000-8000-000000000000' })
  await front.keep(record)
  await front.keep(aRecord({ calculationId: '00000000-0000-4000-8000-000000000040' }))
  await server.direct.zadd(createKeys(prefix).journal(0), Date.now() + 3_600_000, record.calculationId)
  t.same((await front.readJournal(10, 60_000)).map(plain), [plain(record)])
  t.equal((await front.readJournal(10, 0)).length, 2)
  await front.forgetJournalled(['00000000-0000-4000-8000-000000000040'])
  t.same(await front.journalDepth(), { entries: 1, oldestMs: 0 })
  await front.close()
})

await t.test('a clock set back shuts the bucket for no longer than it takes to fill', async (t) => {
  const prefix = randomUUID()
  const front = await open({}, prefix)
  await server.direct.set(createKeys(prefix).tokens(), String((Date.now() + 3_600_000) * 1_000))
  t.same(await front.takeToken('basket', 1, 10), { taken: false, retryAfterS: 1 })
  await front.close()
})

await t.test('a URL or prefix that cannot be is refused at once, and no password is told', async (t) => {
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
      await createFront({ url }).close()
      t.fail(`taken: ${url}`)
    } catch (error) {
      t.type(error, RangeError)
      t.notMatch(String(error), 'secret')
    }
  }
  t.throws(() => createFront({ url: server.url, prefix: 'a{b}' }), RangeError)
})
