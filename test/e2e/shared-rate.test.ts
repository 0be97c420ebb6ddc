import { randomUUID } from 'node:crypto'
import t from 'tap'
import { startRedis } from '../servers/start-redis.js'
import { until } from '../until.js'
import { type RunningService, startService } from './service.js'

const burst = 20
/** So slow that few tokens come back during the test; the test allows for them. */
const env = { LOYALTY_SECRETS: 'secret-of-the-tests', LOYALTY_RATE: '1', LOYALTY_BURST: String(burst) }

t.setTimeout(600_000)

/** How many of these calls pass the rate limit: their body is refused after it (wire decisions 3, check 9). */
async function passed(
  services: readonly RunningService[],
  calls: number,
): Promise<{ passed: number; seconds: number }> {
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: calls }, (_, at) =>
      services[at % services.length]!.send('/v1/pos/basket', '{}', { key: randomUUID() }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1000
  return { passed: answers.filter(({ status }) => status === 400).length, seconds }
}

t.test('two gateways share one bucket through Redis, and have one each without it', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const start = () => startService({ env: { ...env, REDIS_URL: redis.url } })
  const services = await Promise.all([start(), start()])
  t.teardown(() => Promise.all(services.map((service) => service.stop())))
  const shared = await passed(services, 6 * burst)
  t.ok(shared.passed >= burst, `${shared.passed} calls come in`)
  t.ok(
    shared.passed <= burst + Math.ceil(shared.seconds) + 1,
    `${shared.passed} in ${shared.seconds.toFixed(1)} s, of both gateways together`,
  )

  await redis.stop()
  const alone = await until(
    () => passed(services, 6 * burst),
    ({ passed }) => passed > burst + 2,
  )
  t.ok(alone.passed > burst + 2, `${alone.passed} calls come in without Redis: each gateway has a bucket of its own`)
  t.ok(alone.passed <= 2 * (burst + Math.ceil(alone.seconds) + 1))
})
