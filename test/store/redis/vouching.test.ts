import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import t, { type Test } from 'tap'
import type { Cache } from '../../../store/cache.js'
import { createRedisCache } from '../../../store/redis/create-redis-cache.js'
import { isNotPermitted } from '../../../store/redis/faults.js'
import { createKeys } from '../../../store/redis/keys.js'
import { startRedis } from '../../support/servers/start-redis.js'
import { aRecord, type OperatedRedis, plain, startOperatedRedis, until, untilAnswering, vouchForAll } from './caches.js'

const prefix = 'vouching'

async function aServer(t: Test): Promise<OperatedRedis> {
  const server = await startOperatedRedis()
  t.teardown(() => server.stop())
  return server
}

async function open(t: Test, url: string): Promise<Cache> {
  const cache = createRedisCache({ url, prefix, callMs: 5_000, journalCallMs: 5_000 })
  t.teardown(() => cache.close())
  await untilAnswering(cache)
  return cache
}

/** The replies of all decisions about a key. */
async function decisions(cache: Cache, marks: readonly string[]): Promise<readonly unknown[]> {
  const record = aRecord()
  const { calculationId } = record
  const replies = [
    await cache.findAnswer(calculationId, marks),
    await cache.findJournalled(calculationId),
    await cache.keep(record, marks),
    await cache.claim(randomUUID()),
  ]
  return replies.map((reply) => (reply !== null && 'kind' in reply ? reply.kind : 'none'))
}

const unvouched = ['unvouched', 'unvouched', 'unvouched', 'unvouched']

t.test('an empty memory decides nothing until it is vouched for', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server.url)
  t.same(await decisions(cache, []), unvouched)
  t.equal(await server.direct.dbsize(), 0, 'and nothing is changed')
  const marks = await vouchForAll(cache)
  t.same(await decisions(cache, marks), ['unknown', 'none', 'kept', 'claimed'])
})

t.test('a reader without a mark never gets "unknown" for a key', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server.url)
  await vouchForAll(cache)
  const { calculationId } = aRecord()
  t.same(await cache.findAnswer(calculationId, []), { kind: 'unvouched' })
  t.same(await cache.findAnswer(calculationId), { kind: 'unknown' })
})

t.test('every loss of memory also loses the vouching marks', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server.url)
  const losses: Record<string, () => Promise<unknown>> = {
    emptied: () => server.direct.flushall(),
    async 'restarted with an older memory'() {
      await server.direct.save()
      await cache.keep(aRecord(), marks)
      await server.kill()
      await server.restart()
      await untilAnswering(cache)
    },
    async 'restarted with all of it, which nobody can know'() {
      await server.direct.save()
      await server.kill()
      await server.restart()
      await untilAnswering(cache)
    },
    async 'the mark evicted'() {
      await server.direct.del((await server.direct.keys('*:vouched')).sort())
    },
  }
  let marks: readonly string[] = []
  for (const [name, lose] of Object.entries(losses)) {
    marks = await vouchForAll(cache)
    t.same(await decisions(cache, marks), ['unknown', 'none', 'kept', 'claimed'], `before: ${name}`)
    await lose()
    t.same(await decisions(cache, marks), unvouched, name)
  }
})

t.test('a replica that takes over is not vouched for', async (t) => {
  const master = await aServer(t)
  const cache = await open(t, master.url)
  const marks = await vouchForAll(cache)
  const replica = await startRedis({ settings: { replicaof: `127.0.0.1 ${master.port}` } })
  t.teardown(async () => {
    await replica.stop()
    await rm(replica.folder, { recursive: true, force: true })
  })
  const other = await open(t, replica.url)
  const vouched = () => other.findAnswer(randomUUID()).catch(() => null)
  t.same(await until(vouched, (reply) => reply?.kind === 'unvouched'), { kind: 'unvouched' })
  t.same((await other.findAnswer(randomUUID(), marks)).kind, 'unvouched')
})

t.test('a mark from before a loss decides nothing after it, though others have vouched again', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server.url)
  const before = await vouchForAll(cache)
  await server.direct.flushall()
  const now = await vouchForAll(cache)
  const record = aRecord()
  t.same(await cache.keep(record, before), { kind: 'unvouched' })
  t.same(await cache.findAnswer(record.calculationId, before), { kind: 'unvouched' })
  t.same(await cache.keep(record, now), { kind: 'kept' })
  t.equal((await cache.keep(record, before)).kind, 'known', 'what is there is there')
})

t.test('a loss between survey and vouch is noticed', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server.url)
  const found = await cache.survey('one')
  t.equal(found.length, 64)
  t.ok(found.every(({ vouched }) => !vouched))
  await server.direct.flushall()
  t.same(await cache.vouch(found), [])
  await cache.survey('two')
  t.same(await cache.vouch(found), [], 'nor over the mark of another')
})

t.test('two gateways that vouch at once agree', async (t) => {
  const server = await aServer(t)
  const [left, right] = [await open(t, server.url), await open(t, server.url)]
  const [byLeft, byRight] = [await left.survey('left'), await right.survey('right')]
  t.same(byRight, byLeft, 'on the first mark')
  const vouched = await Promise.all([left.vouch(byLeft), right.vouch(byRight)])
  t.same(vouched[0], vouched[1])
  t.equal(vouched[0].length, 64)
})

t.test('a correction replaces the answer, and ends journal entry and claims', async (t) => {
  const server = await aServer(t)
  const cache = await open(t, server.url)
  const marks = await vouchForAll(cache)
  const [record, other] = [aRecord(), aRecord()]
  await cache.keep(record, marks)
  await cache.correct(record.calculationId, other)
  const found = await cache.findAnswer(record.calculationId)
  t.same(found.kind === 'known' && plain(found.answer), plain({ digest: other.digest, packed: other.packed }))
  t.equal((await cache.journalDepth()).entries, 0)
  await cache.correct(record.calculationId, null)
  t.same(await cache.findAnswer(record.calculationId), { kind: 'unknown' })
  const left = await server.direct.keys(`${createKeys(prefix).calculation(record.calculationId)}*`)
  t.same(left, [])
})

t.test('a user without permission for the scripts finds Redis out of reach, with the reason', async (t) => {
  const server = await aServer(t)
  await server.direct.call('acl', 'setuser', 'plain', 'on', '>secret', '~*', '+@all', '-@dangerous')
  await vouchForAll(await open(t, server.url))
  const cache = await open(t, server.url.replace('redis://', 'redis://plain:secret@'))
  const record = aRecord()
  const calls: readonly (() => Promise<unknown>)[] = [
    () => cache.survey('nonce'),
    () => cache.findAnswer(record.calculationId, []),
    () => cache.findJournalled(record.calculationId),
    () => cache.keep(record, []),
    () => cache.claim(record.calculationId),
  ]
  for (const call of calls) {
    const fault: unknown = await call().catch((error: unknown) => error)
    t.match(fault, { store: 'cache', kind: 'unreachable' })
    t.ok(isNotPermitted((fault as Error).cause))
  }
})
