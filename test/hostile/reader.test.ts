import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { request } from 'undici'
import { aBasket } from '../e2e/basket.js'
import { aGrpcClient } from '../gateway/internal/grpc-client.js'
import { startServed } from '../gateway/internal/served.js'
import { freePort } from '../support/free-port.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { sized } from '../support/sized.js'
import { until } from '../support/until.js'
import { messages, simulate } from './reader-messages.js'

/** The heap of a process here, in MB, as V8 chooses it in a container of 768. */
const heapMb = 400
/** The flag is reset once the process has its heap, as it would otherwise override the limits of threads. */
const takenBack = "import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--max-old-space-size=0')"
const heapOptions = `--max-old-space-size=${heapMb} --import=data:text/javascript,${encodeURIComponent(takenBack)}`
/** Calls of each kind at once. */
const atOnce = sized(3, 8)

t.setTimeout(600_000)

t.test(
  'a hostile reader ends no process that serves POSs, and no POS call; the internal one is there afterwards',
  async (t) => {
    const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
    t.teardown(() => Promise.all([redis.stop(), postgres.stop()]))
    // A replaced process listens on the same port.
    const address = { LOYALTY_GRPC: `127.0.0.1:${await freePort()}` }
    const stores = { REDIS_URL: redis.url, DATABASE_URL: await postgres.createDatabase(), LOYALTY_PROCESSES: '2' }
    const served = await startServed({ NODE_OPTIONS: heapOptions, ...stores, ...address })
    t.teardown(() => served.service.stop())
    const { service, tokens } = served
    const basket = () => aBasket('ben').line({ productId: 'coffee', unitPrice: 450 }).text()
    const sell = async (name: string) =>
      t.equal((await service.send('/v1/pos/basket', basket())).status, 200, `${name}: a basket is answered meanwhile`)
    const posPids = pidsOf(service.child.pid!).slice(0, 2)
    for (const [name, path, message] of messages) {
      const client = aGrpcClient(t, served.target, tokens.reader)
      const attack = Promise.allSettled(Array.from({ length: atOnce }, () => client.raw(path, message)))
      await sell(name)
      await attack
      await sell(name)
    }
    const headers = { authorization: `Bearer ${tokens.reader}`, 'content-type': 'application/json' }
    const bomb = {
      body: gzipSync(Buffer.alloc(200_000_000, 0x20)),
      headers: { ...headers, 'content-encoding': 'gzip' },
    }
    const lines = { body: `{"basket":{"lines":[${'{},'.repeat(100_000)}{}]}}`, headers }
    for (const call of [bomb, lines]) {
      await request(`${service.internalUrl}${simulate}`, { method: 'POST', ...call })
        .then(({ body }) => body.dump())
        .catch(() => {})
      await sell('JSON')
    }
    t.same(pidsOf(service.child.pid!).slice(0, 2), posPids, 'both POS processes live')
    t.equal(
      await until(
        async () => (await request(`${service.internalUrl}/health/ready`).catch(() => null))?.statusCode,
        (status) => status === 200,
      ),
      200,
    )
  },
)

/** Processes that a process has started, in this order. */
function pidsOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').map(Number)
}
