import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Agent, request } from 'undici'
import { startService } from './e2e/service.js'
import { certificateFiles } from './gateway/config/a-certificate.js'
import { startRedis } from './support/servers/start-redis.js'

const root = join(import.meta.dirname, '..', '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

t.test('alerts and dashboard find their metrics', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const { certFile, keyFile, cert } = await certificateFiles(t)
  const env = { REDIS_URL: redis.url, LOYALTY_TLS_CERT: certFile, LOYALTY_TLS_KEY: keyFile }
  const service = await startService({ env })
  t.teardown(() => service.stop())
  const dispatcher = new Agent({ connect: { ca: cert } })
  t.teardown(() => dispatcher.destroy())
  const { body } = await request(`${service.internalUrl}/metrics`, { dispatcher })
  const text = await body.text()
  const names = new Set([...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(familyOf))
  const signed = ['invalid_signature', 'stale_timestamp'].map(
    (code) => `endpoint="sale",status="401",outcome="refused",code="${code}"`,
  )
  const cache = ['contradiction', 'garbage', 'memory_lost'].map((kind) => `loyalty_cache_faults_total{kind="${kind}"`)
  t.same(
    cache.filter((series) => !text.includes(series)),
    [],
    'faults of Redis are counted from 0',
  )
  for (const name of ['code="internal_error"', 'code="idempotency_conflict"', 'kind="limit_exceeded"', ...signed]) {
    t.match(
      text,
      new RegExp(`^loyalty_\\w+_total\\{.*${name}\\} 0$`, 'm'),
      `${name} stands at 0: the first one is an increase`,
    )
  }
  t.match(
    text,
    `loyalty_build_info{version="${JSON.parse(read('package.json')).version}",node="${process.versions.node}"} 1`,
  )
  t.match(text, /^loyalty_programme_version 1$/m)
  const listed = new Set(
    read('docs/metrics.md')
      .match(/^- loyalty_.*?:/gm)
      ?.flatMap((names) => names.match(/\w+/g)),
  )
  const ofSupervisor = ['loyalty_processes', 'loyalty_processes_up', 'loyalty_process_restarts']
  const shown = [...text.matchAll(/^# TYPE (loyalty_\S+)/gm)].map(([, name]) => name!)
  t.same(listed, new Set([...shown, ...ofSupervisor]), 'docs/metrics.md lists every metric, and no other')
  for (const file of ['deploy/prometheus/alerts.yaml', 'deploy/grafana-dashboard.json']) {
    const asked = new Set(read(file).match(/\b(?:loyalty|nodejs|process)_\w+/g))
    t.ok(asked.size > 5, file)
    t.same(
      [...asked].filter((name) => !names.has(name)),
      [],
      file,
    )
  }
})

t.test('every setting that a deployment file gives is one', (t) => {
  const known = new Set(read('docs/settings.md').match(/\b(?:LOYALTY_[A-Z_]+|REDIS_URL|DATABASE_URL)\b/g))
  for (const file of readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const given = readFileSync(join(file.parentPath, file.name), 'utf8').match(/\bLOYALTY_[A-Z_]+\b/g) ?? []
    t.same(
      given.filter((name) => !known.has(name)),
      [],
      file.name,
    )
  }
  t.end()
})

t.test('image, compose file, chart and changelog have the version of the package', (t) => {
  const { version } = JSON.parse(read('package.json'))
  const named: readonly (readonly [file: string, pattern: RegExp])[] = [
    ['deploy/Dockerfile', /image\.version="(.+)"/],
    ['deploy/compose.yaml', /image: loyalty-partner-service:(.+)/],
    ['deploy/helm/loyalty/Chart.yaml', /^version: (.+)/m],
    ['deploy/helm/loyalty/Chart.yaml', /^appVersion: (.+)/m],
    // The newest release, with its date.
    ['CHANGELOG.md', /^## (\S+) \(\d{4}-\d{2}-\d{2}\)$/m],
  ]
  for (const [file, pattern] of named) t.equal(pattern.exec(read(file))?.[1], version, `${file}: ${pattern}`)
  t.end()
})

t.test('lps runs from the image: it needs nothing of the tests and no package that is left out', (t) => {
  const { dependencies, scripts } = JSON.parse(read('package.json'))
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    t.notMatch(file, /dist.test/, 'the image holds no tests')
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from|import)[ (]["']([^"']+)["']/g)) {
      if (name!.startsWith('.')) visit(join(file, '..', name!))
      else if (!name!.startsWith('node:')) {
        const named = name!.split('/', name!.startsWith('@') ? 2 : 1).join('/')
        t.ok(named in dependencies, `${named} of ${file}`)
      }
    }
  }
  visit(join(root, 'dist', 'clients', 'lps', 'main.js'))
  t.ok(seen.has(join(root, 'dist', 'store', 'open-reconciler.js')), 'reconcile among them')
  t.equal(scripts.prereconcile, undefined, 'and it builds nothing under a running service')
  t.end()
})

t.test('every alert points at its section of the runbook, and every section is one of an alert', (t) => {
  const rules = read('deploy/prometheus/alerts.yaml')
  const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!)
  const links = [...rules.matchAll(/runbook_url: "([^"]*)"/g)].map(([, link]) => link!)
  const sections = [...read('docs/runbook.md').matchAll(/^## (\w+)\n- \*\*Look at:\*\* .+\n- \*\*Do:\*\* .+$/gm)]
  t.ok(alerts.length > 10)
  t.same(
    links,
    alerts.map((name) => `docs/runbook.md#${name.toLowerCase()}`),
    'in the order of the alerts',
  )
  t.same(sections.map(([, name]) => name).sort(), [...alerts].sort())
  t.equal(read('docs/runbook.md').match(/^## /gm)?.length, alerts.length)
  t.end()
})

t.test('no alert about shares of calls counts probes', (t) => {
  const shares = read('deploy/prometheus/alerts.yaml').match(/\* sum\(\w+\(loyalty_requests_total[^[]*/g) ?? []
  t.ok(shares.length > 2)
  for (const share of shares) t.match(share, /endpoint=~?"(basket|sale)/)
  t.end()
})

t.test('promtool takes the alert rules, and their own tests pass', async (t) => {
  const promtool = (...words: string[]) => spawnSync('promtool', words, { cwd: root, encoding: 'utf8' })
  if (promtool('--version').error !== undefined) {
    t.comment('no promtool here: the alert rules are not run')
    return
  }
  for (const words of [
    ['check', 'rules', 'deploy/prometheus/alerts.yaml'],
    ['test', 'rules', 'deploy/prometheus/alerts.test.yaml'],
  ]) {
    const { status, stdout, stderr } = promtool(...words)
    t.equal(status, 0, `${words.join(' ')}: ${stdout}${stderr}`)
  }
})

/** The series of a metric: a histogram has three. */
function familyOf([, name, kind]: RegExpMatchArray): string[] {
  return kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name!]
}
