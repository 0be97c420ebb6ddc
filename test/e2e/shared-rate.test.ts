import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startRedis } from '../support/servers/start-redis.js'
import { startService } from './service.js'

const burst = 20
const calls = 6 * burst
/** Calls are spread, so that a busy machine receives each answer of Redis in time. */
const pauseMs = 5
/**
 * So slow that few tokens come back while the test runs; they are allowed for. Calls to Redis get their share of the deadline: a
 * gateway for which Redis is late rightly takes from a bucket of its own, as if there were none.
 */
const env = {
  LOYALTY_DEADLINE_MS: '20000',
  LOYALTY_SECRETS: 'secret-of-the-tests',
  LOYALTY_RATE: '1',
  LOYALTY_BURST: String(burst),
}

t.setTimeout(600_000)

const redis = await startRedis()
t.teardown(() => redis.stop())
const start = () => startService({ env: { ...env, REDIS_URL: redis.url } })
const services = await Promise.all([start(), start()])
t.teardown(() => Promise.all(services.map((service) => service.stop())))

/** The number of calls that pass the rate limit: their body is refused after it (wire decisions 3, check 9). */
async function callBoth(): Promise<{ passed: number; seconds: number }> {
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: calls }, async (_, at) => {
      await sleep(at * pauseMs)
      return await services[at % services.length]!.send('/v1/pos/basket', '{}', { key: randomUUID() })
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  return { passed: answers.filter(({ status }) => status === 400).length, seconds }
}

t.test('two gateways share one bucket through Redis', async (t) => {
  const { passed, seconds } = await callBoth()
  t.ok(passed >= burst, `${passed} calls come in`)
  t.ok(passed <= burst + Math.ceil(seconds) + 1, `${passed} in ${seconds.toFixed(1)} s, of both gateways together`)
})

t.test('two gateways have a bucket each, full at first, once Redis is away', async (t) => {
  await redis.kill()
  const { passed, seconds } = await callBoth()
  t.ok(passed >= 2 * burst, `${passed} calls come in`)
  t.ok(passed <= 2 * (burst + Math.ceil(seconds) + 1), `${passed} in ${seconds.toFixed(1)} s`)
})
