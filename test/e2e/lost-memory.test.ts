import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readProgramme } from '../../engine/programme/read-programme.js'
import { type OperatedRedis, startOperatedRedis } from '../store/redis/caches.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { sized } from '../support/sized.js'
import { until } from '../support/until.js'
import { aBasket, aSale, type BasketBody } from './basket.js'
import { type Answer, eventually, type RunningService, startService } from './service.js'

const programme = join(import.meta.dirname, '..', '..', '..', 'test', 'e2e', 'programme.json')
/** Baskets that are on their way to the ledger when Redis loses its memory. */
const atOnce = 15
const rounds = sized(6, 40)
/** Within this time a gateway notices a new programme, in milliseconds; some rounds find only one that has. */
const noticedMs = 500

t.setTimeout(1_800_000)

const postgres = await startPostgres()
t.teardown(() => postgres.stop())

interface Gateways {
  readonly a: RunningService
  readonly b: RunningService
  readonly redis: OperatedRedis
  /** Publishes a programme that prices a coffee in another way than the last one. */
  publish(): Promise<void>
}

async function twoGateways(t: Test): Promise<Gateways> {
  const redis = await startOperatedRedis()
  t.teardown(() => redis.stop())
  const url = await postgres.createDatabase()
  const env = {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    LOYALTY_PROGRAM: programme,
    LOYALTY_SECRETS: 'secret-of-the-tests',
    LOYALTY_WORKERS: '1',
    LOYALTY_LOG: 'warn',
  }
  const start = async () => {
    const service = await startService({ env })
    t.teardown(() => service.stop())
    return service
  }
  const [a, b] = [await start(), await start()]
  const ledger = await createPostgresLedger({ url, expiryS: 60, idempotencyS: 86_400, connections: 1 })
  t.teardown(() => ledger.close())
  const document = await readFile(programme, 'utf8')
  let version = 0
  async function publish(): Promise<void> {
    version += 1
    const read = readProgramme(document.replace('"percentage": 10 ', `"percentage": ${10 + (version % 40)} `))
    if (read.kind === 'faulty') throw new Error('the programme of the test is faulty')
    const { benefitsJson: benefits, venues, members } = read.programme
    await ledger.programmes.publishFile({ document: read.programme.document, benefits, venues, members })
  }
  return { a, b, redis, publish }
}

function coffees(): BasketBody[] {
  const coffee = { unitPrice: 450, productId: 'coffee' }
  return Array.from({ length: atOnce }, () => aBasket('anna').line(coffee).body())
}

function sendBasket(gateway: RunningService, basket: BasketBody): Promise<Answer> {
  return eventually(() => gateway.send('/v1/pos/basket', JSON.stringify(basket)))
}

/** So that the tests prove something: the answers are unlimited ones, which leave before the ledger has them. */
async function answeredAtA({ a }: Gateways, baskets: readonly BasketBody[]): Promise<readonly Answer[]> {
  const answers = await Promise.all(baskets.map((basket) => sendBasket(a, basket)))
  for (const { status, json } of answers)
    if (status !== 200 || json.status !== 'applied') throw new Error(String(status))
  return answers
}

/** Publishes, and waits for a moment in which one of the gateways may have noticed it and the other not. */
async function inAWindow({ publish }: Gateways, round: number, work: () => Promise<void>): Promise<void> {
  await publish()
  await sleep((noticedMs * round) / rounds)
  await work()
}

const gateways = await twoGateways(t)

t.test('after a loss Redis is used again, and an empty Redis at the start costs nothing', async (t) => {
  const { redis, a } = gateways
  const marks = async () => (await redis.direct.keys('*:vouched')).length
  t.equal(await until(marks, (count) => count === 64), 64, 'vouched for before any call')
  await redis.direct.flushall()
  await sendBasket(a, coffees()[0]!)
  const isStored = async () => {
    const [basket] = coffees()
    await sendBasket(a, basket!)
    return (await redis.direct.keys(`*${basket!['calculationId']}`)).length === 1
  }
  t.ok(await until(isStored, (stored) => stored))
})

t.test('one key has one answer, though Redis is emptied and the programme changes before its repeat', async (t) => {
  const contradicted: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    await inAWindow(gateways, round, async () => {
      const baskets = coffees()
      const first = await answeredAtA(gateways, baskets)
      await gateways.redis.direct.flushall()
      const again = await Promise.all(baskets.map((basket) => sendBasket(gateways.b, basket)))
      again.forEach(({ status, text }, at) => {
        if (status !== 200 || text !== first[at]!.text) contradicted.push(`round ${round}: ${status}, another text`)
      })
    })
  }
  t.same(contradicted, [], `${rounds * atOnce} repeats`)
})

t.test('a sale whose basket was answered is never of an unknown calculation, though Redis is emptied', async (t) => {
  const results = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    const baskets = coffees()
    await answeredAtA(gateways, baskets)
    await gateways.redis.direct.flushall()
    const sales = baskets.map((basket) => JSON.stringify(aSale(basket)))
    const sent = sales.map((sale) => eventually(() => gateways.b.send('/v1/pos/sale', sale)))
    for (const { status, json } of await Promise.all(sent)) {
      const result = `${status} ${json.result}`
      results.set(result, 1 + (results.get(result) ?? 0))
    }
  }
  t.same([...results], [['200 recorded', rounds * atOnce]])
})

t.test('nor where Redis is restarted with an older memory', async (t) => {
  const { redis, b } = gateways
  for (let round = 0; round < 5; round += 1) {
    await inAWindow(gateways, 4 * round, async () => {
      await answeredAtA(gateways, coffees())
      await redis.direct.save()
      const baskets = coffees()
      const first = await answeredAtA(gateways, baskets)
      await redis.kill()
      await redis.restart()
      const again = await Promise.all(baskets.map((basket) => sendBasket(b, basket)))
      t.same(
        again.map(({ text }) => text),
        first.map(({ text }) => text),
      )
    })
  }
})
