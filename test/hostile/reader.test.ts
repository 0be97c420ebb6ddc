import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { request } from 'undici'
import { aBasket } from '../e2e/basket.js'
import { aGrpcClient } from '../gateway/rpc/grpc-client.js'
import { startServed } from '../gateway/rpc/served.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { sized } from '../support/sized.js'
import { messages, simulate } from './reader-messages.js'

/** The heap of a process here, and the memory that deploy/kubernetes gives it, in MB. */
const heapMb = 400
const memoryMb = 768
/**
 * Sets the heap limit that V8 chooses in a container of `memoryMb`. The flag is reset once the process has its heap, as it would
 * otherwise override the limits of threads.
 */
const takenBack = "import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--max-old-space-size=0')"
const heapOptions = `--max-old-space-size=${heapMb} --import=data:text/javascript,${encodeURIComponent(takenBack)}`
/** Calls of each kind at once. */
const atOnce = sized(3, 8)

t.setTimeout(600_000)

t.test(`a hostile reader neither ends a process with ${heapMb} MB of heap nor stops its POS calls`, async (t) => {
  // As deployed: the embedded ledger alone would take a third of the memory.
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
  t.teardown(() => Promise.all([redis.stop(), postgres.stop()]))
  const stores = { REDIS_URL: redis.url, DATABASE_URL: await postgres.createDatabase() }
  const served = await startServed({ NODE_OPTIONS: heapOptions, LOYALTY_LOG: 'error', ...stores })
  t.teardown(() => served.service.stop())
  const { child } = served.service
  const client = aGrpcClient(t, served.target, served.tokens.reader)
  const sell = () => served.send('/v1/pos/basket', aBasket('ben').line({ productId: 'coffee', unitPrice: 450 }).text())
  for (const [name, path, message, reasons] of messages) {
    const attack = Promise.all(Array.from({ length: atOnce }, () => client.raw(path, message)))
    t.equal((await sell()).status, 200, `${name}: a basket is answered meanwhile`)
    for (const outcome of await attack) {
      const reason = outcome.kind === 'answered' ? '' : outcome.reason
      t.ok(reasons.includes(reason), `${name}: ${reason}`)
    }
    t.comment(`${name}: peak memory so far ${peakMb(child.pid)} MB`)
  }
  const bomb = gzipSync(Buffer.alloc(200_000_000, 0x20))
  const json = `{"basket":{"lines":[${'{},'.repeat(100_000)}{}]}}`
  for (const [body, more] of [
    [bomb, { 'content-encoding': 'gzip' }],
    [json, {}],
  ] as const) {
    const headers = { authorization: `Bearer ${served.tokens.reader}`, 'content-type': 'application/json', ...more }
    const answer = await request(`${served.service.internalUrl}${simulate}`, { method: 'POST', headers, body })
    t.ok([400, 429].includes(answer.statusCode), `JSON: ${answer.statusCode} ${await answer.body.text()}`)
  }
  t.equal((await sell()).status, 200)
  t.equal(child.exitCode, null, 'the process lives')
  const peak = peakMb(child.pid)
  t.comment(`peak memory ${peak} MB`)
  if (!Number.isNaN(peak)) t.ok(peak < memoryMb, `${peak} MB`)
  t.same(
    served.service.output.filter((line) => line.startsWith('{')),
    [],
    'and logs no error',
  )
})

/** The peak memory of a process, in MB; NaN where the system does not report it. */
function peakMb(pid: number | undefined): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024)
  } catch {
    return Number.NaN
  }
}
