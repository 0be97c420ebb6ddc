import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import t from 'tap'
import { type StartedServer, startServer } from '../../bench/run/start-server.js'
import { signBody } from '../../clients/pos-js/call.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'

function post({ url }: StartedServer, body: string, signature: string): Promise<Response> {
  return fetch(`${url}/v1/pos/basket`, { method: 'POST', body, headers: { 'POS-Signature': signature } })
}

t.test('floor/least stores its answer in Redis and the request in Postgres', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const databaseUrl = await server.createDatabase()
  const floor = await startServer({
    entry: 'floor',
    settings: { REDIS_URL: redis.url, DATABASE_URL: databaseUrl },
  })
  t.teardown(() => floor.stop())
  t.equal((await post(floor, '{}', '')).status, 401, 'unsigned')
  const calculationId = randomUUID()
  const body = JSON.stringify({ calculationId, lines: [] })
  t.equal((await post(floor, body, signBody(`${body} `, floor.secret, new Date()))).status, 401, 'another body')
  const response = await post(floor, body, signBody(body, floor.secret, new Date()))
  const answer = await response.text()
  t.same(JSON.parse(answer), { calculationId, status: 'applied', basket: { calculationId, lines: [] } })
  const reading = await floor.read({ collect: true })
  t.ok(reading.cpuMs > 0 && reading.rss > reading.heap && reading.heap > 0, 'its work can be read from outside')
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  t.equal(await client.get(`floor:${calculationId}`), answer)
  const sql = postgres(databaseUrl, { max: 1 })
  t.teardown(() => sql.end())
  for (;;) {
    // Not awaited by the call, so it appears later; the test's timeout ends a vain wait.
    const rows = await sql`select id from floor_request`.catch(() => [])
    if (rows.length === 0) continue
    t.same([...rows], [{ id: calculationId }])
    return
  }
})
