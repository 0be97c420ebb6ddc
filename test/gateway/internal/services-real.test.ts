import t from 'tap'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { startRedis } from '../../support/servers/start-redis.js'
import { replicaPromises } from './replica-promises.js'
import { type Served, startServed } from './served.js'
import { servicesSuite } from './services-suite.js'

// A whole service, on a busy machine.
t.setTimeout(600_000)

t.test('internal services on Redis and Postgres', async (t) => {
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
  servicesSuite(t, () => served)
  t.test('another gateway', async (t) => {
    const other = await startServed({ REDIS_URL: redis.url, DATABASE_URL: url })
    t.teardown(() => other.service.stop())
    await replicaPromises(t, served, other)
  })
})
