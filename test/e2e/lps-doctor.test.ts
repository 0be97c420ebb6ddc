import { Redis } from 'ioredis'
import postgres from 'postgres'
import t from 'tap'
import { clockFinding } from '../../gateway/internal/services/diagnose.js'
import { certificateFiles } from '../gateway/config/a-certificate.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { startStandby } from '../support/servers/start-standby.js'
import { until } from '../support/until.js'
import { lpsFolder, programmeFile } from './run-lps.js'
import { startService } from './service.js'

t.setTimeout(300_000)

const token = 'token-of-the-doctor-0123456789abcdef'
const shared = {
  LOYALTY_ENVIRONMENT: 'production',
  LOYALTY_SECRETS: 'secret-of-the-doctor-0123456789abcdef',
  LOYALTY_TOKENS: `reader:${token}`,
  LOYALTY_PROGRAM: programmeFile,
}

t.test('lps doctor names what production should not run with, and exits 1 on a fault', async (t) => {
  const { run } = lpsFolder(t)
  const pg = await startPostgres({ fsync: true, settings: { archive_mode: 'on' } })
  t.teardown(() => pg.stop())
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const url = await pg.createDatabase()
  const sql = postgres(pg.url, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end())
  const set = async (name: string, value: string) => {
    await sql.unsafe(`alter system set ${name} = '${value}'`)
    await sql`select pg_reload_conf()`
  }
  const service = await startService({ env: { ...shared, DATABASE_URL: url, REDIS_URL: redis.url } })
  t.teardown(() => service.stop())
  const doctor = (...words: readonly string[]) =>
    run(...words, 'doctor', '--internal', service.internalUrl, '--token', token)
  const becomes = async (line: RegExp, code: number) => {
    const ended = await until(doctor, ({ out }) => line.test(out))
    t.match(ended.out, line)
    t.equal(ended.code, code, ended.out)
  }

  await becomes(/^warning {2}gateways: 1 runs. Do: start another one$/m, 0)
  await becomes(/^ok {7}settings: as production needs them\nok {7}clock of Postgres: 0.0 s apart\nok {7}Postgres: /m, 0)
  await becomes(/^warning {2}standby: a commit waits for no standby. Do: /m, 0)
  await becomes(/^ok {7}clock of Redis: 0.0 s apart\nok {7}Redis: version \S+, evicts nothing$/m, 0)

  await set('archive_command', '/bin/false')
  await sql`select pg_switch_wal()`
  await becomes(/^fault {4}backups: \w{24} cannot be archived/m, 1)
  await set('archive_command', '/bin/true')
  await becomes(/^ok {7}backups: archived \d+ s ago$/m, 0)

  const standby = await startStandby(pg.port)
  await set('synchronous_standby_names', 'standby')
  await becomes(/^ok {7}standby: 1 synchronous$/m, 0)
  await standby.stop()
  await becomes(/^fault {4}standby: standby is away: commits may wait/m, 1)
  await set('synchronous_standby_names', '')

  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
  await client.config('SET', 'appendonly', 'yes')
  await becomes(/^fault {4}Redis: .*allkeys-lru.*set noeviction\nwarning {2}Redis: it waits for a disk/m, 1)
  await redis.stop()
  await becomes(/^fault {4}Redis: it does not answer/m, 1)
  await becomes(/^fault {4}gateway \S+:\d+: it does not reach Redis/m, 1)
})

t.test('lps doctor reads certificate and environment, and what the role of the database may not see', async (t) => {
  const { run } = lpsFolder(t)
  const pg = await startPostgres({ settings: { full_page_writes: 'off' } })
  t.teardown(() => pg.stop())
  const url = await pg.createDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end())
  await sql.unsafe(`create role loyalty login; alter database ${new URL(url).pathname.slice(1)} owner to loyalty`)
  const { certFile, keyFile } = await certificateFiles(t)
  const env = { LOYALTY_ENVIRONMENT: 'staging', LOYALTY_TLS_CERT: certFile, LOYALTY_TLS_KEY: keyFile }
  const service = await startService({
    env: { ...shared, ...env, DATABASE_URL: url.replace('postgres@', 'loyalty@') },
  })
  t.teardown(() => service.stop())
  await sql.unsafe(`alter system set synchronous_standby_names = 'standby'`)
  await sql`select pg_reload_conf()`
  const asked = ['doctor', '--internal', service.internalUrl, '--token', token]
  const { out, code } = await run('--ca', certFile, ...asked)
  t.equal(code, 1, out)
  t.match(out, /^ok {7}clock of the gateway: 0\.\d s apart\nwarning {2}settings: LOYALTY_ENVIRONMENT: staging. Do: /m)
  t.match(out, /^warning {2}settings: REDIS_URL: embedded stores/m)
  t.match(out, /^fault {4}certificate: 0 days left. Do: renew it/m)
  t.match(out, /^fault {4}Postgres: .* full_page_writes off/m)
  t.match(out, /^warning {2}standby: standby, whose state the role may not see. Do: grant pg_read_all_stats/m)
  t.match(out, /^warning {2}backups: the log is not archived/m)
  t.equal((await run(...asked)).code, 2, 'a refused certificate is no diagnosis')
})

t.test('clocks apart by more than the question took are a warning from a second, a fault from 30', async (t) => {
  const states = [0, 1_400, 1_600, 29_000, 31_000].flatMap((apartMs) => [
    clockFinding('clock', [apartMs, 0], -500, 500).state,
    clockFinding('clock', [-apartMs], -500, 500).state,
  ])
  t.same(states, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3])
})
