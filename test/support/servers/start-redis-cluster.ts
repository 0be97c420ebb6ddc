import { Redis } from 'ioredis'
import { freePort } from '../free-port.js'
import { until } from '../until.js'
import { type RedisServer, startRedis } from './start-redis.js'

const slotCount = 16_384
/** Keys moved by one command while a slot changes its master. */
const migratedMax = 100
const migrateMs = 5_000
/** How long the operator waits for a node, in milliseconds. */
const operatorMs = 10_000

/** A node, and a plain connection to operate it. */
export interface ClusterNode extends RedisServer {
  /** Its id in the cluster. */
  readonly id: string
  readonly direct: Redis
}

/** A node's current role, as it reports it. */
export interface NodeRole {
  readonly node: ClusterNode
  readonly isMaster: boolean
  /** null for a master. */
  readonly masterId: string | null
  /** Ranges of slots, both ends included. */
  readonly slots: readonly (readonly [first: number, last: number])[]
}

/** A test's own Redis Cluster: masters that share the slots evenly, and replicas of each. */
export interface RedisCluster {
  /** URLs of all nodes, comma-separated. */
  readonly url: string
  readonly nodes: readonly ClusterNode[]
  /** Roles of the nodes that answer. */
  roles(): Promise<readonly NodeRole[]>
  /** Moves this many slots with their keys between masters, one after the other, as `redis-cli --cluster reshard` does. */
  moveSlots(from: ClusterNode, to: ClusterNode, count: number): Promise<void>
  /** Resolves when every node that runs sees every slot served. */
  untilWhole(): Promise<void>
  stop(): Promise<void>
}

export interface ClusterOptions {
  readonly masters: number
  /** Replicas for each master. */
  readonly replicas?: number
  /** Silence after which a node counts as failing, in milliseconds. */
  readonly nodeTimeoutMs?: number
}

export async function startRedisCluster({
  masters,
  replicas = 0,
  nodeTimeoutMs = 15_000,
}: ClusterOptions): Promise<RedisCluster> {
  const started = await Promise.all(Array.from({ length: masters * (1 + replicas) }, () => startNode(nodeTimeoutMs)))
  const nodes = started.map(({ node }) => node)
  await tie(started, masters)
  const cluster: RedisCluster = {
    url: nodes.map((node) => node.url).join(','),
    nodes,
    roles: async () => (await Promise.all(nodes.map(roleOf))).filter((role) => role !== null),
    moveSlots: (from, to, count) => moveSlots({ nodes, from, to, count }),
    untilWhole: () => untilWhole(nodes),
    async stop() {
      for (const { direct } of nodes) direct.disconnect()
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
  await attachReplicas(nodes, masters)
  await cluster.untilWhole()
  return cluster
}

interface Started {
  readonly node: ClusterNode
  readonly bus: number
}

async function startNode(nodeTimeoutMs: number): Promise<Started> {
  const bus = await freePort()
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-port': String(bus),
    'cluster-node-timeout': String(nodeTimeoutMs),
  }
  const server = await startRedis({ settings })
  const direct = new Redis(server.port, '127.0.0.1', {
    retryStrategy: () => 50,
    maxRetriesPerRequest: null,
    // Commands sent to a node that has just died must not wait until it restarts.
    commandTimeout: operatorMs,
  })
  direct.on('error', () => {})
  const id = String(await direct.call('CLUSTER', 'MYID'))
  return { node: { ...server, id, direct }, bus }
}

/** The masters share the slots, and every node meets the first one. */
async function tie(started: readonly Started[], masters: number): Promise<void> {
  const [first] = started
  for (const [at, { node }] of started.entries()) {
    await node.direct.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1)
    const bounds = [at, at + 1].map((edge) => Math.floor((edge * slotCount) / masters))
    if (at < masters) await node.direct.call('CLUSTER', 'ADDSLOTSRANGE', bounds[0]!, bounds[1]! - 1)
    await node.direct.call('CLUSTER', 'MEET', '127.0.0.1', first!.node.port, first!.bus)
  }
  const nodes = started.map(({ node }) => node)
  for (const { direct } of nodes) {
    await until(
      async () => String(await direct.call('CLUSTER', 'NODES')),
      (text) => nodes.every(({ id }) => text.includes(id)) && !text.includes('handshake'),
    )
  }
}

async function attachReplicas(nodes: readonly ClusterNode[], masters: number): Promise<void> {
  for (const [at, { direct }] of nodes.entries()) {
    if (at >= masters) await direct.call('CLUSTER', 'REPLICATE', nodes[at % masters]!.id)
  }
  for (const { direct } of nodes.slice(masters)) {
    await until(
      async () => String(await direct.call('INFO', 'replication')),
      (text) => text.includes('master_link_status:up'),
    )
  }
}

async function untilWhole(nodes: readonly ClusterNode[]): Promise<void> {
  for (const { direct } of nodes) {
    await until(
      async () => (direct.status === 'ready' ? String(await direct.call('CLUSTER', 'INFO').catch(() => '')) : null),
      (info) => info === null || (info.includes('cluster_state:ok') && info.includes('cluster_slots_ok:16384')),
    )
  }
}

/** null: it does not answer. */
async function roleOf(node: ClusterNode): Promise<NodeRole | null> {
  if (node.direct.status !== 'ready') return null
  const text = String(await node.direct.call('CLUSTER', 'NODES').catch(() => ''))
  const own = text.split('\n').find((line) => line.includes('myself'))
  if (own === undefined) return null
  const [, , flags, master, , , , , ...words] = own.split(' ')
  const slots = words
    .filter((word) => /^\d+(-\d+)?$/.test(word))
    .map((word) => word.split('-').map(Number))
    .map(([first, last = first]) => [first!, last!] as const)
  return { node, isMaster: flags!.includes('master'), masterId: master === '-' ? null : master!, slots }
}

interface Move {
  readonly nodes: readonly ClusterNode[]
  readonly from: ClusterNode
  readonly to: ClusterNode
  readonly count: number
}

async function moveSlots(move: Move): Promise<void> {
  const role = await roleOf(move.from)
  const slots = (role?.slots ?? []).flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at),
  )
  const masters = (await Promise.all(move.nodes.map(roleOf))).filter((each) => each?.isMaster).map((each) => each!.node)
  for (const slot of slots.slice(0, move.count)) await moveSlot(slot, { ...move, nodes: masters })
}

async function moveSlot(slot: number, { nodes, from, to }: Move): Promise<void> {
  await to.direct.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id)
  await from.direct.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id)
  for (;;) {
    const keys = (await from.direct.call('CLUSTER', 'GETKEYSINSLOT', slot, migratedMax)) as string[]
    if (keys.length === 0) break
    await from.direct.call('MIGRATE', '127.0.0.1', to.port, '', 0, migrateMs, 'REPLACE', 'KEYS', ...keys)
  }
  // The new master first: until then the old one still redirects clients.
  const others = nodes.filter((node) => node.id !== to.id && node.id !== from.id)
  for (const { direct } of [to, from, ...others]) await direct.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id)
}
