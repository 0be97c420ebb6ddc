import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { certificateFiles } from '../gateway/config/a-certificate.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { until } from '../support/until.js'
import { type RunningService, startService } from './service.js'

const secret = 'secret-of-the-tests-0123456789abcdef'
const production = {
  LOYALTY_ENVIRONMENT: 'production',
  LOYALTY_SECRETS: secret,
  LOYALTY_TOKENS: `admin:token-of-the-tests-0123456789abcdef`,
}
const programme = join(import.meta.dirname, 'programme.json')

t.setTimeout(300_000)

function warningsOf({ output }: RunningService): string[] {
  return output.filter((line) => line.startsWith('warning: ')).map((line) => line.slice('warning: '.length))
}

/** Messages of warnings in the log that name a setting. */
function loggedBy({ output }: RunningService): string[] {
  const records = output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  return records.filter(({ level, msg }) => level === 40 && /^[A-Z_]{5,}/.test(msg)).map(({ msg }) => msg)
}

/** A file of secrets, removed when the test ends. */
function aSecretsFile(t: Test, ...lines: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'lps-production-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'secrets')
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  return file
}

t.test(
  'a start on production warns once each of what production should not run with, and suggests no demo',
  async (t) => {
    const service = await startService({
      env: {
        ...production,
        LOYALTY_SECRETS: '',
        LOYALTY_SECRETS_FILE: aSecretsFile(t, secret),
        LOYALTY_HTTP: '0.0.0.0:0',
      },
    })
    t.teardown(() => service.stop())
    const expected = [
      /^LOYALTY_HTTP: plain HTTP beyond this machine/,
      /^DATABASE_URL, REDIS_URL: embedded stores/,
      /^LOYALTY_PROGRAM: the sample programme is in force/,
    ]
    t.match(warningsOf(service), expected)
    t.equal(warningsOf(service).length, 3)
    t.same(
      await until(
        () => loggedBy(service),
        (logged) => logged.length >= 3,
      ),
      warningsOf(service),
      'the log has the same lines',
    )
    t.notMatch(service.output.join('\n'), /demo/)
  },
)

t.test('a Redis that may evict keys is in the output, the log and the readiness', async (t) => {
  const redis = await startRedis({ settings: { 'maxmemory-policy': 'allkeys-lru' } })
  t.teardown(() => redis.stop())
  const pg = await startPostgres()
  t.teardown(() => pg.stop())
  const { certFile, keyFile } = await certificateFiles(t)
  const stores = { REDIS_URL: redis.url, DATABASE_URL: await pg.createDatabase(true), LOYALTY_PROGRAM: programme }
  const tls = { LOYALTY_HTTP: '0.0.0.0:0', LOYALTY_TLS_CERT: certFile, LOYALTY_TLS_KEY: keyFile }
  const safe = await startService({ env: { ...production, ...stores, ...tls, REDIS_URL: '' } })
  t.match(warningsOf(safe), [/^REDIS_URL: embedded/])
  t.equal(warningsOf(safe).length, 1, 'neither TLS nor a programme of its own is warned of')
  await safe.stop()
  const service = await startService({ env: { ...production, ...stores, LOYALTY_PROCESSES: '2' } })
  t.teardown(() => service.stop())
  const line = 'REDIS_URL: Redis may evict keys (maxmemory-policy allkeys-lru): set noeviction'
  t.same(warningsOf(service), [line])
  const logged = await until(
    () => loggedBy(service),
    (messages) => messages.length > 0,
  )
  t.same(logged, [line], 'two processes log it once')
  const ready = await (await fetch(`${service.url}/health/ready`)).json()
  t.match(ready, {
    status: 'ready',
    parts: { ledger: 'up', cache: 'up, but may evict keys (maxmemory-policy allkeys-lru)' },
  })
})
