import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { StoreFault } from '../../../store/fault.js'
import { createRedisCache } from '../../../store/redis/create-redis-cache.js'
import { type ClusterNode, startRedisCluster } from '../../support/servers/start-redis-cluster.js'
import { aCounter, aRecord, until, untilAnswering, vouchedCache } from './caches.js'
import { answers, claims, journal, tokens } from './contract-answers.js'
import { counters, holds, loading } from './contract-counters.js'

t.setTimeout(300_000)

/** Baskets of as many members: each takes a token, a unit of the one hot limit and one of its member's limit, and is stored. */
const baskets = 1_500
const atOnce = 50
const slotCount = 16_384
/** Greatest share of any slot but the hot key's, and smallest share of each of three nodes: both far from chance. */
const slotShareMax = 0.03
const nodeShareMin = 0.2

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

// The contract of every cache: on a cluster, where a script that touches keys of two slots fails.
for (const suite of [tokens, answers, claims, journal, counters, holds, loading]) {
  await t.test(suite.name, (t) =>
    suite(t, async (lifetimes) => {
      const cache = await open(lifetimes)
      t.teardown(() => cache.close())
      return cache
    }),
  )
}

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

await t.test('a hot limit and thousands of member limits lie on all slots and all nodes', async (t) => {
  const cache = await open()
  t.teardown(() => cache.close())
  const seen = await Promise.all(nodes.map((node) => watchCalls(t, node)))
  const members = Array.from({ length: baskets }, (_, at) => at)
  const strand = async () => {
    for (let at = members.shift(); at !== undefined; at = members.shift()) await sell(at)
  }
  async function sell(member: number): Promise<void> {
    const hot = { limitId: 'hot', subject: '', period: '' }
    const own = { limitId: 'own', subject: `member-${member}`, period: '2026-11-21' }
    const calculationId = randomUUID()
    await cache.takeToken({ endpoint: 'basket', rate: 1_000_000, burst: 1_000_000, ahead: 0 })
    await cache.loadCounters([hot, own].map((name) => ({ ...name, used: 0, open: 0 })))
    const wants = [hot, own].map((name) => ({ ...name, units: 1, maximum: 1_000_000 }))
    t.same(await cache.reserve(calculationId, null, wants), { kind: 'reserved' })
    await cache.keep(aRecord({ calculationId }))
  }
  await Promise.all(Array.from({ length: atOnce }, strand))

  const keys = (await Promise.all(nodes.map(keysBySlot))).flat()
  const keyCount = keys.reduce((sum, { count }) => sum + count, 0)
  const fullest = Math.max(...keys.map(({ count }) => count))
  t.ok(keyCount > 3 * baskets, `${keyCount} keys`)
  t.ok(fullest < slotShareMax * keyCount, `${fullest} of ${keyCount} keys in the fullest of ${keys.length} slots`)
  t.ok(keys.length > baskets / 2, `${keys.length} slots hold keys`)

  const all = seen.flat().length
  const isHot = (key: string) => key.includes('{hot:') || key.endsWith(':tokens')
  const perNode = seen.map((calls) => calls.filter((key) => !isHot(key)).length)
  const spread = perNode.reduce((sum, count) => sum + count, 0)
  for (const count of perNode) t.ok(count > nodeShareMin * spread, `${count} of ${spread} calls on one node`)
  const one = nodes[0]!
  const slots = await slotsOf(one, [...new Set(seen.flat())])
  const busy = new Map<number, number>()
  for (const key of seen.flat()) busy.set(slots.get(key)!, (busy.get(slots.get(key)!) ?? 0) + 1)
  const [hottest, token, ...others] = [...busy.values()].sort((left, right) => right - left)
  t.comment(
    `calls a slot: ${hottest}, ${token}, then ${others[0]} of ${all}; calls a node without those two: ${perNode.join(', ')}`,
  )
  t.ok(hottest! <= 2.2 * baskets, 'the one hot limit: two calls a basket here')
  t.ok(token! <= 1.2 * baskets, 'the rate limit: one')
  t.ok(others[0]! < slotShareMax * all, `${others[0]} of ${all} calls in the busiest slot besides`)
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

/** Collects the first key of every script that runs on a node until the test ends. */
async function watchCalls(t: Test, { direct }: ClusterNode): Promise<readonly string[]> {
  const keys: string[] = []
  const monitor = await direct.monitor()
  t.teardown(() => monitor.disconnect())
  monitor.on('monitor', (_time: string, [command, , , key]: string[], source: string) => {
    if (/^eval/i.test(command ?? '') && source !== 'lua') keys.push(key!)
  })
  return keys
}

async function keysBySlot({ direct }: ClusterNode): Promise<readonly { slot: number; count: number }[]> {
  const pipeline = direct.pipeline()
  for (let slot = 0; slot < slotCount; slot += 1) pipeline.call('CLUSTER', 'COUNTKEYSINSLOT', slot)
  const replies = (await pipeline.exec())!
  return replies.map(([, count], slot) => ({ slot, count: Number(count) })).filter(({ count }) => count > 0)
}

async function slotsOf({ direct }: ClusterNode, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const pipeline = direct.pipeline()
  for (const key of keys) pipeline.call('CLUSTER', 'KEYSLOT', key)
  const replies = (await pipeline.exec())!
  return new Map(keys.map((key, at) => [key, Number(replies[at]![1])]))
}
