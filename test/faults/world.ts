import { Redis } from 'ioredis'
import postgres from 'postgres'
import type { PostgresServer } from '../servers/start-postgres.js'
import { type RedisOptions, type RedisServer, startRedis } from '../servers/start-redis.js'
import type { Doors } from './counter-client.js'
import type { Dice } from './dice.js'
import { createGatewaySlot, type GatewaySlot } from './gateway-slot.js'
import { openLink } from './link.js'
import { programmeFile } from './programme-limits.js'

/** Real stores and gateways as child processes, and a proxy between each gateway and each store. */
export interface World {
  readonly postgres: PostgresServer
  redis: RedisServer
  readonly gateways: readonly GatewaySlot[]
  readonly doors: Doors
  /** Past the proxies, for the checker and the operator. */
  readonly databaseUrl: string
  readonly sql: postgres.Sql
  readonly env: Readonly<Record<string, string>>
  /** One command to Redis past the proxies, on a connection of its own. */
  redisCommand(command: string, ...args: readonly string[]): Promise<unknown>
  eachRedisLink(act: (link: GatewaySlot['redisLink']) => void): void
  eachPostgresLink(act: (link: GatewaySlot['postgresLink']) => void): void
  /** Every proxy as if it were not there. */
  heal(): void
  close(): Promise<void>
}

export interface WorldOptions {
  readonly postgres: PostgresServer
  readonly dice: Dice
  readonly redis?: RedisOptions
  readonly gateways?: number
  readonly env?: Readonly<Record<string, string>>
}

const secret = 'secret-of-the-fault-runs-0123456789abcdef'

/** Starts Redis, a database of its own on the given Postgres, and the gateways, one after the other. */
export async function openWorld({ postgres: server, dice, redis: redisOptions, gateways = 2, env = {} }: WorldOptions) {
  const redis = await startRedis(redisOptions)
  const databaseUrl = await server.createDatabase()
  const shared = {
    LOYALTY_SECRETS: secret,
    LOYALTY_PROGRAM: programmeFile,
    LOYALTY_WORKERS: '1',
    LOYALTY_LOG: 'error',
    LOYALTY_EXPIRY_S: '5',
    ...env,
  }
  const slots: GatewaySlot[] = []
  for (let at = 0; at < gateways; at += 1) {
    const redisLink = await openLink(redis.port, dice)
    const postgresLink = await openLink(server.port, dice)
    const through = {
      REDIS_URL: `redis://127.0.0.1:${redisLink.port}`,
      DATABASE_URL: databaseUrl.replace(`:${server.port}/`, `:${postgresLink.port}/`),
    }
    slots.push(createGatewaySlot({ redisLink, postgresLink }, { ...shared, ...through }))
  }
  for (const slot of slots) await slot.start()
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => {}, connect_timeout: 2, fetch_types: false })
  const world: World = {
    postgres: server,
    redis,
    gateways: slots,
    doors: { count: gateways, url: (at) => slots[at]?.service?.url ?? null, secret },
    databaseUrl,
    sql,
    env: shared,
    redisCommand: (command, ...args) => redisCommand(world.redis.port, command, args),
    eachRedisLink: (act) => slots.forEach((slot) => void act(slot.redisLink)),
    eachPostgresLink: (act) => slots.forEach((slot) => void act(slot.postgresLink)),
    heal() {
      for (const { redisLink, postgresLink } of slots) {
        redisLink.heal()
        postgresLink.heal()
      }
    },
    async close() {
      await Promise.all(slots.map((slot) => slot.end('SIGKILL')))
      await sql.end({ timeout: 1 })
      await Promise.all(slots.flatMap(({ redisLink, postgresLink }) => [redisLink.close(), postgresLink.close()]))
      await world.redis.stop()
    },
  }
  return world
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
