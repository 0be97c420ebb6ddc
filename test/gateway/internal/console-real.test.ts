import t from 'tap'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { startRedis } from '../../support/servers/start-redis.js'
import { type Served, startServed } from './served.js'
import { consoleSuite } from './services-suite.js'

// A whole service, on a busy machine.
t.setTimeout(300_000)

t.test('what a console asks, on Redis and Postgres', async (t) => {
  const redis = await startRedis()
  const postgres = await startPostgres()
  const url = await postgres.createDatabase()
  let served: Served
  t.before(async () => {
    served = await startServed({ REDIS_URL: redis.url, DATABASE_URL: url })
  })
  t.after(async () => {
    await served.service.stop()
    await redis.stop()
    await postgres.stop()
  })
  consoleSuite(t, () => served)
})
