import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { StoreFault } from '../../../store/fault.js'
import { createRedisCache } from '../../../store/redis/create-redis-cache.js'
import { startRedisCluster } from '../../support/servers/start-redis-cluster.js'
import { cacheContract } from './contract.js'
import { aCounter, aRecord, until, untilAnswering } from './records.js'
import { vouchedCache } from './vouched-cache.js'

const cluster = await startRedisCluster({ masters: 3 })
const { nodes, url } = cluster
t.teardown(() => cluster.stop())

async function open(lifetimes = {}) {
  const cache = createRedisCache({ url, prefix: randomUUID(), lifetimes, callMs: 5_000, journalCallMs: 5_000 })
  // Every bucket is called, so that every node is connected.
  await until(
    () => cache.journalDepth().catch(() => null),
    (depth) => depth !== null,
  )
  return await vouchedCache(cache)
}

await t.test('a cache on a Redis cluster', (t) => cacheContract(t, open))

await t.test('calculations and counters lie on every node', async (t) => {
  const cache = await open()
  await Promise.all(Array.from({ length: 200 }, () => cache.keep(aRecord())))
  await cache.loadCounters(Array.from({ length: 50 }, () => ({ ...aCounter(), used: 0, open: 0 })))
  for (const node of nodes) {
    const names = await node.direct.keys('*')
    t.ok(names.some((name) => name.endsWith(':journal')))
    t.ok(names.some((name) => name.endsWith(':counter')))
  }
  await cache.close()
})

await t.test('the policy of one master that may evict keys is that of the cluster', async (t) => {
  const cache = await open()
  t.match(await cache.describe(), { version: /^\d+\.\d+/, evictionPolicy: null })
  for (const node of nodes) {
    await node.direct.config('SET', 'maxmemory-policy', 'allkeys-lfu')
    t.match(await cache.describe(), { evictionPolicy: 'allkeys-lfu' })
    await node.direct.config('SET', 'maxmemory-policy', 'noeviction')
  }
  await cache.close()
})

await t.test('one URL of a cluster node suffices where every key is there, and the rest is out of reach', async (t) => {
  const plain = createRedisCache({ url: nodes[0]!.url, prefix: randomUUID(), callMs: 5_000 })
  await untilAnswering(plain)
  const cache = await vouchedCache(plain)
  const kinds = await Promise.all(
    Array.from({ length: 100 }, () =>
      cache.keep(aRecord()).then(
        ({ kind }) => kind,
        (fault: StoreFault) => fault.kind,
      ),
    ),
  )
  t.same(new Set(kinds), new Set(['kept', 'unreachable']))
  await cache.close()
})

await t.test('slots that move under load lose no key, and calls continue', async (t) => {
  const cache = await open()
  const [from, to] = nodes
  const records = Array.from({ length: 200 }, () => aRecord())
  for (const record of records) await cache.keep(record)
  let moving = true
  const kinds = new Set<string>()
  const calls = Array.from({ length: 4 }, async () => {
    // A slot is out of reach while a busy machine takes long to move it.
    while (moving) kinds.add(await kindOf(cache.keep(aRecord())))
  })
  await cluster.moveSlots(from!, to!, 300)
  moving = false
  await Promise.all(calls)
  t.ok(kinds.delete('kept'))
  kinds.delete('unreachable')
  t.same(kinds, new Set())
  for (const record of records) t.equal((await cache.keep(record)).kind, 'known')
  await cache.close()
})

await t.test('a dead node takes only its own buckets out of reach', async (t) => {
  for (const { direct } of nodes) await direct.config('SET', 'cluster-require-full-coverage', 'no')
  const cache = await open()
  const records = Array.from({ length: 100 }, () => aRecord())
  await Promise.all(records.map((record) => cache.keep(record)))
  await nodes[2]!.kill()

  const kinds = await until(
    () =>
      Promise.all(
        records.map((record) =>
          cache.keep(record).then(
            ({ kind }) => kind,
            (fault: StoreFault) => fault.kind,
          ),
        ),
      ),
    (kinds) => kinds.includes('known') && kinds.includes('unreachable'),
  )
  t.same(new Set(kinds), new Set(['known', 'unreachable']))
  const alive = records.filter((_, index) => kinds[index] === 'known').map(({ calculationId }) => calculationId)
  const read = (await cache.readJournal(1_000, 0)).map(({ calculationId }) => calculationId)
  t.same(new Set(read), new Set(alive))
  await cache.forgetJournalled(read)
  await t.rejects(cache.journalDepth(), { name: 'StoreFault', message: 'cache: unreachable' })

  await nodes[2]!.restart()
  const depth = await until(
    () => cache.journalDepth().catch(() => null),
    (depth) => depth !== null,
  )
  t.equal(depth?.entries, 0, 'it has come back empty')
  await cache.close()
})

function kindOf(reply: Promise<{ readonly kind: string }>): Promise<string> {
  return reply.then(
    ({ kind }) => kind,
    (fault: StoreFault) => fault.kind,
  )
}
