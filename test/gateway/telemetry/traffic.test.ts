import t from 'tap'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { createTraffic } from '../../../gateway/telemetry/traffic.js'

const basket = { endpoint: 'basket', status: 200, outcome: 'applied', code: '' }

t.test('what came since an earlier look is counted by outcome, with its times', async (t) => {
  const metrics = createMetrics()
  let nowMs = 0
  const look = createTraffic(metrics.text, () => nowMs)
  metrics.answered({ ...basket, durationMs: 900 })
  t.match(await look(), { seconds: 0, baskets: 0, outcomes: [] }, 'the first look knows of nothing before it')
  nowMs = 10_000
  for (let at = 0; at < 98; at += 1) metrics.answered({ ...basket, durationMs: 4 })
  metrics.answered({ ...basket, outcome: 'unavailable', status: 503, durationMs: 200 })
  metrics.answered({ ...basket, endpoint: 'PosService/CalculateBasket', outcome: 'served', durationMs: 5_000 })
  metrics.answered({ ...basket, endpoint: 'sale', outcome: 'recorded', durationMs: 5_000 })
  const traffic = await look()
  t.match(traffic, { seconds: 10, baskets: 100 })
  t.same(traffic.outcomes, [
    { outcome: 'applied', baskets: 98 },
    { outcome: 'served', baskets: 1 },
    { outcome: 'unavailable', baskets: 1 },
  ])
  const [half, most, slowest] = [50, 99, 100].map((each) => traffic.percentile(each)!)
  t.ok(half! > 2.5 && half! <= 5, `${half}`)
  t.ok(most! > 150 && most! <= 250, `${most}`)
  t.equal(slowest, 1_000, 'beyond the last bucket its bound is all that is known')
})

t.test('a look of more than a minute ago does not count, nor does what a replaced process had counted', async (t) => {
  let nowMs = 0
  let page = ''
  const rows = (process: number, count: number) =>
    `loyalty_requests_total{endpoint="basket",status="200",outcome="applied",code="",process="${process}"} ${count}\n`
  const look = createTraffic(
    async () => page,
    () => nowMs,
  )
  page = rows(1, 500) + rows(2, 500)
  await look()
  nowMs = 61_000
  page = rows(1, 600) + rows(2, 600)
  t.match(await look(), { seconds: 0, baskets: 0 })
  nowMs = 71_000
  page = rows(1, 650) + rows(2, 3)
  const traffic = await look()
  t.match(traffic, { seconds: 10, baskets: 0, outcomes: [] })
  t.equal(traffic.percentile(50), null)
})
