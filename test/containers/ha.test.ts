import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { readAftermath } from '../faults/aftermath.js'
import { check, isAtRest } from '../faults/check.js'
import { createCounterClient } from '../faults/counter-client.js'
import { answered, type Call, type Endpoint } from '../faults/history.js'
import { importOpening, readLedgerRows, recountValue } from '../faults/ledger-rows.js'
import { maxima, programmeFile } from '../faults/programmes.js'
import { judge, settle } from '../faults/run-case.js'
import { startTraffic } from '../faults/traffic.js'
import { probeLimits, watchLimits } from '../faults/watch-limits.js'
import { Dice } from '../support/dice.js'
import { until } from '../support/until.js'
import { as, type Host, obstacle, openHosts, root, run } from './machine.js'

/** How often each fault is made: its times are printed. `FAULT=switchover ROUNDS=5 node dist/test/containers/ha.test.js` */
const rounds = Number(process.env['ROUNDS'] ?? 1)
const only = process.env['FAULT']
/** Calls a second. Those without an answer are repeated each second: 25 s of silence make 25 times as many. */
const rate = Number(process.env['RATE'] ?? 15)
const calmMs = 3_000
/** After the repair everything is settled within this; the machine also runs both hosts. */
const settledMs = 30_000
const secret = 'secret-of-the-hosts-0123456789abcdef'
const password = 'password-of-the-hosts'
const patroniSettings = {
  PATRONI_SUPERUSER_PASSWORD: password,
  PATRONI_REPLICATION_PASSWORD: password,
  PATRONI_RESTAPI_PASSWORD: password,
}
const main = join(root, 'dist', 'gateway', 'main.js')

t.setTimeout(rounds * 850_000)

interface Ha {
  readonly hosts: readonly Host[]
  /** The host of the primary, once there is another one than `not`. */
  primary(not?: Host): Promise<Host>
  /** Resolves when there are a primary and a standby that has all it has. */
  whole(): Promise<void>
  startGateway(host: Host): Promise<void>
  /** By host: exit codes of gateways that ended. */
  readonly ended: (number | null)[]
  readonly url: (host: Host) => string
}

interface Fault {
  readonly title: string
  /** A Redis master is lost with the primary. */
  readonly cacheFails?: true
  run(ha: Ha): Promise<void>
}

const faults: readonly Fault[] = [
  {
    title: 'kill -9 of the primary',
    async run({ primary }) {
      const host = await primary()
      await host.signal('KILL', 'postgres')
      await primary(host)
    },
  },
  {
    title: 'kill -9 of Patroni beside the primary',
    async run({ primary }) {
      const host = await primary()
      await host.signal('KILL', 'patroni')
      await primary(host)
      startPatroni(host)
    },
  },
  {
    title: "kill -9 of etcd's leader",
    async run({ hosts }) {
      const leader = await leaderOfEtcd(hosts)
      await leader.signal('KILL', 'etcd')
      await sleep(8_000)
      startEtcd(leader)
    },
  },
  {
    title: 'SIGSTOP of the primary',
    async run({ primary }) {
      const host = await primary()
      await host.signal('STOP', 'postgres')
      await primary(host)
      await sleep(calmMs)
      await host.signal('CONT', 'postgres')
    },
  },
  {
    title: 'the host of the primary cut off from the others',
    cacheFails: true,
    async run({ hosts, primary }) {
      const host = await primary()
      for (const other of hosts.filter((each) => each !== host)) {
        await host.run('iptables', '--append', 'INPUT', '--source', other.address, '--jump', 'DROP')
      }
      await primary(host)
      await sleep(calmMs)
      await host.run('iptables', '--flush')
    },
  },
  {
    title: 'switchover',
    async run({ hosts, primary }) {
      const host = await primary()
      const candidate = hosts.find((each) => each !== host)!
      const words = ['switchover', 'loyalty', '--leader', host.name, '--candidate', candidate.name, '--force']
      await host.run(
        'env',
        ...assigned(patroniSettings),
        'patronictl',
        '-c',
        join(host.folder, 'patroni.yaml'),
        ...words,
      )
      await primary(host)
    },
  },
  {
    title: 'gateways upgraded one after the other',
    async run({ hosts, startGateway, ended }) {
      for (const host of hosts.slice(0, 2)) {
        const before = ended.length
        await host.signal('TERM', 'node')
        await until(
          () => ended.length,
          (count) => count > before,
        )
        await startGateway(host)
      }
      t.same(ended, [0, 0], 'each ends by itself')
    },
  },
]

async function haTests(): Promise<void> {
  const hosts = await openHosts(t, { 'ha-1': '10.77.0.11', 'ha-2': '10.77.0.12', 'ha-3': '10.77.0.13' }, [
    ...['/var/lib/etcd', '/var/lib/postgresql', '/var/run/postgresql', '/var/lib/redis'],
  ])
  for (const host of hosts) writeFiles(host)
  await startStores(hosts)
  for (const fault of faults.filter(({ title }) => only === undefined || title.includes(only))) {
    const silences: (readonly number[])[] = []
    for (let round = 1; round <= rounds; round += 1) {
      await t.test(`${fault.title}, ${round}`, async (t) => {
        const { violations, silent } = await perform(hosts, fault, round)
        silences.push(silent)
        t.same(violations, [], 'no sale lost, no limit or balance passed, one answer for a key')
      })
    }
    const [baskets, sales] = [0, 1].map((at) => silences.map((each) => each[at]!).sort((a, b) => a - b))
    t.comment(
      `${fault.title}: seconds without answers, p50 and max: baskets ${spread(baskets!)}; sales ${spread(sales!)}`,
    )
  }
}

/** Gateways on a database of their own with traffic around the fault; then every invariant is checked. */
async function perform(hosts: readonly Host[], fault: Fault, seed: number) {
  const dice = new Dice(seed)
  const ha = createHa(hosts, await emptyStores(hosts))
  const [one, two] = hosts as readonly [Host, Host]
  for (const host of [one, two]) {
    // Its log is judged by the fault that made it.
    rmSync(join(host.folder, 'node.log'), { force: true })
    await ha.startGateway(host)
  }
  const databaseUrl = async () => ha.url(await ha.primary())
  await importOpening(await databaseUrl())
  const either = (await databaseUrl()).replace(/@[^/]+/, `@${one.address}:5432,${two.address}:5432`)
  const sql = postgres(either, { max: 2, connect_timeout: 2, target_session_attrs: 'read-write', onnotice: () => {} })
  const doors = [one, two].map(({ address }) => `http://${address}:8000`)
  const client = createCounterClient({ count: 2, url: (at) => doors[at]!, secret }, dice)
  const watch = watchLimits({ sql }, maxima)
  const traffic = startTraffic(client, dice, rate)
  try {
    await sleep(calmMs)
    const began = performance.now()
    await fault.run(ha)
    await ha.whole()
    await sleep(calmMs)
    const silent = (['basket', 'sale'] as const).map((endpoint) => silence(client.history, endpoint, began))
    traffic.stop()
    await settle(client, settledMs)
    const gateways = [one, two].map((host) => slotOf(host, fault))
    const probes = await probeLimits({ sql, gateways }, client, { maxima, withinMs: settledMs })
    const env = { LOYALTY_PROCESSES: '3' }
    const cluster = { url: redisUrls(hosts) }
    const redisCommand = () => Promise.reject(new Error('a cluster'))
    const aftermath = await readAftermath({ sql, gateways, env, cluster, redisCommand }, settledMs, isAtRest)
    const evidence = {
      aftermath,
      ...{ history: client.history, rows: await readLedgerRows(sql), maxima, expiryMs: 5_000, probes },
      sightings: await watch.stop(),
      recount: await recountValue(await databaseUrl()),
    }
    return { violations: judge(check(evidence), evidence, fault).violations.slice(0, 5), silent }
  } finally {
    traffic.stop()
    await watch.stop()
    await client.close()
    await sql.end({ timeout: 1 })
    for (const host of [one, two]) await host.signal('KILL', 'node')
  }
}

function createHa(hosts: readonly Host[], database: string): Ha {
  const databases = hosts.slice(0, 2)
  const ended: (number | null)[] = []
  const url = (host: Host) => `postgres://loyalty:${password}@${host.address}/${database}`
  const answers = async (host: Host, path: string) =>
    await fetch(`http://${host.address}:8008/${path}`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  async function hostThat(path: string, not?: Host): Promise<Host | undefined> {
    for (const host of databases) if (host !== not && (await answers(host, path))) return host
    return undefined
  }
  return {
    hosts,
    ended,
    url,
    async primary(not) {
      const found = await until(
        () => hostThat('primary', not),
        (host) => host !== undefined,
      )
      if (found === undefined) throw new Error('there is no primary')
      return found
    },
    async whole() {
      const both = () => Promise.all([hostThat('primary'), hostThat('sync')])
      const found = await until(both, (each) => each.every((host) => host !== undefined))
      if (found.includes(undefined)) throw new Error('there is no synchronous standby')
    },
    async startGateway(host) {
      writeFileSync(join(host.folder, 'database-url'), `postgres://loyalty:${password}@127.0.0.1:5000/${database}`)
      void host.start(process.execPath, [main], gatewaySettings(host)).then((code) => ended.push(code))
      await untilReady(`http://${host.address}:8080`)
    },
  }
}

/** The files of deploy/ha as an operator writes them. */
function writeFiles(host: Host): void {
  for (const name of ['etcd.env', 'patroni.yaml', 'haproxy.cfg', 'redis.conf', 'loyalty.env', 'unavailable.http']) {
    const text = readFileSync(join(root, 'deploy', 'ha', name), 'utf8')
    const own = text.replaceAll('OWN_NAME', host.name).replaceAll('OWN_ADDRESS', host.address)
    writeFileSync(join(host.folder, name), own.replaceAll(/\/etc\/(loyalty|haproxy)\//g, `${host.folder}/`))
  }
  chmodSync(host.folder, 0o777)
}

function readSettings(host: Host, name: string): Record<string, string> {
  const lines = readFileSync(join(host.folder, name), 'utf8').matchAll(/^(\w+)=(.*)$/gm)
  return Object.fromEntries([...lines].map(([, key, value]) => [key!, value!]))
}

function gatewaySettings(host: Host): Record<string, string> {
  return {
    ...readSettings(host, 'loyalty.env'),
    ...{ LOYALTY_SECRETS: secret, LOYALTY_TOKENS: `admin:${secret}`, LOYALTY_PROGRAM: programmeFile },
    ...{
      LOYALTY_EXPIRY_S: '5',
      LOYALTY_WORKERS: '1',
      LOYALTY_RATE: '0',
      LOYALTY_LOG: 'error',
      LOYALTY_DATA: host.folder,
    },
  }
}

function startEtcd(host: Host): void {
  void host.start('etcd', [], readSettings(host, 'etcd.env'))
}

function startPatroni(host: Host): void {
  void host.start(
    'setpriv',
    [...as('postgres').slice(1), 'patroni', join(host.folder, 'patroni.yaml')],
    patroniSettings,
  )
}

async function startStores(hosts: readonly Host[]): Promise<void> {
  for (const host of hosts) {
    startEtcd(host)
    for (const port of ['7001', '7002']) {
      const own = ['--port', port, '--dir', '/var/lib/redis', '--cluster-config-file', `nodes-${port}.conf`]
      void host.start('redis-server', [join(host.folder, 'redis.conf'), ...own])
    }
  }
  for (const host of hosts.slice(0, 2)) {
    startPatroni(host)
    void host.start('haproxy', ['-db', '-f', join(host.folder, 'haproxy.cfg')])
  }
  const create = /^# (redis-cli --cluster create .*)$/m.exec(
    readFileSync(join(root, 'deploy', 'ha', 'redis.conf'), 'utf8'),
  )!
  const creating = () =>
    run('sh', ['-c', `${create[1]} --cluster-yes`]).then(
      () => true,
      () => false,
    )
  await until(creating, (done) => done)
  await createHa(hosts, 'postgres').whole()
}

/** A new database, and an empty cache. */
async function emptyStores(hosts: readonly Host[]): Promise<string> {
  const database = `loyalty_${Date.now()}`
  const ha = createHa(hosts, database)
  await ha.whole()
  const host = await ha.primary()
  const psql = (command: string) => host.run(...as('postgres'), 'psql', '--no-psqlrc', '--command', command)
  await psql(`create role loyalty login password '${password}'`).catch(() => {})
  await psql(`create database ${database} owner loyalty`)
  for (const node of redisUrls(hosts).split(',')) {
    const flushed = () =>
      run('redis-cli', ['-u', node, 'flushall']).then(
        (text) => text.includes('OK') || text.includes('READONLY'),
        () => false,
      )
    await until(flushed, (done) => done)
  }
  return database
}

function redisUrls(hosts: readonly Host[]): string {
  return hosts.flatMap(({ address }) => [7001, 7002].map((port) => `redis://${address}:${port}`)).join(',')
}

async function leaderOfEtcd(hosts: readonly Host[]): Promise<Host> {
  for (const host of hosts) {
    const words = `ETCDCTL_API=3 etcdctl --endpoints=http://${host.address}:2379 endpoint status -w json`.split(' ')
    const [{ Status }] = JSON.parse(await host.run('env', ...words))
    if (Status.leader === Status.header.member_id) return host
  }
  throw new Error('etcd has no leader')
}

async function untilReady(url: string): Promise<void> {
  const ready = () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  if (!(await until(ready, (ok) => ok))) throw new Error(`${url} is not ready`)
}

/** A gateway for the checker: what its log says, and where its metrics are. */
function slotOf(host: Host, { cacheFails }: Fault) {
  return {
    service: { internalUrl: `http://${host.address}:9090` },
    base: null,
    usage: () => null,
    complaints: () =>
      readFileSync(join(host.folder, 'node.log'), 'utf8')
        .split('\n')
        .filter((line) => /^\{"level":(50|60)/.test(line))
        // Both stores failed (reliability.md): Redis's other answers are corrected and reported.
        .filter((line) => !cacheFails || !line.includes('Redis had other answers')),
  }
}

/** The longest time without a 200, in seconds. */
function silence(history: readonly Call[], endpoint: Endpoint, from: number): number {
  const moments = history
    .filter((call) => call.endpoint === endpoint)
    .flatMap((call) => answered(call).map(({ endedAt }) => endedAt))
    .filter((moment) => moment >= from)
    .sort((a, b) => a - b)
  return Math.max(...moments.map((moment, at) => moment - (moments[at - 1] ?? from))) / 1000
}

function spread(sorted: readonly number[]): string {
  if (sorted.length === 0) return 'none'
  return `${sorted[Math.floor((sorted.length - 1) / 2)]!.toFixed(1)}, ${sorted.at(-1)!.toFixed(1)}`
}

function assigned(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).map((pair) => pair.join('='))
}

const missing = await obstacle(
  'patroni etcd-server etcd-client haproxy postgresql redis-server iproute2 iptables procps',
)
if (missing === null) await haTests()
else t.comment(missing)
