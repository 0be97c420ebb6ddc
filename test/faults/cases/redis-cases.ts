import { readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRedis } from '../../support/servers/start-redis.js'
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
