import { readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { aBasket } from '../../e2e/basket.js'
import { startRedis } from '../../support/servers/start-redis.js'
import { finalAnswer } from '../history.js'
import { unitPrice } from '../programmes.js'
import type { FaultCase, Stage } from '../run-case.js'

const outMs = 1_500

/** Redis dies, forgets, lags, stops, fills up; no answer becomes wrong. */
export const redisCases: readonly FaultCase[] = [
  {
    id: 'F7',
    cacheFails: true,
    title: 'Redis killed, back with its append-only file',
    redis: { durable: true },
    run: (stage) => restarted(stage, async () => {}),
  },
  { id: 'F8', cacheFails: true, title: 'Redis killed, back empty', run: (stage) => restarted(stage, async () => {}) },
  {
    id: 'F9',
    cacheFails: true,
    title: 'append-only file cut by 1 and by 64 KB',
    redis: { durable: true },
    async run(stage) {
      await restarted(stage, () => cutAppendOnlyFile(stage, 1))
      await sleep(outMs)
      await restarted(stage, () => cutAppendOnlyFile(stage, 65_536))
    },
  },
  {
    id: 'F10',
    cacheFails: true,
    title: 'Redis back with an older snapshot',
    async run(stage) {
      await stage.world.redisCommand('save')
      await sleep(stage.full ? 10_000 : 3_000)
      await restarted(stage, async () => {})
    },
  },
  {
    id: 'F11',
    cacheFails: true,
    title: 'a replica that lags 3 s is promoted, the old master dead',
    run: replicaPromoted,
  },
  {
    id: 'F15',
    cacheFails: true,
    title: 'Redis stopped 0.2, 1 and 10 s',
    async run({ world, full }) {
      for (const ms of full ? [200, 1_000, 10_000] : [200, 1_000, 3_000]) {
        world.redis.signal('SIGSTOP')
        await sleep(ms)
        world.redis.signal('SIGCONT')
        await sleep(600)
      }
    },
  },
  {
    id: 'F16',
    cacheFails: true,
    title: 'Redis out of memory',
    async run({ world }) {
      await world.redisCommand('config', 'set', 'maxmemory', '1mb')
      await sleep(2_500)
      await world.redisCommand('config', 'set', 'maxmemory', '0')
    },
  },
  {
    id: 'F18',
    cacheFails: true,
    title: 'CLIENT PAUSE 500 WRITE and CLIENT KILL every 200 ms',
    async run({ world, full }) {
      for (let round = full ? 25 : 10; round > 0; round -= 1) {
        await world.redisCommand('client', 'pause', '500', 'write')
        await sleep(200)
        await world.redisCommand('client', 'kill', 'type', 'normal')
      }
    },
  },
  {
    id: 'F8b',
    cacheFails: true,
    title: 'Redis wiped three times while it runs',
    async run({ world }) {
      for (let round = 0; round < 3; round += 1) {
        await world.redisCommand('flushall')
        await sleep(800)
      }
    },
  },
]

async function restarted({ world }: Stage, meanwhile: () => Promise<void>): Promise<void> {
  await world.redis.kill()
  await sleep(outMs)
  await meanwhile()
  await world.redis.restart()
}

async function cutAppendOnlyFile({ world }: Stage, bytes: number): Promise<void> {
  const folder = join(world.redis.folder, 'appendonlydir')
  const name = (await readdir(folder)).find((file) => file.endsWith('.incr.aof'))!
  const { size } = await stat(join(folder, name))
  await truncate(join(folder, name), Math.max(0, size - bytes))
}

async function replicaPromoted({ world }: Stage): Promise<void> {
  const master = world.redis
  const replica = await startRedis({ settings: { replicaof: `127.0.0.1 ${master.port}` } })
  await sleep(2_000)
  world.redis = replica
  await world.redisCommand('replicaof', 'no', 'one')
  await sleep(3_000)
  await master.kill()
  world.eachRedisLink((link) => link.lead(replica.port))
  await rm(master.folder, { recursive: true, force: true })
}

/**
 * Postgres is up, but its statements are cancelled and its connections ended. No enrolled member gets `member_not_found`, and none is
 * refused a benefit with a billion units left.
 */
export const connectionCases: readonly FaultCase[] = [
  {
    id: 'F60',
    title: 'statements of Postgres fail behind their first rows',
    cutsReplies: true,
    async run(stage) {
      const { world, dice } = stage
      world.behind.decide = () => (dice.chance(0.03) ? { rows: 1, state: dice.pick(['57014', '53200']) } : null)
      const missed = await servedMeanwhile(stage, sleep(stage.full ? 20_000 : 4_000))
      world.behind.decide = () => null
      return world.behind.count > 0 ? missed : [...missed, 'replies that fail behind rows']
    },
  },
  {
    id: 'F61',
    title: 'statements of the gateways cancelled all the time',
    run: (stage) => servedMeanwhile(stage, onBackends(stage, 'pg_cancel_backend', 5)),
  },
  {
    id: 'F62',
    title: 'all backends terminated twice a second',
    run: (stage) => servedMeanwhile(stage, onBackends(stage, 'pg_terminate_backend', 500)),
  },
  {
    id: 'F63',
    title: 'lock table of Postgres full',
    async run(stage) {
      const { world, full } = stage
      const hog = await world.sql.reserve()
      try {
        const filled = await hog`select count(pg_advisory_lock(n)) from generate_series(1, 10000000) n`.then(
          () => false,
          ({ code }) => code === '53200',
        )
        const missed = await servedMeanwhile(
          stage,
          sleep(full ? 10_000 : 2_500).then(async () => void (await hog`select pg_advisory_unlock_all()`)),
        )
        return filled ? missed : [...missed, 'a lock table that is full']
      } finally {
        hog.release()
      }
    },
  },
]

/** Calls a function of Postgres on every backend of the gateways, repeatedly. */
async function onBackends(
  { world, full }: Stage,
  name: 'pg_cancel_backend' | 'pg_terminate_backend',
  everyMs: number,
): Promise<void> {
  const untilMs = performance.now() + (full ? 20_000 : 4_000)
  while (performance.now() < untilMs) {
    await world.sql.unsafe(`
      select ${name}(pid) from pg_stat_activity where datname = current_database() and application_name = 'loyalty'`)
    await sleep(everyMs)
  }
}

/**
 * Members buy a product of which a billion units are left; resolves to those who were refused. Calls without an answer are the
 * checker's concern.
 */
async function servedMeanwhile({ client, dice }: Stage, meanwhile: Promise<void>): Promise<readonly string[]> {
  const calls: Promise<unknown>[] = []
  const refusals: string[] = []
  let over = false
  const ending = meanwhile.finally(() => {
    over = true
  })
  while (!over) {
    const basket = aBasket(`card-${dice.between(1, membersMax)}`)
      .line({ productId: 'hot', unitPrice })
      .body()
    const call = client.call({ endpoint: 'basket', key: basket['calculationId'], body: JSON.stringify(basket) })
    calls.push(call.then((made) => refusals.push(...refusalsIn(finalAnswer(made)?.text))))
    await sleep(pauseMs)
  }
  await ending
  await Promise.race([Promise.all(calls), sleep(answersMs)])
  return refusals
}

function refusalsIn(text: string | undefined): readonly string[] {
  if (text === undefined) return []
  const { status, reason = '' } = JSON.parse(text)
  return status === 'applied' ? [] : [`a benefit with units left, not ${status} ${reason}`]
}

const membersMax = 24
/** Between two baskets. */
const pauseMs = 40
/** Time for answers after the end of the fault, in milliseconds. */
const answersMs = 10_000
