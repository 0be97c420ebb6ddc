import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { shownSettings } from '../../../gateway/config/settings.js'
import { withFiles } from '../../../gateway/config/source.js'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/settings.md'), 'utf8')

t.test('the settings that are shown are those of docs/settings.md, with the same defaults', async (t) => {
  const rows = [...page.replaceAll('`', '').matchAll(/^- ([A-Z_, ]+?)(?: \((.+?)\))?: /gm)]
  const documented = rows.flatMap(([, names = '', fallbacks = '']) => {
    const listed = names.split(', ')
    return listed.map((name, at) => [name, listed.length === 1 ? fallbacks : (fallbacks.split(', ')[at] ?? '')])
  })
  t.same(
    shownSettings({}).map(({ name, fallback }) => [name, fallback]),
    documented,
  )
})

t.test('no secret, no password and no place of one is shown', async (t) => {
  const secret = 'hunter2-hunter2-hunter2-hunter2-hunter2'
  const shown = shownSettings({
    LOYALTY_SECRETS: secret,
    LOYALTY_SECRETS_FILE: `/etc/${secret}`,
    LOYALTY_TOKENS: `admin:${secret}`,
    LOYALTY_OIDC_CLIENT_SECRET: secret,
    LOYALTY_TLS_CERT: `/etc/${secret}`,
    LOYALTY_TLS_KEY: `/etc/${secret}`,
    LOYALTY_TLS_CLIENT_CA: `/etc/${secret}`,
    LOYALTY_DATA: `/var/${secret}`,
    LOYALTY_LOG_KEY: secret,
    LOYALTY_PARTNER_KEY: secret,
    REDIS_URL: `rediss://app:${secret}@redis-1:6379,rediss://app:${secret}@redis-2`,
    DATABASE_URL: `postgres://app:${secret}@pg-1:5432/loyalty?sslkey=/etc/${secret}`,
    DATABASE_READ_URL: `not a url ${secret}`,
    LOYALTY_RATE: '70',
  })
  t.notOk(JSON.stringify(shown).includes('hunter2'))
  const shownAs = (name: string) => shown.find((each) => each.name === name)?.value
  t.equal(shownAs('REDIS_URL'), 'rediss://redis-1:6379, rediss://redis-2')
  t.equal(shownAs('DATABASE_URL'), 'postgres://pg-1:5432/loyalty')
  t.equal(shownAs('DATABASE_READ_URL'), 'set')
  t.equal(shownAs('LOYALTY_TOKENS'), 'set')
  t.equal(shownAs('LOYALTY_RATE'), '70')
  t.equal(shownAs('LOYALTY_HTTP'), '')
})

t.test('a file can hold a value with a secret, and not beside the variable', async (t) => {
  const folder = t.testdir({ url: 'postgres://loyalty:pass@db/loyalty\n' })
  const DATABASE_URL_FILE = join(folder, 'url')
  const read = (env: Record<string, string>) => {
    const faults: string[] = []
    return { faults, env: withFiles(env, (name, expected) => faults.push(`${name}: ${expected}`)) }
  }
  t.match(read({ DATABASE_URL_FILE }), { faults: [], env: { DATABASE_URL: 'postgres://loyalty:pass@db/loyalty' } })
  t.match(read({ DATABASE_URL_FILE, DATABASE_URL: 'x' }).faults, [
    'DATABASE_URL_FILE: nothing, since DATABASE_URL is set',
  ])
  t.match(read({ LOYALTY_TOKENS_FILE: join(folder, 'none') }).faults, ['LOYALTY_TOKENS_FILE: a file that can be read'])
})
