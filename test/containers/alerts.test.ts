import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Agent, request } from 'undici'
import { aBasket, aSale } from '../e2e/basket.js'
import { signature } from '../e2e/service.js'
import { freePort } from '../support/free-port.js'
import { type ChildServer, spawnServer } from '../support/servers/child-server.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { until } from '../support/until.js'
import { obstacle, root, run } from './machine.js'

t.setTimeout(850_000)

const secret = 'secret-of-the-alerts-0123456789abcdef'
/** Beyond the rule's own time: scrapes, evaluations, and a busy machine. */
const slackS = 30

const missing = await obstacle('prometheus prometheus-alertmanager openssl')
if (missing === null)
  t.test('five faults fire their alerts in time, and these clear; every query of the dashboard has series', alerts)
else t.comment(missing)

async function alerts(t: Test): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-alerts-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
  t.teardown(() => Promise.all([redis.stop(), postgres.stop()]))
  const [http, internal, prometheusPort, receiverPort, alertmanagerPort] = await Promise.all(
    [1, 2, 3, 4, 5].map(freePort),
  )
  const received = await receive(t, receiverPort!)
  const [cert, key, secrets] = ['cert.pem', 'key.pem', 'secrets'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(secrets, `${secret}\n`)
  await makeCertificate(cert, key, 5)
  const gateway = await startGateway({
    ...{ LOYALTY_HTTP: `127.0.0.1:${http}`, LOYALTY_GRPC: `127.0.0.1:${internal}`, LOYALTY_DATA: folder },
    ...{ LOYALTY_TLS_CERT: cert, LOYALTY_TLS_KEY: key, LOYALTY_SECRETS_FILE: secrets, LOYALTY_DEADLINE_MS: '4500' },
    ...{ REDIS_URL: redis.url, DATABASE_URL: await postgres.createDatabase(true) },
  })
  t.teardown(() => gateway.end())
  const ports = { 9090: internal!, 9093: alertmanagerPort!, 9094: receiverPort! }
  copyFileSync(join(root, 'deploy', 'prometheus', 'alerts.yaml'), join(folder, 'alerts.yaml'))
  for (const name of ['prometheus.yaml', 'alertmanager.yaml']) {
    const text = readFileSync(join(root, 'deploy', 'prometheus', name), 'utf8')
    writeFileSync(
      join(folder, name),
      text.replace(/:(90\d\d)\b/g, (_, port: keyof typeof ports) => `:${ports[port]}`),
    )
  }
  const started = [
    await spawnServer({
      command: 'prometheus',
      args: [
        `--config.file=${folder}/prometheus.yaml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${prometheusPort}`,
      ],
      folder,
    }),
    await spawnServer({
      command: 'prometheus-alertmanager',
      args: [
        `--config.file=${folder}/alertmanager.yaml`,
        `--storage.path=${folder}/am`,
        `--web.listen-address=127.0.0.1:${alertmanagerPort}`,
        '--cluster.listen-address=',
      ],
      folder,
    }),
  ]
  t.teardown(() => Promise.all(started.map((server) => server.end('SIGKILL'))))
  const scraped = () => hasSeries(`http://127.0.0.1:${prometheusPort}`, 'up == 1').catch(() => false)
  await until(scraped, (yes) => yes)
  const traffic = startTraffic(`https://127.0.0.1:${http}`)
  t.teardown(() => traffic.stop())

  /** Makes a fault; its alert must come within its rule's seconds and go after the repair. */
  async function fires(name: string, ruleS: number, fault: () => unknown): Promise<void> {
    const began = performance.now()
    await fault()
    await until(
      () => received.state(name),
      (state) => state === 'firing',
    )
    const tookS = (performance.now() - began) / 1000
    t.equal(received.state(name), 'firing', name)
    t.ok(tookS <= ruleS + slackS, `${name} after ${tookS.toFixed(0)} s, its rule says ${ruleS}`)
  }
  async function clears(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const clear = () => received.state(name)
      t.equal(await until(clear, (state) => state === 'resolved'), 'resolved', name)
    }
  }

  await fires('LoyaltyCertificateEnds', 0, () => {})
  await makeCertificate(cert, key, 90)
  await fires('LoyaltyFileRefused', 60, () => writeFileSync(secrets, ''))
  writeFileSync(secrets, `${secret}\n`)
  await clears('LoyaltyCertificateEnds', 'LoyaltyFileRefused')
  await fires('LoyaltyLedgerAway', 60 + 2, () => postgres.kill())
  await fires('LoyaltyJournalOld', 60, () => {})
  await fires('LoyaltyNotReady', 30 + 2, () => redis.kill())
  await Promise.all([redis.restart(), postgres.restart()])
  await clears('LoyaltyLedgerAway', 'LoyaltyJournalOld', 'LoyaltyNotReady')
  await sleep(10_000)
  t.same(await emptyQueries(`http://127.0.0.1:${prometheusPort}`), [], 'every query of the dashboard has series')
  await fires('LoyaltyGone', 60 + 5, () => gateway.stop())
  await gateway.start()
  await clears('LoyaltyGone')
}

async function makeCertificate(cert: string, key: string, days: number): Promise<void> {
  const of = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    String(days),
  ]
  await run('openssl', [...of, '-subj', '/CN=localhost', '-keyout', `${key}.new`, '-out', `${cert}.new`])
  await run('mv', [`${key}.new`, key])
  await run('mv', [`${cert}.new`, cert])
}

/** The state of each alert that Alertmanager has sent last. */
async function receive(t: Test, port: number) {
  const states = new Map<string, string>()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      for (const { labels, status } of JSON.parse(text).alerts) states.set(labels.alertname, status)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { state: (name: string) => states.get(name) }
}

async function startGateway(settings: Readonly<Record<string, string>>) {
  let server: ChildServer
  const start = async () => {
    const args = [join(root, 'dist', 'gateway', 'main.js')]
    server = await spawnServer({ command: process.execPath, args, folder: settings['LOYALTY_DATA']!, env: settings })
  }
  await start()
  return { start, stop: () => server.end('SIGTERM'), end: () => server.end('SIGKILL') }
}

/** Ten baskets a second, whatever becomes of them. */
function startTraffic(url: string) {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '1', channel: 'pos' }
  async function post(endpoint: string, body: string): Promise<string> {
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': JSON.parse(body).calculationId,
      'pos-signature': signature(secret, Math.floor(Date.now() / 1000), body),
    }
    const answer = await request(`${url}/v1/pos/${endpoint}`, { method: 'POST', headers, body, dispatcher })
    return await answer.body.text()
  }
  /** 260 kr: a limited benefit. */
  async function send(): Promise<void> {
    const basket = aBasket('LOY-ANNA', oslo).with({ currency: 'NOK' }).line({ unitPrice: 26_000 }).body()
    const answer = JSON.parse(await post('basket', JSON.stringify(basket)))
    if (answer.status === 'applied')
      await post('sale', JSON.stringify(aSale(basket, { paidTotal: answer.basket.totals.net })))
  }
  const timer = setInterval(() => void send().catch(() => {}), 100)
  return {
    async stop() {
      clearInterval(timer)
      await dispatcher.destroy()
    },
  }
}

async function emptyQueries(prometheus: string): Promise<readonly string[]> {
  const dashboard = readFileSync(join(root, 'deploy', 'grafana-dashboard.json'), 'utf8')
  const queries = [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text!) as string)
  const empty: string[] = []
  for (const query of queries) {
    if (!(await hasSeries(prometheus, query.replaceAll('$__rate_interval', '1m')))) empty.push(query)
  }
  return queries.length > 20 ? empty : [`only ${queries.length} queries`]
}

async function hasSeries(prometheus: string, query: string): Promise<boolean> {
  const answer = await fetch(`${prometheus}/api/v1/query?${new URLSearchParams({ query })}`)
  const { data } = (await answer.json()) as { readonly data: { readonly result: readonly unknown[] } }
  return data.result.length > 0
}
