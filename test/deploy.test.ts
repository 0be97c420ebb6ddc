import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Agent, request } from 'undici'
import { startService } from './e2e/service.js'
import { certificateFiles } from './gateway/a-certificate.js'
import { startRedis } from './servers/start-redis.js'

const root = join(import.meta.dirname, '..', '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

t.test('what alerts and dashboard ask for is there', async (t) => {
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
  for (const name of ['code="internal_error"', 'code="idempotency_conflict"', 'kind="limit_exceeded"']) {
    t.match(
      text,
      new RegExp(`^loyalty_\\w+_total\\{.*${name}\\} 0$`, 'm'),
      `${name} stands at 0: the first one is an increase`,
    )
  }
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
  const known = new Set(read('README.md').match(/\b(?:LOYALTY_[A-Z_]+|REDIS_URL|DATABASE_URL)\b/g))
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

t.test('what to do for every alert is written down', (t) => {
  const alerts = [...read('deploy/prometheus/alerts.yaml').matchAll(/alert: (\w+)/g)].map(([, name]) => name!)
  const pages = read('docs/operations.md')
  t.ok(alerts.length > 10)
  t.same(
    alerts.filter((name) => !pages.includes(`**${name}**`)),
    [],
  )
  t.same(
    [...pages.matchAll(/\*\*(Loyalty\w+)\*\*/g)].map(([, name]) => name!).filter((name) => !alerts.includes(name)),
    [],
  )
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
