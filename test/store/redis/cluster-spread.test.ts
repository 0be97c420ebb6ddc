import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createRedisCache } from '../../../store/redis/create-redis-cache.js'
import { type ClusterNode, startRedisCluster } from '../../support/servers/start-redis-cluster.js'
import { aRecord, until } from './records.js'
import { vouchedCache } from './vouched-cache.js'

/** Baskets of as many members: each takes a token, a unit of the one hot limit and one of its member's limit, and is stored. */
const baskets = 3_000
const atOnce = 50
const slotCount = 16_384
/** Greatest share of any slot but the hot key's, and smallest share of each of three nodes: both far from chance. */
const slotShareMax = 0.03
const nodeShareMin = 0.2

const cluster = await startRedisCluster({ masters: 3 })
t.teardown(() => cluster.stop())
t.setTimeout(300_000)

t.test('a hot limit and thousands of member limits lie on all slots and all nodes', async (t) => {
  const plain = createRedisCache({ url: cluster.url, prefix: 'spread', callMs: 5_000, journalCallMs: 5_000 })
  t.teardown(() => plain.close())
  await until(
    () => plain.journalDepth().catch(() => null),
    (depth) => depth !== null,
  )
  const cache = await vouchedCache(plain)
  const seen = await Promise.all(cluster.nodes.map(watchCalls))
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

  const keys = (await Promise.all(cluster.nodes.map(keysBySlot))).flat()
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
  const one = cluster.nodes[0]!
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

/** Collects the first key of every script that runs on a node from now on. */
async function watchCalls({ direct }: ClusterNode): Promise<readonly string[]> {
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
