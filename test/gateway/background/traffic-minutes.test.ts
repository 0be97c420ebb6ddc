import t from 'tap'
import { createTrafficMinutes } from '../../../gateway/background/traffic-minutes.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { trafficOf } from '../../../gateway/telemetry/traffic.js'
import { StoreFault } from '../../../store/fault.js'
import type { TrafficMinute } from '../../../store/ledger/gateways.js'

const basket = { endpoint: 'basket', status: 200, outcome: 'applied', code: '' }
const minuteMs = 60_000

/** A process whose minutes pass at the test's command, and a ledger that may be out of reach. */
function aProcess() {
  const metrics = createMetrics()
  const written: TrafficMinute[] = []
  const world = { nowMs: 7 * minuteMs + 5, isAway: false }
  const minutes = createTrafficMinutes({
    posLedger: {
      clock: () => world.nowMs,
      traffic: {
        async add(_, more) {
          if (world.isAway) throw new StoreFault('ledger', 'unreachable')
          written.push(...more)
        },
        judge: async () => {},
      },
    },
    processId: 'one',
    counter: metrics.traffic,
  })
  return { metrics, written, world, minutes }
}

t.test('a minute is written once it is over, with what was answered in it', async (t) => {
  const { metrics, written, world, minutes } = aProcess()
  metrics.answered({ ...basket, durationMs: 4 })
  metrics.answered({ ...basket, outcome: 'unchanged', durationMs: 5_000 })
  await minutes.turn()
  t.same(written, [], 'it goes on')
  world.nowMs += minuteMs
  await minutes.turn()
  t.match(written, [{ at: 7 * minuteMs, outcomes: { applied: 1, unchanged: 1 }, times: { '0.005': 1, '+Inf': 1 } }])
  t.equal(trafficOf(written, 60).percentile(50), 5)
  world.nowMs += minuteMs
  await minutes.turn()
  t.equal(written.length, 1, 'nothing was answered')
  metrics.answered({ ...basket, durationMs: 4 })
  await minutes.end()
  t.match(written[1], { at: 9 * minuteMs, outcomes: { applied: 1 } })
})

t.test('what cannot be written waits', async (t) => {
  const { metrics, written, world, minutes } = aProcess()
  world.isAway = true
  for (let count = 0; count < 2; count += 1) {
    metrics.answered({ ...basket, durationMs: 4 })
    world.nowMs += minuteMs
    await t.rejects(minutes.turn(), StoreFault)
  }
  world.isAway = false
  metrics.answered({ ...basket, durationMs: 4 })
  world.nowMs += minuteMs
  await minutes.turn()
  t.same(
    written.map(({ at }) => at / minuteMs),
    [7, 8, 9],
  )
  const all = trafficOf(written, 180)
  t.match(all, { seconds: 180, baskets: 3, outcomes: [{ outcome: 'applied', baskets: 3 }] })
  t.ok(all.percentile(99)! > 2.5 && all.percentile(99)! <= 5)
})
