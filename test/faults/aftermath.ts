import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster } from 'ioredis'
import { connectionsDefault } from '../../store/postgres/connection/postgres-sql.js'
import { adminConnections } from '../../store/postgres/create-postgres-ledger.js'
import { bucketCount, createKeys, type Keys } from '../../store/redis/keys.js'
import type { Aftermath } from './evidence.js'
import type { GatewaySlot } from './gateway-slot.js'
import type { World } from './world.js'

/** The parts of a world that it reads. */
export interface Left extends Pick<World, 'sql' | 'env' | 'redisCommand'> {
  readonly cluster: Pick<NonNullable<World['cluster']>, 'url'> | null
  readonly gateways: readonly (Pick<GatewaySlot, 'base' | 'usage' | 'complaints'> & {
    readonly service: { readonly internalUrl: string } | null
  })[]
}

/** Pause between two looks, in milliseconds. */
const everyMs = 200

/** Reads what a run has left, until nothing is pending and nothing leaks, at most `withinMs`. */
export async function readAftermath(
  world: Left,
  withinMs: number,
  quiet: (found: Aftermath) => boolean,
): Promise<Aftermath> {
  const untilMs = performance.now() + withinMs
  for (;;) {
    const found = await look(world)
    if (quiet(found) || performance.now() > untilMs) return found
    await sleep(everyMs)
  }
}

async function look(world: Left): Promise<Aftermath> {
  const { gateways, sql } = world
  const [sessions] = await sql`
    select count(*) filter (where state like 'idle in transaction%')::int4 as open, count(*)::int4 as all
    from pg_stat_activity where datname = current_database() and application_name = 'loyalty'`
  return {
    complaints: gateways.flatMap((slot) => slot.complaints()),
    journalled: await journalled(world),
    copies: (await Promise.all(gateways.map(({ service }) => copiesOf(service?.internalUrl)))).reduce(add, 0),
    openTransactions: sessions!['open'],
    connections: sessions!['all'],
    connectionsMax: gateways.length * processesOf(world) * (connectionsDefault + adminConnections),
    usage: gateways.flatMap((slot) => {
      const now = slot.usage()
      return slot.base !== null && now !== null ? [{ base: slot.base, now }] : []
    }),
  }
}

async function journalled(world: Left): Promise<number> {
  const keys = createKeys('loyalty-staging')
  if (world.cluster !== null) return await journalledIn(world.cluster.url, keys)
  const script = 'local sum = 0 for _, key in ipairs(KEYS) do sum = sum + redis.call("ZCARD", key) end return sum'
  const names = Array.from({ length: bucketCount }, (_, bucket) => keys.journal(bucket))
  return Number(await world.redisCommand('eval', script, String(names.length), ...names))
}

async function journalledIn(url: string, keys: Keys): Promise<number> {
  const nodes = url.split(',').map((node) => ({ host: new URL(node).hostname, port: Number(new URL(node).port) }))
  const cluster = new Cluster(nodes, { redisOptions: { maxRetriesPerRequest: 1 } })
  cluster.on('error', () => {})
  try {
    const depths = Array.from({ length: bucketCount }, (_, bucket) => cluster.zcard(keys.journal(bucket)))
    return (await Promise.all(depths)).reduce(add, 0)
  } finally {
    cluster.disconnect()
  }
}

/** Records in the own copies of all processes of one gateway; 0 where it is not running, Infinity where it does not answer. */
async function copiesOf(internalUrl: string | undefined): Promise<number> {
  if (internalUrl === undefined) return 0
  const text = await fetch(`${internalUrl}/metrics`).then(
    (answer) => answer.text(),
    () => null,
  )
  if (text === null) return Number.POSITIVE_INFINITY
  const found = [...text.matchAll(/^loyalty_journal_copies(?:\{[^}]*\})? (\d+)/gm)]
  return found.length === 0 ? Number.NaN : found.map(([, copies]) => Number(copies)).reduce(add, 0)
}

function add(left: number, right: number): number {
  return left + right
}

/** Processes of each gateway: one for everything, or those for POSs and one for internal calls. */
function processesOf({ env }: Left): number {
  const processes = Number(env['LOYALTY_PROCESSES'] ?? 1)
  return processes === 1 ? 1 : processes + 1
}
