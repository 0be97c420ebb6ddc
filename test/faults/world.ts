import { Redis } from 'ioredis'
import postgres from 'postgres'
import type { Dice } from '../support/dice.js'
import { freePort } from '../support/free-port.js'
import { type BehindRows, createBehindRows } from '../support/servers/errors-behind-rows.js'
import { type PostgresServer, startPostgres } from '../support/servers/start-postgres.js'
import { type RedisOptions, type RedisServer, startRedis } from '../support/servers/start-redis.js'
import { type RedisCluster, startRedisCluster } from '../support/servers/start-redis-cluster.js'
import { type Balancer, openBalancer } from './balancer.js'
import type { Doors } from './counter-client.js'
import type { LedgerStep } from './evidence.js'
import { createGatewaySlot, type GatewaySlot } from './gateway-slot.js'
import { openClusterLink, openLink } from './link.js'
import { programmeFile } from './programmes.js'

/** Real stores and gateways as child processes, and a proxy between each gateway and each store. */
export interface World {
  readonly postgres: PostgresServer
  /** When its clock was set. */
  readonly ledgerSteps: readonly LedgerStep[]
  /** The one server; of a cluster, its first node. */
  redis: RedisServer
  /** Three masters and three replicas; null: there is one server. */
  readonly cluster: RedisCluster | null
  /** With a cluster, POS callers connect through this. */
  readonly balancer: Balancer | null
  readonly gateways: readonly GatewaySlot[]
  readonly doors: Doors
  /** Past the proxies, for the checker and the operator. */
  readonly databaseUrl: string
  readonly sql: postgres.Sql
  readonly env: Readonly<Record<string, string>>
  /** One command to Redis past the proxies, on a connection of its own. */
  redisCommand(command: string, ...args: readonly string[]): Promise<unknown>
  /** @param aheadMs  offset of the ledger's clock from ours from now on */
  setLedgerClock(aheadMs: number): Promise<void>
  eachRedisLink(act: (link: GatewaySlot['redisLink']) => void): void
  eachPostgresLink(act: (link: GatewaySlot['postgresLink']) => void): void
  /** Changes replies of Postgres in the proxies, where the case cuts them short. */
  readonly behind: BehindRows
  /** Removes every fault of the proxies. */
  heal(): void
  close(): Promise<void>
}

export interface WorldOptions {
  readonly postgres: PostgresServer
  readonly dice: Dice
  readonly redis?: RedisOptions
  /** A Redis Cluster of three masters and three replicas instead of one server, and a balancer before the gateways. */
  readonly cluster?: { readonly nodeTimeoutMs: number }
  readonly gateways?: number
  readonly env?: Readonly<Record<string, string>>
  readonly cutsReplies?: true
  /** The case has its own Postgres, whose clock can be set. */
  readonly clockSteps?: 'server' | 'functions'
}

const secret = 'secret-of-the-fault-runs-0123456789abcdef'

/** Starts Redis, a new database on the given Postgres, and the gateways, one after the other. Where one does not start, all end again. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const closers: Closer[] = []
  try {
    return await openOneByOne(options, closers)
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

/** Ends something that was opened. */
type Closer = () => Promise<unknown>

/** The last opened first; one that fails keeps no other from being closed. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close().catch(() => {})
}

/** @param closers  receives what ends each of them */
async function openOneByOne(options: WorldOptions, closers: Closer[]): Promise<World> {
  const { cluster: clustered, dice, gateways = 2, env = {} } = options
  const server = await serverOf(options, closers)
  const cluster = clustered ? await startRedisCluster({ masters: 3, replicas: 1, ...clustered }) : null
  if (cluster !== null) closers.push(() => cluster.stop())
  let redis = cluster?.nodes[0] ?? (await startRedis(options.redis))
  if (cluster === null) closers.push(() => redis.stop())
  const databaseUrl = await server.createDatabase()
  const shared = { ...everyGateway, ...env }
  const behind = createBehindRows()
  const slots: GatewaySlot[] = []
  for (let at = 0; at < gateways; at += 1) {
    const { link: redisLink, url: redisUrl } = cluster
      ? await openClusterLink(cluster, dice)
      : await openServerLink(redis.port, dice)
    closers.push(() => redisLink.close())
    const postgresLink = await openLink(server.port, dice, options.cutsReplies && behind.translator)
    closers.push(() => postgresLink.close())
    const through = {
      REDIS_URL: redisUrl,
      DATABASE_URL: databaseUrl.replace(`:${server.port}/`, `:${postgresLink.port}/`),
    }
    // The same after a restart, and for a process that takes the place of another.
    const addresses = { LOYALTY_HTTP: `127.0.0.1:${await freePort()}`, LOYALTY_GRPC: `127.0.0.1:${await freePort()}` }
    slots.push(createGatewaySlot({ redisLink, postgresLink }, { ...shared, ...addresses, ...through }))
  }
  closers.push(() => Promise.all(slots.map((slot) => slot.end('SIGKILL'))))
  for (const slot of slots) await slot.start()
  const urls = () => slots.map(({ service }) => service?.url ?? null)
  const balancer = cluster && (await openBalancer(urls))
  if (balancer !== null) closers.push(() => balancer.close())
  const doors = { count: gateways, url: (at: number) => balancer?.url ?? urls()[at] ?? null, secret }
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => {}, connect_timeout: 2, fetch_types: false })
  closers.push(() => sql.end({ timeout: 1 }))
  return {
    ...ledgerClock(server),
    ...faultsOf(slots, behind),
    postgres: server,
    get redis() {
      return redis
    },
    set redis(other) {
      redis = other
    },
    cluster,
    balancer,
    gateways: slots,
    doors: { ...doors, apart: cluster !== null },
    databaseUrl,
    sql,
    env: shared,
    redisCommand: (command, ...args) => redisCommand(redis.port, command, args),
    close: () => closeAll(closers),
  }
}

const everyGateway = {
  LOYALTY_SECRETS: secret,
  LOYALTY_PROGRAM: programmeFile,
  LOYALTY_WORKERS: '1',
  LOYALTY_LOG: 'error',
  LOYALTY_EXPIRY_S: '5',
}

/** The given Postgres, or one of the case's own. */
async function serverOf({ postgres: given, clockSteps }: WorldOptions, closers: Closer[]): Promise<PostgresServer> {
  if (clockSteps === undefined) return given
  const own = await startPostgres({ clockSteps })
  closers.push(() => own.stop())
  return own
}

function ledgerClock(server: PostgresServer): Pick<World, 'ledgerSteps' | 'setLedgerClock'> {
  const ledgerSteps: LedgerStep[] = []
  let ledgerAheadMs = 0
  return {
    ledgerSteps,
    async setLedgerClock(aheadMs) {
      ledgerSteps.push({ at: performance.now(), byMs: aheadMs - ledgerAheadMs })
      ledgerAheadMs = aheadMs
      await server.setClock(aheadMs)
    },
  }
}

function faultsOf(
  slots: readonly GatewaySlot[],
  behind: BehindRows,
): Pick<World, 'behind' | 'heal' | 'eachRedisLink' | 'eachPostgresLink'> {
  return {
    behind,
    eachRedisLink: (act) => slots.forEach((slot) => void act(slot.redisLink)),
    eachPostgresLink: (act) => slots.forEach((slot) => void act(slot.postgresLink)),
    heal() {
      behind.decide = () => null
      for (const { redisLink, postgresLink } of slots) {
        redisLink.heal()
        postgresLink.heal()
      }
    },
  }
}

async function openServerLink(port: number, dice: Dice) {
  const link = await openLink(port, dice)
  return { link, url: `redis://127.0.0.1:${link.port}` }
}

async function redisCommand(port: number, command: string, args: readonly string[]): Promise<unknown> {
  const client = new Redis(port, '127.0.0.1', { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  client.on('error', () => {})
  try {
    await client.connect()
    return await client.call(command, ...args)
  } finally {
    client.disconnect()
  }
}
