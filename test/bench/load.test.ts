import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { resultOf, streamOf, within } from '../../bench/cases/bench-case.js'
import { startGenerator } from '../../bench/load/generator.js'
import { runLoad } from '../../bench/load/run-load.js'
import type { PosBasket } from '../../clients/pos-js/basket.js'
import { answerJson, createFakeService, type FakeService } from '../clients/fake-service.js'
import { aLoad, goodAnswer } from './a-load.js'

const secret = 's'

/** Answers everything as a good service does. */
function goodService(t: Test): Promise<FakeService> {
  return fakeService(t, (seen, response) => answerJson(response, 200, goodAnswer(seen)))
}

async function fakeService(t: Test, answer: Parameters<typeof createFakeService>[1]): Promise<FakeService> {
  const service = await createFakeService(secret, answer)
  t.teardown(() => service.close())
  return service
}

t.test('every request is signed, has a key of its own and is answered once', async (t) => {
  const service = await goodService(t)
  const report = await runLoad(aLoad, { url: service.url, secret })
  const basket = streamOf(report, 'basket')
  t.equal(basket.latency.count, 50)
  t.same(basket.outcomes, { applied: 50 })
  t.ok(service.seen.every(({ signed }) => signed))
  t.same(
    service.seen.map(({ headers }) => headers['idempotency-key']),
    service.seen.map(({ body }) => (JSON.parse(body) as PosBasket).calculationId),
  )
  t.equal(new Set(service.seen.map(({ headers }) => headers['idempotency-key'])).size, 50)
})

t.test("a server's own delay is in every latency", async (t) => {
  const delayMs = 60
  const service = await fakeService(t, (seen, response) => {
    setTimeout(() => answerJson(response, 200, goodAnswer(seen)), delayMs)
  })
  const report = await runLoad(aLoad, { url: service.url, secret })
  const { latency } = streamOf(report, 'basket')
  t.equal(latency.count, 50)
  // Timers may be a millisecond early, and the histogram keeps three digits.
  t.ok(latency.min >= delayMs - 1.1, `none is faster than the server: ${latency.min} ms`)
})

t.test('a pause of one second at 100 a second shows in every request that was due in it', async (t) => {
  const stallMs = 1_000
  let stalled: Promise<unknown> | null = null
  let arrived = 0
  const service = await fakeService(t, async (seen, response) => {
    arrived += 1
    // From the hundredth request on the server pauses for a second.
    if (arrived === 100) stalled = sleep(stallMs)
    await stalled
    answerJson(response, 200, goodAnswer(seen))
  })
  const stages = [{ rate: 100, seconds: 3, counted: true }]
  const report = await runLoad({ ...aLoad, stages }, { url: service.url, secret })
  const { latency } = streamOf(report, 'basket')
  t.equal(latency.count, 300)
  // 100 of 300 requests are due in the pause and wait from 1,000 ms down to 0: a tenth of all waits 700 ms or more, a sixth 500.
  // A closed loop would have sent one and reported 99.7 % as fast. Load of the machine only adds to it.
  t.ok(latency.max >= 980, `the longest waited ${latency.max} ms`)
  t.ok(latency.p99 >= 940, `p99 ${latency.p99} ms`)
  t.ok(latency.p95 >= 800, `p95 ${latency.p95} ms`)
  t.notOk(within(latency, { p99: 250 }).every(({ met }) => met))
})

t.test('a generator that was late reports it, and its result misses a target', async (t) => {
  const blockMs = 400
  let stood = false
  const service = await fakeService(t, (seen, response) => {
    const until = performance.now() + (stood ? 0 : blockMs)
    stood = true
    // The generator runs in this process and pauses too: requests due meanwhile are sent late, and answered at once.
    while (performance.now() < until);
    answerJson(response, 200, goodAnswer(seen))
  })
  const stages = [{ rate: 50, seconds: 0.4, counted: true }]
  const report = await runLoad({ ...aLoad, stages }, { url: service.url, secret })
  t.equal(report.kept, false)
  t.ok(report.late.p99 >= blockMs / 2, `${report.late.p99} ms late`)
  const result = resultOf('x', streamOf(report, 'basket'), { report, note: '' })
  t.match(result.note, /COULD NOT KEEP ITS RATE/)
  t.ok(result.targets.some(({ text, met }) => text === 'generator on time' && !met))
})

t.test('wrong answers are counted by kind, with the first of each in words', async (t) => {
  const answers: readonly Parameters<typeof createFakeService>[1][] = [
    (seen, response) => answerJson(response, 200, goodAnswer(seen)),
    (seen, response) => {
      const good = goodAnswer(seen) as { readonly basket: PosBasket }
      answerJson(response, 200, { ...good, basket: { ...good.basket, totals: { ...good.basket.totals, net: 1 } } })
    },
    (_, response) => answerJson(response, 503, { error: { code: 'unavailable' } }),
    (_, response) => void response.socket?.destroy(),
    (seen, response) => answerJson(response, 200, goodAnswer(seen), { 'Idempotent-Replayed': 'true' }),
    (_, response) => answerJson(response, 200, {}),
  ]
  let at = 0
  const service = await fakeService(t, (seen, response) => answers[at++]!(seen, response))
  const stages = [{ rate: 20, seconds: 0.3, counted: true }]
  const report = await runLoad({ ...aLoad, stages }, { url: service.url, secret })
  const { outcomes, errors } = streamOf(report, 'basket')
  t.same(outcomes, { applied: 1, invalid: 2, http_503: 1, broken: 1, unexpected_replay: 1 })
  t.equal(errors, 5)
  t.same(Object.keys(report.problems).sort(), ['broken', 'http_503', 'invalid', 'unexpected_replay'])
})

t.test('an error in the warm-up is counted, its latency is not', async (t) => {
  let answered = 0
  const service = await fakeService(t, (seen, response) => {
    answered += 1
    if (answered === 1) answerJson(response, 500, {})
    else answerJson(response, 200, goodAnswer(seen))
  })
  const stages = [
    { rate: 20, seconds: 0.2, counted: false },
    { rate: 20, seconds: 0.2, counted: true },
  ]
  const report = await runLoad({ ...aLoad, stages }, { url: service.url, secret })
  const { latency, errors, warmupErrors, outcomes } = streamOf(report, 'basket')
  t.equal(latency.count, 4)
  t.same({ errors, warmupErrors, outcomes }, { errors: 1, warmupErrors: 1, outcomes: { applied: 4 } })
  const { note, targets } = resultOf('x', streamOf(report, 'basket'), { report, note: 'a load' })
  t.match(note, /^a load; applied 4 \(100\.0 %\), 1 errors in the warm-up; first error, http_500: \{\}/)
  t.ok(targets.some(({ text, met }) => text === 'no errors, not 1' && !met))
})

t.test('an answer that comes in pieces, or closes the connection, is an answer', async (t) => {
  let at = 0
  const service = await fakeService(t, (seen, response) => {
    const body = JSON.stringify(goodAnswer(seen))
    if (at++ % 2 === 0) return void answerJson(response, 200, goodAnswer(seen), { Connection: 'close' })
    response.writeHead(200, { 'Content-Length': Buffer.byteLength(body) })
    response.write(body.slice(0, 10))
    setImmediate(() => response.end(body.slice(10)))
  })
  const stages = [{ rate: 100, seconds: 0.3, counted: true }]
  const report = await runLoad({ ...aLoad, stages }, { url: service.url, secret })
  t.same(streamOf(report, 'basket').outcomes, { applied: 30 })
})

t.test('the generator runs in its own process and returns its measurements', async (t) => {
  const service = await goodService(t)
  const generator = await startGenerator()
  t.teardown(() => generator.stop())
  const report = await generator.run({ load: aLoad, service: { url: service.url, secret } })
  t.same(streamOf(report, 'basket').outcomes, { applied: 50 })
  t.same(
    report.streams.map(({ name }) => name),
    ['basket', 'basket/2', 'basket/5'],
  )
  t.equal(report.streams[1]!.latency.count + report.streams[2]!.latency.count, 50)
  const bare = { url: 'http://127.0.0.1:9', secret }
  await t.rejects(generator.run({ load: aLoad, service: bare }), /ECONNREFUSED/, 'a missing service is reported')
})
