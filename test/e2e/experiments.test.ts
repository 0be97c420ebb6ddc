import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  type ExperimentArmSums,
  ExperimentService,
  ExperimentVerdict,
} from '../../gateway/gen/loyalty/v1/experiment_service_pb.js'
import { MemberService } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { openReconciler } from '../../store/open-reconciler.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { aDocument, publish, untilInForce } from '../gateway/internal/calculation-suite.js'
import { experimentSuite } from '../gateway/internal/experiment-suite.js'
import { type Served, startServed } from '../gateway/internal/served.js'
import { Dice } from '../support/dice.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { aBasket, aSale } from './basket.js'

t.setTimeout(900_000)

const redis = await startRedis()
const postgres = await startPostgres()
t.teardown(async () => {
  await redis.stop()
  await postgres.stop()
})
const databaseUrl = await postgres.createDatabase()
const start = () => startServed({ REDIS_URL: redis.url, DATABASE_URL: databaseUrl })
const { getExperiment } = ExperimentService.method

let served: Served
t.before(async () => {
  served = await start()
  // A key of the test's own, so that every run has the same arms.
  const database = createPostgresSql(databaseUrl, 1)
  const pads = [0x36, 0x5c].map((pad) => Buffer.alloc(64, pad ^ 7))
  await database.run(sql`insert into forgetting_key (inner_key, outer_key) values (${pads[0]!}, ${pads[1]!})`, {
    effect: 'writes',
    withinMs: 10_000,
  })
  await database.close()
})
t.teardown(() => served.service.stop())

const nothing = { kind: 'line_percentage', select: { productIds: ['none'] }, percentage: 10 }
const anExperiment = (experimentId: string, benefitIds: readonly string[]) => ({
  ...{ experimentId, name: experimentId, benefitIds, holdout: 50 },
  ...{ from: '2026-01-01T00:00:00Z', metric: 'net' },
})

/** The same members in every run. */
async function enrol(t: Test, count: number, name: string): Promise<readonly string[]> {
  const cards = Array.from({ length: count }, (_, at) => `${name}-${at}`)
  const members = cards.map((card) => ({ memberId: `of-${card}`, loyaltyIds: [card] }))
  await served.admin(t).ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
  return cards
}

/** The answer once the sales of both arms are these; each counts within some seconds. */
async function answered(t: Test, experimentId: string, visits: number) {
  const reader = served.reader(t)
  const all = (arms: readonly ExperimentArmSums[], figure: 'visits' | 'net') =>
    arms.reduce((sum, arm) => sum + arm[figure], 0n)
  for (;;) {
    const { answers } = await reader.ask(getExperiment, { experimentId })
    const [answer] = answers
    if (answer !== undefined && all(answer.arms, 'visits') >= BigInt(visits)) {
      return { ...answer, visits: Number(all(answer.arms, 'visits')), net: Number(all(answer.arms, 'net')) }
    }
    await sleep(200)
  }
}

t.test('one service', async (t) => experimentSuite(t, () => served))

t.test('of two experiments on the same sales only that with an effect finds one', async (t) => {
  const document = aDocument((document) => {
    document['benefits'].push({ benefitId: 'idle', text: 'Idle', reward: nothing })
    document['experiments'] = [anExperiment('same', ['idle']), anExperiment('lifted', ['coffee-10'])]
  })
  await untilInForce(served.reader(t), await publish(served.admin(t), document))
  const cards = await enrol(t, 500, 'shopper')
  let sales = 0
  const shop = async (card: string) => {
    const dice = new Dice(Number(card.split('-')[1]))
    let lift = 1
    for (let visit = 0; visit < 3; visit += 1) {
      // Heavy tails, as in a shop. Who has the discount buys more from the second visit on.
      const spend = Math.round(400 * lift * Math.exp(0.7 * (dice.next() + dice.next() + dice.next() - 1.5)))
      const basket = aBasket(card)
        .line({ productId: 'coffee', unitPrice: 450 })
        .line({ productId: 'jar', unitPrice: spend })
        .body()
      const { json } = await served.send('/v1/pos/basket', JSON.stringify(basket))
      lift = json.status === 'applied' ? 2 : 1
      const paidTotal = (json.basket ?? basket).totals.net
      const sold = await served.send('/v1/pos/sale', JSON.stringify(aSale(basket, { status: json.status, paidTotal })))
      if (sold.status === 200) sales += 1
    }
  }
  for (let at = 0; at < cards.length; at += 10) await Promise.all(cards.slice(at, at + 10).map(shop))
  t.equal(sales, 1_500)
  const [same, lifted] = [await answered(t, 'same', sales), await answered(t, 'lifted', sales)]
  t.equal(same.net, lifted.net)
  for (const { split } of [same, lifted]) t.equal(split?.broken, false)
  const [none, some] = [same.comparisons[0]!, lifted.comparisons[0]!]
  t.match(none, { verdict: ExperimentVerdict.NOT_YET_KNOWN })
  t.ok(none.difference!.low < 0 && none.difference!.high > 0)
  t.match(some, { verdict: ExperimentVerdict.PAYS })
  t.ok(some.difference!.low > 0)
  t.ok(some.metricPerGiven!.low > 0)
})

t.test('gateways killed between basket, record and answer leave the sums exact', async (t) => {
  const experimentId = `killed-${randomUUID()}`
  const document = aDocument((document) => {
    document['experiments'] = [anExperiment(experimentId, ['coffee-10'])]
  })
  await untilInForce(served.reader(t), await publish(served.admin(t), document))
  const cards = await enrol(t, 12, 'crash')
  const failed = { paidTotal: 400, status: 'failed', failureReason: 'timeout' }
  let net = 0
  for (const afterMs of [10, 40, 90]) {
    const baskets = cards.map((card) => aBasket(card).line({ productId: 'coffee', unitPrice: 450 }).body())
    for (const path of ['/v1/pos/basket', '/v1/pos/sale']) {
      const victim = await start()
      const bodies = baskets.map((basket) => JSON.stringify(path.endsWith('sale') ? aSale(basket, failed) : basket))
      const first = bodies.map((body) => victim.service.send(path, body).catch(() => null))
      await sleep(afterMs)
      await victim.service.stop('SIGKILL')
      for (const answer of await Promise.all(bodies.map((body) => served.send(path, body))))
        t.equal(answer.status, 200, answer.text)
      await Promise.all(first)
    }
    net += 400 * cards.length
    const answer = await answered(t, experimentId, net / 400)
    t.match(answer, { visits: net / 400, net }, `killed after ${afterMs} ms`)
  }
  const reconciler = await openReconciler({ databaseUrl, dataFolder: '' })
  const { sums } = await reconciler.reconcile({ since: '2000-01-01', until: null }, () => {})
  await reconciler.close()
  t.match(sums, { sumsAstray: 0, firstAstray: [] })
})
