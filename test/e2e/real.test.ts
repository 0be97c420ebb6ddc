import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { withFailpoint } from '../faults/failpoints/failpoint.js'
import { type PostgresServer, startPostgres } from '../support/servers/start-postgres.js'
import { type RedisServer, startRedis } from '../support/servers/start-redis.js'
import { until } from '../support/until.js'
import { aBasket, aSale, berlin } from './basket.js'
import { partnerSuite, untilApplied } from './partner-suite.js'
import { eventually, type RunningService, startService, unhurried } from './service.js'

const programme = join(import.meta.dirname, 'programme.json')
const basketPath = '/v1/pos/basket'
const salePath = '/v1/pos/sale'

/** Long enough for a busy machine to make two calls before the calculation expires. */
const expiryS = 8

t.setTimeout(900_000)

t.test('the partner contract on Redis and Postgres', async (t) => {
  const redis = await startRedis()
  const pg = await startPostgres()
  const secret = 'secret-of-the-tests-0123456789abcdef'
  const env = { ...unhurried, LOYALTY_PROGRAM: programme, LOYALTY_SECRETS: secret }
  const stores = async () => ({ ...env, REDIS_URL: redis.url, DATABASE_URL: await pg.createDatabase(true) })
  t.teardown(async () => {
    await redis.stop()
    await pg.stop()
  })

  await t.test('whole', async (t) => {
    let service: RunningService
    t.before(async () => {
      service = await startService({ env: await stores() })
    })
    t.after(() => service.stop())
    partnerSuite(t, () => service)
  })
  await t.test('two gateways', async (t) => twoGateways(t, await stores()))
  await t.test('returns', async (t) => returns(t, await stores()))
  await t.test('expiry', async (t) => expiry(t, await stores()))
  await t.test('stores out of reach', async (t) => storesOut(t, { redis, pg, env: await stores() }))
})

const bun = (quantity = 1) => aBasket('ben').line({ productId: 'bun', unitPrice: 120, quantity })
const coffee = () => aBasket('anna').line({ productId: 'coffee', unitPrice: 450 })

async function twoGateways(t: Test, env: Record<string, string>): Promise<void> {
  const gateways = await Promise.all([startService({ env }), startService({ env })])
  t.teardown(() => Promise.all(gateways.map((gateway) => gateway.stop())))
  const either = (at: number) => gateways[at % 2]!

  const baskets = Array.from({ length: 60 }, () => bun())
  const answers = await Promise.all(baskets.map((basket, at) => either(at).send(basketPath, basket.text())))
  t.equal(answers.filter(({ json }) => json.status === 'applied').length, 10, 'sixty baskets on ten units get ten')

  const text = coffee().text()
  const copies = await Promise.all(Array.from({ length: 12 }, (_, at) => either(at).send(basketPath, text)))
  t.equal(new Set(copies.map((copy) => copy.text)).size, 1, 'copies over two gateways get one answer')

  const sale = JSON.stringify(aSale(JSON.parse(text), { paidTotal: 405 }))
  const sold = await Promise.all(Array.from({ length: 8 }, (_, at) => either(at).send(salePath, sale)))
  t.same(new Set(sold.map(({ text }) => text)).size, 1)
  t.equal(sold[0]?.json.result, 'recorded', 'a sale finds a calculation that another gateway has answered a moment ago')
}

/** A return in a gateway that is killed when the ledger has it, before its answer; and one returnId at two gateways at once. */
async function returns(t: Test, env: Record<string, string>): Promise<void> {
  // The first return of a process is slow on a busy machine: it may not be answered before the ledger has it.
  const patient = { ...env, LOYALTY_DEADLINE_MS: '30000' }
  const [survivor, victim] = await Promise.all([
    startService({ env }),
    startService({ env: { ...patient, ...withFailpoint('kill ledger.returns.recordSent after 1') } }),
  ])
  t.teardown(() => Promise.all([survivor.stop(), victim.stop()]))
  const sell = async () => {
    const basket = coffee().body()
    await survivor.send(basketPath, JSON.stringify(basket))
    await survivor.send(salePath, JSON.stringify(aSale(basket, { paidTotal: 405 })))
    return basket['calculationId'] as string
  }
  const bodyOf = (returnId: string, calculationId: string) => {
    const lines = [{ lineId: 'line-1', quantity: 1 }]
    return JSON.stringify({ returnId, calculationId, lines, occurredAt: '2026-11-23T12:00:00Z', context: berlin })
  }
  const key = randomUUID()
  const body = bodyOf(key, await sell())
  await t.rejects(eventually(() => victim.send('/v1/pos/return', body)))
  const again = await eventually(() => survivor.send('/v1/pos/return', body))
  t.match(again, { status: 200, json: { result: 'recorded', refund: 405 }, headers: { 'idempotent-replayed': 'true' } })

  const other = await startService({ env })
  t.teardown(() => other.stop())
  const returnId = randomUUID()
  const bodies = [bodyOf(returnId, await sell()), bodyOf(returnId, await sell())]
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      eventually(() => [survivor, other][at % 2]!.send('/v1/pos/return', bodies[at % 3 === 0 ? 0 : 1]!)),
    ),
  )
  t.equal(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size, 1)
  t.same(new Set(answers.map(({ status }) => status)), new Set([200, 409]))
  const sql = postgres(env['DATABASE_URL']!, { max: 1 })
  t.match(await sql`select count(*)::integer as made from sale_return`, [{ made: 2 }])
  await sql.end()
}

async function expiry(t: Test, stores: Record<string, string>): Promise<void> {
  const service = await startService({ env: { ...stores, LOYALTY_EXPIRY_S: String(expiryS) } })
  t.teardown(() => service.stop())
  const first = bun(10)
  t.equal((await service.send(basketPath, first.text())).json.status, 'applied')
  t.match((await service.send(basketPath, bun().text())).json, { reason: 'limit_exhausted' })
  const next = await untilApplied(async () => (await service.send(basketPath, bun(10).text())).json)
  t.equal(next.basket?.totals.lineDiscount, 700, 'what has expired is had by the next')
  const late = await service.send(
    salePath,
    JSON.stringify(aSale(first.body(), { paidTotal: 500, loyaltyDiscountTotal: 700 })),
  )
  t.equal(late.json.result, 'recorded')
  const sql = postgres(stores['DATABASE_URL']!, { max: 1 })
  const [row] = await sql`select discrepancies from sale where calculation_id = ${first.body()['calculationId']}`
  await sql.end()
  t.same([...row!['discrepancies']].sort(), ['late_event', 'limit_exceeded'])
}

interface Stores {
  readonly redis: RedisServer
  readonly pg: PostgresServer
  readonly env: Record<string, string>
}

async function storesOut(t: Test, { redis, pg, env }: Stores): Promise<void> {
  const service = await startService({ env })
  t.teardown(() => service.stop())
  const before = coffee()
  const answered = await service.send(basketPath, before.text())
  t.equal((await service.send(basketPath, aBasket('ben').line({ productId: 'tea', unitPrice: 1 }).text())).status, 200)

  const limited = async () => (await eventually(() => service.send(basketPath, bun().text()))).json
  await redis.kill()
  t.equal((await untilApplied(limited)).status, 'applied', 'without Redis the ledger alone goes on')
  t.equal((await eventually(() => service.send(basketPath, before.text()))).text, answered.text, 'and replays')
  await redis.restart()
  t.equal(await vouchedBuckets(redis, () => service.send(basketPath, coffee().text())), 64, 'Redis is believed again')

  await pg.kill()
  const meanwhile = await eventually(async () => await service.send(basketPath, coffee().text()))
  t.equal(meanwhile.json.status, 'applied', 'without Postgres a benefit without limits goes on')
  t.match(await limited(), { status: 'unchanged', reason: 'limit_exhausted' })
  const sale = JSON.stringify(
    aSale({ ...before.body(), calculationId: meanwhile.json.calculationId }, { paidTotal: 405 }),
  )
  const refused = await service.send(salePath, sale)
  t.equal(refused.status, 503)
  t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
  await pg.restart()

  const recorded = await eventually(() => service.send(salePath, sale))
  t.equal(recorded.json.result, 'recorded', 'what was journalled is in Postgres when it is back')
  t.equal((await untilApplied(limited)).status, 'applied')
}

/** Vouched buckets of a new Redis, once all of them are; until then the ledger is asked about lost answers. */
async function vouchedBuckets(redis: RedisServer, call: () => Promise<unknown>): Promise<number> {
  const client = new Redis(redis.url)
  try {
    const count = async () => {
      await call()
      const marks = await Promise.all((await client.keys('*:vouched')).map((key) => client.get(key)))
      return marks.filter((mark) => mark !== null && !mark.startsWith('?')).length
    }
    return await until(count, (vouched) => vouched === 64)
  } finally {
    client.disconnect()
  }
}
