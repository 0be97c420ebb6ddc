import { Redis } from 'ioredis'
import postgres from 'postgres'
import type { Dice } from '../support/dice.js'
import { type BehindRows, createBehindRows } from '../support/servers/errors-behind-rows.js'
import { type PostgresServer, startPostgres } from '../support/servers/start-postgres.js'
import { type RedisOptions, type RedisServer, startRedis } from '../support/servers/start-redis.js'
import { type RedisCluster, startRedisCluster } from '../support/servers/start-redis-cluster.js'
import { type Balancer, openBalancer } from './balancer.js'
import { openClusterLink } from './cluster-link.js'
import type { Doors } from './counter-client.js'
import type { LedgerStep } from './evidence.js'
import { createGatewaySlot, type GatewaySlot } from './gateway-slot.js'
import { openLink } from './link.js'
import { programmeFile } from './programme-limits.js'
import { openStandby, type Replication, type Standby } from './standby.js'

/** Real stores and gateways as child processes, and a proxy between each gateway and each store. */
export interface World {
  readonly postgres: PostgresServer
  /** When its clock was set. */
  readonly ledgerSteps: readonly LedgerStep[]
  /** null: none. */
  readonly standby: Standby | null
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
  /** The case has its own Postgres with a standby instead of the given one. */
  readonly replication?: Replication
  readonly cutsReplies?: true
  /** The case has its own Postgres, whose clock can be set. */
  readonly clockSteps?: 'server' | 'functions'
}

const secret = 'secret-of-the-fault-runs-0123456789abcdef'

/** Starts Redis, a new database on the given Postgres, and the gateways, one after the other. */
export async function openWorld(options: WorldOptions) {
  const { replication, clockSteps, dice, gateways = 2, env = {} } = options
  const ownServer = replication !== undefined || clockSteps !== undefined
  const server = ownServer ? await startPostgres(clockSteps && { clockSteps }) : options.postgres
  const cluster = options.cluster ? await startRedisCluster({ masters: 3, replicas: 1, ...options.cluster }) : null
  const redis = cluster?.nodes[0] ?? (await startRedis(options.redis))
  const created = await server.createDatabase()
  const standby = replication === undefined ? null : await openStandby(server, replication, dice)
  const databaseUrl = standby === null ? created : created.replace(`:${server.port}/`, `:${standby.operatorPort}/`)
  const shared = {
    LOYALTY_SECRETS: secret,
    LOYALTY_PROGRAM: programmeFile,
    LOYALTY_WORKERS: '1',
    LOYALTY_LOG: 'error',
    LOYALTY_EXPIRY_S: '5',
    ...env,
  }
  const behind = createBehindRows()
  const slots: GatewaySlot[] = []
  for (let at = 0; at < gateways; at += 1) {
    const { link: redisLink, url: redisUrl } = cluster
      ? await openClusterLink(cluster, dice)
      : await openServerLink(redis.port, dice)
    const postgresLink = await openLink(server.port, dice, options.cutsReplies && behind.translator)
    const through = {
      REDIS_URL: redisUrl,
      DATABASE_URL: created.replace(`:${server.port}/`, `:${postgresLink.port}${standby?.alsoAt ?? ''}/`),
    }
    slots.push(createGatewaySlot({ redisLink, postgresLink }, { ...shared, ...through }))
  }
  for (const slot of slots) await slot.start()
  const urls = () => slots.map(({ service }) => service?.url ?? null)
  const balancer = cluster && (await openBalancer(urls))
  const doors = { count: gateways, url: (at: number) => balancer?.url ?? urls()[at] ?? null, secret }
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => {}, connect_timeout: 2, fetch_types: false })
  const ledgerSteps: LedgerStep[] = []
  let ledgerAheadMs = 0
  const world: World = {
    postgres: server,
    ledgerSteps,
    standby,
    redis,
    cluster,
    balancer,
    gateways: slots,
    doors: { ...doors, apart: cluster !== null },
    databaseUrl,
    sql,
    env: shared,
    redisCommand: (command, ...args) => redisCommand(world.redis.port, command, args),
    async setLedgerClock(aheadMs) {
      ledgerSteps.push({ at: performance.now(), byMs: aheadMs - ledgerAheadMs })
      ledgerAheadMs = aheadMs
      await server.setClock(aheadMs)
    },
    eachRedisLink: (act) => slots.forEach((slot) => void act(slot.redisLink)),
    eachPostgresLink: (act) => slots.forEach((slot) => void act(slot.postgresLink)),
    behind,
    heal() {
      behind.decide = () => null
      for (const { redisLink, postgresLink } of slots) {
        redisLink.heal()
        postgresLink.heal()
      }
    },
    async close() {
      await balancer?.close()
      await Promise.all(slots.map((slot) => slot.end('SIGKILL')))
      await sql.end({ timeout: 1 })
      await Promise.all(slots.flatMap(({ redisLink, postgresLink }) => [redisLink.close(), postgresLink.close()]))
      await (cluster ?? world.redis).stop()
      await standby?.close()
      if (ownServer) await server.stop()
    },
  }
  return world
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
