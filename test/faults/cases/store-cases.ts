import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import type { FaultCase, Stage } from '../run-case.js'
import { publishAgainAndAgain, raisedMaxima } from './gateway-cases.js'

/** Both stores are down or slow, or unreachable for one gateway only. */
export const bothStoresCases: readonly FaultCase[] = [
  { id: 'F28', cacheFails: true, title: 'both stores out of reach', run: bothOut },
  {
    id: 'F29',
    title: 'Postgres out, then Redis wiped, then Postgres back',
    cacheFails: true,
    async run({ world, full }) {
      world.eachPostgresLink((link) => link.cut())
      await sleep(full ? 60_000 : 4_000)
      await world.redisCommand('flushall')
      await sleep(500)
      world.heal()
    },
  },
  {
    id: 'F32',
    title: 'Redis 30 +- 20 ms and Postgres 100 +- 80 ms away',
    async run({ world, full }) {
      world.eachRedisLink((link) => link.slow(30, 20))
      world.eachPostgresLink((link) => link.slow(100, 80))
      await sleep(full ? 15_000 : 5_000)
    },
  },
  {
    id: 'F30',
    cacheFails: true,
    title: 'one gateway cut off from Redis, then from Postgres, the other one as usual',
    async run({ world }) {
      for (const { redisLink, postgresLink } of world.gateways) {
        for (const link of [redisLink, postgresLink]) {
          link.cut()
          await sleep(1_500)
          link.heal()
          await sleep(400)
        }
      }
    },
  },
  {
    id: 'F31',
    cacheFails: true,
    title: 'connections to both stores that hang in turns, without a word',
    async run({ world, dice, full }) {
      for (let round = full ? 20 : 6; round > 0; round -= 1) {
        const { redisLink, postgresLink } = dice.pick(world.gateways)
        const link = dice.pick([redisLink, postgresLink])
        link.hang()
        await sleep(dice.between(100, 1_500))
        link.heal()
        await sleep(200)
      }
    },
  },
]

/** While the breakers are open, each request is refused at once, and the process stays alive. */
async function bothOut({ world, full }: Stage): Promise<readonly string[]> {
  world.eachRedisLink((link) => link.cut())
  world.eachPostgresLink((link) => link.cut())
  await sleep(full ? 20_000 : 4_000)
  const missed: string[] = []
  for (const { service } of world.gateways) {
    const live = await fetch(`${service!.url}/health/live`)
    if (live.status !== 200) missed.push(`live is 200, it was ${live.status}`)
    const ready = await fetch(`${service!.url}/health/ready`)
    if (ready.status !== 503) missed.push(`ready is 503 without any store, it was ${ready.status}`)
  }
  world.heal()
  return missed
}

/** Time between two losses, in milliseconds: longer than a flush, so that most calls find a memory that is vouched for. */
const betweenMs = 350

/** Redis loses what Postgres does not have yet, or holds foreign values. A key never gets two different 200s. */
export const lostMemoryCases: readonly FaultCase[] = [
  {
    id: 'F8c',
    title: 'Redis emptied within the flush, while gateways notice a new programme at different moments',
    maxima: { greatest: raisedMaxima, last: raisedMaxima },
    async run(stage) {
      const losing = new AbortController()
      const [missed] = await Promise.all([
        publishAgainAndAgain(stage).finally(() => losing.abort()),
        repeatedly(losing.signal, () => stage.world.redisCommand('flushall')),
      ])
      return missed
    },
  },
  {
    id: 'F8d',
    title: 'garbage of ten kinds under keys of ours',
    run: putGarbage,
  },
]

async function repeatedly(stopping: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!stopping.aborted) {
    await work()
    await sleep(betweenMs)
  }
}

const kinds: readonly ((redis: Redis, key: string) => Promise<unknown>)[] = [
  (redis, key) => redis.set(key, 'hello'),
  (redis, key) => redis.set(key, randomBytes(300)),
  (redis, key) => redis.set(key, ''),
  (redis, key) => redis.rpush(key, 'a'),
  (redis, key) => redis.sadd(key, 'a'),
  (redis, key) => redis.xadd(key, '*', 'a', 'b'),
  (redis, key) => redis.zadd(key, 1, 'no-uuid', 2, 'zz'),
  (redis, key) => redis.hset(key, 'a', 'b'),
  (redis, key) => redis.hset(key, { answer: 'x', record: 'y', claims: 'z', used: 'a', open: 'b', held: 'c' }),
  (redis, key) => redis.hset(key, 'answer', Buffer.alloc(60, 255), 'record', Buffer.alloc(8)),
]

/** Overwrites a share of all keys repeatedly, the youngest included. */
async function putGarbage({ world, dice, full }: Stage): Promise<readonly string[]> {
  const redis = new Redis(world.redis.port, '127.0.0.1')
  let spoiled = 0
  try {
    for (let round = full ? 40 : 10; round > 0; round -= 1) {
      for (const key of await redis.keys('*')) {
        if (!dice.chance(0.2)) continue
        if (dice.chance(0.7)) await redis.del(key)
        // A wrong type at an existing key makes the same error.
        await dice
          .pick(kinds)(redis, key)
          .catch(() => {})
        spoiled += 1
      }
      await sleep(betweenMs)
    }
    return spoiled > 100 ? [] : [`more than 100 keys are spoiled, there were ${spoiled}`]
  } finally {
    redis.disconnect()
  }
}

/** Postgres dies, restarts, stops, or has no connections left: nothing acknowledged is lost, and nothing unconfirmed is promised. */
export const postgresCases: readonly FaultCase[] = [
  {
    id: 'F19',
    title: 'postmaster killed, Postgres restarted',
    async run({ world }) {
      const backends = await childrenOf(world.postgres.pid)
      world.postgres.signal('SIGKILL')
      await gone([world.postgres.pid, ...backends])
      await sleep(1_500)
      await world.postgres.restart()
    },
  },
  {
    id: 'F20',
    title: 'fast, then immediate restart of Postgres',
    async run({ world }) {
      for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
        const { pid } = world.postgres
        world.postgres.signal(signal)
        await gone([pid])
        await sleep(700)
        await world.postgres.restart()
        await sleep(1_000)
      }
    },
  },
  {
    id: 'F23',
    title: 'checkpointer, then all of Postgres stopped for 3 s',
    async run({ world }) {
      const backends = await childrenOf(world.postgres.pid)
      const names = await Promise.all(backends.map(commandOf))
      const checkpointer = backends.filter((_, at) => names[at]!.includes('checkpointer'))
      await stopped(checkpointer, 1_500)
      await sleep(500)
      await stopped([...(await childrenOf(world.postgres.pid)), world.postgres.pid], 3_000)
    },
  },
  {
    id: 'F25',
    title: 'backends terminated at random every 300 ms',
    async run({ world, full }) {
      for (let round = full ? 30 : 12; round > 0; round -= 1) {
        await world.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'loyalty' and random() < 0.4`
        await sleep(300)
      }
    },
  },
  { id: 'F27', title: 'max_connections exhausted by another client', run: connectionsExhausted },
  {
    id: 'F23b',
    title: 'commits held up: WAL writer and every backend stopped in turns',
    async run({ world, dice, full }) {
      for (let round = full ? 30 : 12; round > 0; round -= 1) {
        const backends = await childrenOf(world.postgres.pid)
        await stopped(
          backends.filter(() => dice.chance(0.3)),
          dice.between(100, 700),
        )
        await sleep(50)
      }
    },
  },
]

async function connectionsExhausted({ world }: Stage): Promise<void> {
  const hogs: postgres.Sql[] = []
  const more = async (): Promise<boolean> => {
    const hog = postgres(world.databaseUrl, { max: 1, onnotice: () => {}, connect_timeout: 2, fetch_types: false })
    hogs.push(hog)
    return await hog`select 1`.then(
      () => true,
      () => false,
    )
  }
  while (await more());
  // The gateways must reconnect, and find no free connection.
  await world.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'loyalty'`
  while (await more());
  await sleep(2_500)
  await Promise.all(hogs.map((hog) => hog.end({ timeout: 1 })))
}

async function stopped(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGSTOP')
  await sleep(ms)
  for (const pid of pids) signal(pid, 'SIGCONT')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It may have ended meanwhile.
  }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

async function commandOf(pid: number): Promise<string> {
  return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
}

/** Waits until none of these processes is left, as Postgres refuses to start before. A zombie counts as gone. */
async function gone(pids: readonly number[]): Promise<void> {
  const untilMs = performance.now() + 120_000
  for (;;) {
    const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
    if (states.every((state) => state === '' || / Z /.test(state)) || performance.now() > untilMs) return
    await sleep(30)
  }
}
