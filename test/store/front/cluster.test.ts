import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { StoreFault } from '../../../store/index.js'
import { createFront } from '../../../store/redis/create-front.js'
import { freePort } from '../../servers/child-server.js'
import { frontContract } from './contract.js'
import { type OperatedRedis, startOperatedRedis } from './operated-redis.js'
import { aCounter, aRecord, until, untilAnswering } from './records.js'

const slots = 16_384

const nodes = await startCluster(3)
t.teardown(() => Promise.all(nodes.map((node) => node.stop())))
const url = nodes.map((node) => node.url).join(',')

async function open(lifetimes = {}) {
  const front = createFront({ url, prefix: randomUUID(), lifetimes, callMs: 5_000, journalCallMs: 5_000 })
  // Every bucket is asked, so every node is connected.
  await until(
    () => front.journalDepth().catch(() => null),
    (depth) => depth !== null,
  )
  return front
}

await t.test('a front on a Redis cluster', (t) => frontContract(t, open))

await t.test('calculations and counters lie on every node', async (t) => {
  const front = await open()
  await Promise.all(Array.from({ length: 200 }, () => front.keep(aRecord())))
  await front.loadCounters(Array.from({ length: 50 }, () => ({ ...aCounter(), used: 0, open: 0 })))
  for (const node of nodes) {
    const names = await node.direct.keys('*')
    t.ok(names.some((name) => name.endsWith(':journal')))
    t.ok(names.some((name) => name.endsWith(':counter')))
  }
  await front.close()
})

await t.test(
  'one URL of a cluster node is enough where every key is there, and the rest is out of reach',
  async (t) => {
    const front = createFront({ url: nodes[0]!.url, prefix: randomUUID(), callMs: 5_000 })
    await untilAnswering(front)
    const kinds = await Promise.all(
      Array.from({ length: 100 }, () =>
        front.keep(aRecord()).then(
          ({ kind }) => kind,
          (fault: StoreFault) => fault.kind,
        ),
      ),
    )
    t.same(new Set(kinds), new Set(['kept', 'unreachable']))
    await front.close()
  },
)

await t.test('a node that dies takes its buckets along, and the others go on', async (t) => {
  for (const { direct } of nodes) await direct.config('SET', 'cluster-require-full-coverage', 'no')
  const front = await open()
  const records = Array.from({ length: 100 }, () => aRecord())
  await Promise.all(records.map((record) => front.keep(record)))
  await nodes[2]!.kill()

  const kinds = await until(
    () =>
      Promise.all(
        records.map((record) =>
          front.keep(record).then(
            ({ kind }) => kind,
            (fault: StoreFault) => fault.kind,
          ),
        ),
      ),
    (kinds) => kinds.includes('known') && kinds.includes('unreachable'),
  )
  t.same(new Set(kinds), new Set(['known', 'unreachable']))
  const alive = records.filter((_, index) => kinds[index] === 'known').map(({ calculationId }) => calculationId)
  const read = (await front.readJournal(1_000, 0)).map(({ calculationId }) => calculationId)
  t.same(new Set(read), new Set(alive))
  await front.forgetJournalled(read)
  await t.rejects(front.journalDepth(), { name: 'StoreFault', message: 'front: unreachable' })

  await nodes[2]!.restart()
  const depth = await until(
    () => front.journalDepth().catch(() => null),
    (depth) => depth !== null,
  )
  t.equal(depth?.entries, 0, 'it has come back empty')
  await front.close()
})

/** A cluster of masters that share the slots, tied by hand: as soon as every node sees all slots served, it is up. */
async function startCluster(size: number): Promise<readonly OperatedRedis[]> {
  const cluster = await Promise.all(
    Array.from({ length: size }, async () => {
      const bus = await freePort()
      const settings = { 'cluster-enabled': 'yes', 'cluster-port': String(bus), 'cluster-node-timeout': '15000' }
      return { server: await startOperatedRedis(settings), bus }
    }),
  )
  const [first] = cluster
  for (const [index, { server }] of cluster.entries()) {
    const bounds = [index, index + 1].map((edge) => Math.floor((edge * slots) / size))
    await server.direct.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
    await server.direct.call('CLUSTER', 'ADDSLOTSRANGE', bounds[0]!, bounds[1]! - 1)
    await server.direct.call('CLUSTER', 'MEET', '127.0.0.1', first!.server.port, first!.bus)
  }
  for (const { server } of cluster) {
    await until(
      () => server.direct.call('CLUSTER', 'INFO') as Promise<string>,
      (text) => text.includes('cluster_state:ok'),
    )
  }
  return cluster.map(({ server }) => server)
}
