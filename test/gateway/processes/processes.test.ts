import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import postgres from 'postgres'
import t from 'tap'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { RequestService } from '../../../gateway/gen/loyalty/v1/request_service_pb.js'
import { aBasket, aSale } from '../../e2e/basket.js'
import { eventually, type RunningService, startService, unhurried } from '../../e2e/service.js'
import { freePort } from '../../support/free-port.js'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { startRedis } from '../../support/servers/start-redis.js'
import { until } from '../../support/until.js'
import { aGrpcClient } from '../internal/grpc-client.js'

const programme = join(import.meta.dirname, '..', '..', 'e2e', 'programme.json')
const basketPath = '/v1/pos/basket'
const token = 'token-of-a-test'
const secret = 'secret-of-the-tests-0123456789abcdef'
/** Two for POSs, one for internal calls. */
const processes = 3

t.setTimeout(600_000)

const redis = await startRedis()
const pg = await startPostgres()
t.teardown(async () => {
  await redis.stop()
  await pg.stop()
})

const coffee = () => aBasket('anna').line({ productId: 'coffee', unitPrice: 450 })
const bun = () => aBasket('ben').line({ productId: 'bun', unitPrice: 120 })

async function start(more: Record<string, string> = {}, openFiles?: number): Promise<RunningService> {
  const stores = { REDIS_URL: redis.url, DATABASE_URL: await pg.createDatabase() }
  const own = { LOYALTY_PROCESSES: '2', LOYALTY_WORKERS: '1', LOYALTY_SECRETS: secret }
  const env = { ...unhurried, LOYALTY_PROGRAM: programme, ...own, ...stores, ...more }
  return await startService(openFiles === undefined ? { env } : { env, openFiles })
}

async function metricsOf({ internalUrl }: RunningService): Promise<string> {
  return await (await fetch(`${internalUrl}/metrics`)).text()
}

/** Values of a metric by process; 0 where a process has not counted yet. */
function byProcess(text: string, name: string): ReadonlyMap<string, number> {
  const found = [...text.matchAll(new RegExp(`^${name}\\{(?:.*,)?process="(\\w+)"\\} (\\S+)$`, 'gm'))]
  const sums = new Map<string, number>()
  for (const [, process, value] of found) sums.set(process!, (sums.get(process!) ?? 0) + Number(value))
  return sums
}

interface ListedGateway {
  readonly pid: number
  readonly processes: number
}

async function gatewaysOf({ internalUrl }: RunningService): Promise<readonly ListedGateway[]> {
  const answer = await fetch(`${internalUrl}/loyalty.v1.SystemService/ListGateways`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  return ((await answer.json()) as { gateways: ListedGateway[] }).gateways
}

/** A new connection for each call, so that every process gets its share. */
const apart = { headers: { connection: 'close' } }

const file = join(t.testdir(), 'programme.json')
writeFileSync(file, readFileSync(programme))
const database = await pg.createDatabase()
const shared = { DATABASE_URL: database, LOYALTY_TOKENS: `reader:${token},admin:${token}-2` }
const service = await start({
  ...shared,
  LOYALTY_PROGRAM: file,
  LOYALTY_GRPC: `127.0.0.1:${await freePort()}`,
})
t.teardown(() => service.stop('SIGKILL'))

t.test('several processes share the ports, the stores and the rules', async (t) => {
  const ready = (await (await fetch(`${service.url}/health/ready`)).json()) as object
  t.match(ready, { status: 'ready', parts: { processes: '3 of 3' } })

  const answers = await Promise.all(
    Array.from({ length: 60 }, () => eventually(() => service.send(basketPath, bun().text(), apart))),
  )
  t.equal(answers.filter(({ json }) => json.status === 'applied').length, 10, 'sixty baskets on ten units get ten')
  const text = coffee().text()
  const copies = await Promise.all(Array.from({ length: 12 }, () => service.send(basketPath, text, apart)))
  t.equal(new Set(copies.map((copy) => copy.text)).size, 1, 'copies over all processes get one answer')

  const answered = byProcess(await metricsOf(service), 'loyalty_requests_total')
  t.ok(
    [...answered].every(([process, count]) => (process === 'internal') === (count === 0)),
    'POS processes alone',
  )
  t.same([...answered.keys()].sort(), ['1', '2', 'internal'])
})

t.test(
  'internal calls have their own process, which shows what POSs are answered; its death disturbs no POS',
  async (t) => {
    const client = aGrpcClient(t, new URL(service.internalUrl).host, token)
    const leaving = new AbortController()
    t.teardown(() => leaving.abort())
    const transport = createGrpcTransport({ baseUrl: service.internalUrl })
    const headers = { authorization: `Bearer ${token}` }
    const watched = createClient(RequestService, transport)
      .watchRequests({}, { headers, signal: leaving.signal })
      [Symbol.asyncIterator]()
    await watched.next()

    const basket = coffee()
    const answer = await eventually(() => service.send(basketPath, basket.text(), apart))
    t.equal(answer.json.status, 'applied')
    const sale = JSON.stringify(aSale(basket.body(), { paidTotal: 405 }))
    t.equal((await service.send('/v1/pos/sale', sale)).status, 200, 'and its sale')
    for (const endpoint of ['basket', 'sale']) {
      t.match((await watched.next()).value, { request: { endpoint, status: 200 } }, 'a watcher sees it')
    }
    t.match(await client.unary(LimitService.method.listLimits, {}), { kind: 'answered' })
    t.equal((await fetch(`${service.internalUrl}/console`)).status, 200)
    t.equal((await fetch(`${service.url}/docs`)).status, 200)

    let isOver = false
    const statuses: number[] = []
    const selling = (async () => {
      while (!isOver) statuses.push((await service.send(basketPath, coffee().text(), apart)).status)
    })()
    const internal = internalPidOf(service)
    process.kill(internal, 'SIGKILL')
    t.equal(await replaced(1), 1)
    isOver = true
    await selling
    t.same(
      statuses.filter((status) => status !== 200),
      [],
      `${statuses.length} POS calls meanwhile`,
    )
    t.ok(statuses.length > 10)
    t.not(internalPidOf(service), internal)
    const again = aGrpcClient(t, new URL(service.internalUrl).host, token)
    t.match(await again.unary(LimitService.method.listLimits, {}), { kind: 'answered' })
  },
)

t.test('a process that dies is replaced, and published changes stay', async (t) => {
  const published = await versionOf(database)
  // If the replacement of the dead process published the file again, this would be one version more.
  writeFileSync(file, readFileSync(programme, 'utf8').replace('"Oslo"', '"Trondheim"'))
  const pids = pidsOf(service)
  const pid = pids.find((pid) => pid !== internalPidOf(service))!
  process.kill(pid, 'SIGKILL')
  const after = await until(
    () => pidsOf(service),
    (now) => now.length === processes && !now.includes(pid),
  )
  t.equal(new Set([...after, ...pids]).size, processes + 1, 'one place, one new process')
  t.equal(await replaced(2), 2)
  t.equal(await versionOf(database), published)
  t.equal((await eventually(() => service.send(basketPath, coffee().text(), apart))).json.status, 'applied')
})

t.test('a second start lists itself, warns once of 256 open files each, and ends with its supervisor', async (t) => {
  const second = await start(shared, 256)
  t.equal((await fetch(`${second.url}/health/ready`)).status, 200)
  t.equal(second.output.filter((line) => line.startsWith('open files: at most 256')).length, 1)
  const one = { processes, processesWanted: processes, cache: 'CACHE_REACH_UP' }
  const both = await until(
    () => gatewaysOf(service),
    (gateways) => gateways.length === 2 && gateways.every((gateway) => gateway.processes === processes),
  )
  t.match(both, [one, one])
  t.same(both.map(({ pid }) => pid).sort(), [service.child.pid, second.child.pid].sort(), 'the supervisors')
  const pids = pidsOf(second)
  await second.stop('SIGKILL')
  const left = await until(
    () => pids.filter(isAlive),
    (alive) => alive.length === 0,
  )
  t.same(left, [], 'no process is left on the port')
})

t.test('embedded stores and a port that is taken refuse several processes with one clear line', async (t) => {
  const refused = startService({ env: { LOYALTY_PROCESSES: '2' } })
  await t.rejects(refused, /LOYALTY_PROCESSES: expected 1, or DATABASE_URL and REDIS_URL besides: .*, received 2/)
  const again = start({ ...shared, LOYALTY_HTTP: new URL(service.url).host })
  await t.rejects(again, /LOYALTY_HTTP: cannot listen on .*EADDRINUSE/, 'a port that is taken stops the start of all')
})

t.test('POSs and internal calls are served apart from each other, on one ledger', async (t) => {
  const stores = { DATABASE_URL: await pg.createDatabase(), LOYALTY_PROCESSES: '1' }
  const internal = await start({ ...stores, LOYALTY_SERVE: 'internal', LOYALTY_TOKENS: `reader:${token}` })
  t.teardown(() => internal.stop())
  const pos = await start({ ...stores, LOYALTY_SERVE: 'pos', LOYALTY_TOKENS: `reader:${token}` })
  t.equal(internal.url, '')
  t.equal((await eventually(() => pos.send(basketPath, coffee().text()))).json.status, 'applied')
  const target = ({ internalUrl }: RunningService) => new URL(internalUrl).host
  const list = LimitService.method.listLimits
  t.match(await aGrpcClient(t, target(internal), token).unary(list, {}), { kind: 'answered' })
  t.match(await aGrpcClient(t, target(pos), token).unary(list, {}), { reason: 'UNIMPLEMENTED' })
  for (const service of [internal, pos]) t.equal((await fetch(`${service.internalUrl}/health/ready`)).status, 200)
  t.match(await metricsOf(pos), /^loyalty_requests_total\{endpoint="basket",status="200"/m)
  t.equal((await fetch(`${pos.internalUrl}/console`)).status, 401, 'no console')
  t.equal((await gatewaysOf(internal)).length, 2)
  t.equal(await pos.stop(), 0)
  t.equal((await gatewaysOf(internal)).length, 1, 'the other one has ended in order')
})

t.test('a signal to the supervisor drains all, and further signals to every process do not shorten it', async (t) => {
  const [first] = await Promise.all(Array.from({ length: 30 }, () => service.send(basketPath, coffee().text(), apart)))
  t.equal(first?.status, 200)
  const pids = pidsOf(service)
  const exited = new Promise((resolve) => service.child.once('exit', resolve))
  const running = Array.from({ length: 30 }, () => service.send(basketPath, coffee().text()))
  await Promise.race(running)
  // As a terminal or systemd does: the whole group gets the signal.
  for (const pid of [service.child.pid!, ...pids]) process.kill(pid, 'SIGTERM')
  for (const { status } of await Promise.all(running)) t.ok([200, 503].includes(status), `${status} and no reset`)
  t.equal(await exited, 0)
})

/** Waits until this number of processes were replaced; resolves to the number that were. */
async function replaced(count: number): Promise<number | undefined> {
  const [, restarts] = await until(
    async () => {
      const metrics = await metricsOf(service).catch(() => '')
      return ['loyalty_processes_up', 'loyalty_process_restarts'].map((name) =>
        byProcess(metrics, name).get('supervisor'),
      )
    },
    ([up, restarts]) => up === processes && restarts === count,
  )
  return restarts
}

function internalPidOf(service: RunningService): number {
  return pidsOf(service).find((pid) => {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return environment.includes(`LOYALTY_PROCESS_NUMBER=${processes}`)
  })!
}

function pidsOf({ child }: RunningService): readonly number[] {
  const text = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map(Number)
}

/** A zombie counts as dead. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function versionOf(database: string): Promise<number> {
  const sql = postgres(database, { max: 1 })
  const [row] = await sql`select max(version)::int4 as version from programme_version`
  await sql.end()
  return row!['version']
}
