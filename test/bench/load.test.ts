import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createBaskets } from '../../bench/load/baskets.js'
import { driveOpenLoop, type Landing } from '../../bench/load/drive-open-loop.js'
import { createFiring } from '../../bench/load/fire-baskets.js'
import { type Load, planLoad, type Shot } from '../../bench/load/plan-load.js'
import { contractLatency, reportOf } from '../../bench/load/report.js'
import { createTallies } from '../../bench/load/tally.js'
import { readOptions } from '../../bench/options.js'
import type { PosBasket } from '../../bench/pos/basket.js'
import { problemsOf } from '../../bench/pos/check-basket.js'
import { venue } from './a-venue.js'
import { answerJson, createFakeService, discounted } from './fake-service.js'

const load: Load = { rate: 50, seconds: 2, warmupSeconds: 0, arrivals: 'fixed', lines: [20, 200], seed: 7 }
const programme = { document: '', benefitsJson: '', benefits: [], venues: [venue], members: [] }

t.test('the same seed gives the same plan, another one another', (t) => {
  const poisson = { ...load, arrivals: 'poisson', seconds: 20 } as const
  const shots = planLoad(poisson)
  t.equal(JSON.stringify(planLoad(poisson)), JSON.stringify(shots))
  t.not(JSON.stringify(planLoad({ ...poisson, seed: 8 })), JSON.stringify(shots))
  t.ok(Math.abs(shots.length - 1000) < 150, `${shots.length} arrivals where 1000 are expected`)
  t.ok(Math.abs(shots.filter((shot) => shot.lines === 20).length / shots.length - 0.5) < 0.1)
  t.end()
})

t.test('fixed arrivals are evenly apart, and those of the warm-up do not count', (t) => {
  const shots = planLoad({ ...load, warmupSeconds: 1 })
  t.same(
    shots.map((shot) => shot.dueMs),
    Array.from({ length: 150 }, (_, at) => at * 20),
  )
  t.equal(shots.filter((shot) => shot.counted).length, 100)
  t.end()
})

t.test('baskets add up, whatever is drawn, and none has the calculationId of another', (t) => {
  const draw = createBaskets(programme)
  const shots = planLoad({ ...load, lines: [1, 20] })
  const loaded = shots.map(draw)
  for (const { body } of loaded) {
    const basket = JSON.parse(body) as PosBasket
    t.same(problemsOf(basket, basket, venue), [])
  }
  t.equal(new Set(loaded.map((one) => one.calculationId)).size, shots.length)
  t.end()
})

t.test("a server's known delay is in every latency", async (t) => {
  const delayMs = 60
  const service = await createFakeService('s', (seen, response) => {
    setTimeout(() => answerJson(response, 200, unchanged(seen.body)), delayMs)
  })
  t.teardown(() => service.close())
  const landings = await landingsOf({ url: service.url, secret: 's' }, { ...load, seconds: 1 })
  t.equal(landings.length, 50)
  t.ok(landings.every((landing) => landing.outcome === 'unchanged'))
  t.ok(
    landings.every((landing) => landing.latencyMs >= delayMs - 1),
    'none is faster than the server',
  )
})

t.test('a stall of one second shows in every request that was due in it', async (t) => {
  const stall = { fromMs: 500, untilMs: 1500 }
  let startedAt = 0
  const service = await createFakeService('s', async (seen, response) => {
    startedAt ||= performance.now()
    const now = performance.now() - startedAt
    if (now > stall.fromMs && now < stall.untilMs) await sleep(stall.untilMs - now)
    answerJson(response, 200, unchanged(seen.body))
  })
  t.teardown(() => service.close())
  const landings = await landingsOf({ url: service.url, secret: 's' }, load)
  const slow = (ms: number) => landings.filter((landing) => landing.latencyMs >= ms).length
  // 50 requests are due in the second; a closed loop would have sent one and seen a single slow answer.
  t.ok(slow(500) >= 24, `${slow(500)} of at least 24 waited half the stall`)
  t.ok(slow(900) >= 4, `${slow(900)} of at least 4 waited nearly all of it`)
  const tallies = createTallies(load.lines)
  for (const landing of landings) tallies.add(landing)
  t.equal(reportOf(tallies, '').kept, false)
})

t.test('a generator that was late itself says so', async (t) => {
  const tallies = createTallies(load.lines)
  const blockMs = 80
  const busy = (): Promise<string> => {
    const until = performance.now() + blockMs
    while (performance.now() < until);
    return Promise.resolve('applied')
  }
  await driveOpenLoop(planLoad({ ...load, seconds: 0.4 }), busy, tallies.add)
  t.ok(tallies.lateness().max >= blockMs - 20)
  t.match(reportOf(tallies, '').lines.join('\n'), /GENERATOR ITSELF WAS LATE/)
})

t.test('answers that are wrong are counted as what they are and miss the contract', async (t) => {
  const answers = [
    (body: string) => [200, { calculationId: 'x', status: 'applied', basket: discounted(JSON.parse(body)) }],
    (body: string) => {
      const basket = discounted(JSON.parse(body))
      return [
        200,
        { calculationId: 'x', status: 'applied', basket: { ...basket, totals: { ...basket.totals, net: 1 } } },
      ]
    },
    () => [503, { error: { code: 'unavailable' } }],
  ] as const
  const service = await createFakeService('s', (seen, response) => {
    const answer = answers[service.seen.length - 1]
    if (answer === undefined) return void response.socket?.destroy()
    const [status, value] = answer(seen.body)
    answerJson(response, Number(status), value)
  })
  t.teardown(() => service.close())
  const landings = await landingsOf({ url: service.url, secret: 's' }, { ...load, rate: 10, seconds: 0.4, lines: [20] })
  t.same(landings.map((landing) => landing.outcome).sort(), ['applied', 'error', 'http_503', 'invalid'])
})

t.test('the report holds the contract against every case and every error', (t) => {
  const report = (landings: readonly (readonly [lines: number, latencyMs: number, outcome: string])[]) => {
    const tallies = createTallies([20, 200])
    for (const [lines, latencyMs, outcome] of landings) {
      tallies.add({ shot: { dueMs: 0, lines, draw: 0, counted: true }, latencyMs, lateMs: 0, outcome })
    }
    return reportOf(tallies, 'seed 1')
  }
  const fast = [
    [20, 5, 'applied'],
    [200, 9, 'unchanged'],
  ] as const
  t.equal(report(fast).kept, true)
  t.match(report(fast).lines[0], /^gateway\/basket\/20 .*p99 +5\.\d\d ms.*seed 1/)
  t.equal(report([...fast, [20, contractLatency.p99 + 1, 'applied']]).kept, false)
  t.equal(report([...fast, [20, 5, 'http_429']]).kept, false)
  t.equal(report([[20, 5, 'applied']]).kept, false, 'a case without an answer is not kept')
  t.end()
})

t.test('an error in the warm-up is not forgotten, its latency is', (t) => {
  const tallies = createTallies([20])
  const warm = { dueMs: 0, lines: 20, draw: 0, counted: false }
  tallies.add({ shot: warm, latencyMs: 900, lateMs: 0, outcome: 'applied' })
  tallies.add({ shot: { ...warm, counted: true }, latencyMs: 5, lateMs: 0, outcome: 'applied' })
  t.equal(reportOf(tallies, '').kept, true)
  tallies.add({ shot: warm, latencyMs: 900, lateMs: 0, outcome: 'http_500' })
  t.equal(reportOf(tallies, '').kept, false)
  t.end()
})

t.test('wrong words are refused in one sentence, and --smoke is what runs without any', (t) => {
  t.same(readOptions(['--smoke']), readOptions([]))
  t.match(readOptions(['--smoke']), {
    options: { load: { rate: 50, seconds: 30, lines: [20, 200] }, stores: 'embedded' },
  })
  for (const words of [['--rate', '0'], ['--lines', '20,x'], ['--stores', 'none'], ['--url', 'http://x'], ['--fast']]) {
    t.match(readOptions(words), { kind: 'wrong' }, words.join(' '))
  }
  t.end()
})

function unchanged(body: string) {
  return { calculationId: (JSON.parse(body) as PosBasket).calculationId, status: 'unchanged', reason: 'no_benefits' }
}

async function landingsOf(service: { url: string; secret: string }, { ...what }: Load): Promise<Landing[]> {
  const firing = createFiring(service, what.rate, createBaskets(programme))
  const landings: Landing[] = []
  await driveOpenLoop(
    planLoad(what),
    (shot: Shot) => firing.fire(shot),
    (landing) => landings.push(landing),
  )
  await firing.close()
  return landings
}
