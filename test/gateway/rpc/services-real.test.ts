import t from 'tap'
import { startPostgres } from '../../servers/start-postgres.js'
import { startRedis } from '../../servers/start-redis.js'
import { type Served, startServed } from './served.js'
import { servicesSuite } from './services-suite.js'

t.test('internal services on Redis and Postgres', async (t) => {
  const redis = await startRedis()
  const postgres = await startPostgres()
  let served: Served
  t.before(async () => {
    served = await startServed({ REDIS_URL: redis.url, DATABASE_URL: await postgres.createDatabase() })
  })
  t.after(async () => {
    await served.service.stop()
    await redis.stop()
    await postgres.stop()
  })
  servicesSuite(t, () => served)
})
