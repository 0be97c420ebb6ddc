import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultCase, Stage } from '../run-case.js'

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
