import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { aBasket, aSale } from '../e2e/basket.js'
import { lpsMain, programmeFile } from '../e2e/run-lps.js'
import { type RunningService, startService, unhurried } from '../e2e/service.js'
import { freePort } from '../support/free-port.js'
import { findBinary } from '../support/servers/find-binary.js'
import { startCluster, unprivileged } from '../support/servers/start-cluster.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { until } from '../support/until.js'
import { as, obstacle, ran, root, run } from './machine.js'

t.setTimeout(600_000)

const secret = 'secret-of-the-backup-0123456789abcdef'
/** More to restore: `GIGABYTES=2 node dist/test/containers/backup.test.js` prints how long. */
const gigabytes = Number(process.env['GIGABYTES'] ?? 0)
const passPhrase = 'PGBACKREST_REPO1_CIPHER_PASS=pass-phrase-of-the-rig'

const missing = await obstacle('pgbackrest postgresql')
if (missing === null)
  t.test('Postgres is restored to a second between two sales, from a full and an incremental backup', restored)
else t.comment(missing)

async function restored(t: Test): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-pgbackrest-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const name of ['repo', 'socket', 'restored']) mkdirSync(join(folder, name))
  const conf = join(folder, 'pgbackrest.conf')
  await run('chown', ['-R', 'postgres:', folder])
  chmodSync(folder, 0o755)
  const env = ['env', passPhrase]
  const pg = await startPostgres({
    settings: {
      archive_mode: 'on',
      archive_command: `env ${passPhrase} pgbackrest --config=${conf} --stanza=loyalty archive-push %p`,
      unix_socket_directories: join(folder, 'socket'),
    },
  })
  t.teardown(() => pg.stop())
  const text = readFileSync(join(root, 'deploy', 'pgbackrest.conf'), 'utf8')
    .replace('/var/lib/pgbackrest', join(folder, 'repo'))
    .replace('/var/lib/postgresql/loyalty', join(pg.folder, 'cluster'))
    .replace('/var/run/postgresql', join(folder, 'socket'))
    .replace('pg1-port=5432', `pg1-port=${pg.port}`)
  writeFileSync(conf, text)
  const pgbackrest = async (...words: readonly string[]) => {
    const began = performance.now()
    const lock = words[0] === 'check' ? [] : [`--lock-path=${join(folder, 'socket')}`]
    await run(as('postgres')[0]!, [
      ...as('postgres').slice(1),
      ...env,
      'pgbackrest',
      `--config=${conf}`,
      ...lock,
      '--stanza=loyalty',
      ...words,
    ])
    return `${((performance.now() - began) / 1000).toFixed(1)} s`
  }
  const url = await pg.createDatabase(true)
  const serve = (DATABASE_URL: string) =>
    startService({ env: { ...unhurried, LOYALTY_PROGRAM: programmeFile, LOYALTY_SECRETS: secret, DATABASE_URL } })

  const first = await serve(url)
  await pgbackrest('stanza-create')
  await fill(url)
  await sell(first)
  const full = await pgbackrest('backup', '--type=full')
  await sell(first)
  const incremental = await pgbackrest('backup', '--type=incr')
  const before = await sell(first)
  await sleep(1_100)
  const after = new Date()
  await sleep(1_100)
  const lost = await sell(first)
  await first.stop()
  // Archived records outlast the last sale.
  await pgbackrest('check')
  await pg.stop()

  const cluster = join(folder, 'restored', 'cluster')
  const target = after.toISOString().replace('T', ' ').replace('Z', '+00')
  const restore = await pgbackrest(
    'restore',
    `--pg1-path=${cluster}`,
    '--type=time',
    `--target=${target}`,
    '--target-action=promote',
  )
  const beganMs = performance.now()
  const port = await freePort()
  const server = await startCluster({
    ...{ bin: join(await findBinary('initdb', 'postgresql'), '..'), cluster, port, user: await unprivileged() },
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    options: { settings: { archive_mode: 'off' } },
    env: { PGBACKREST_REPO1_CIPHER_PASS: passPhrase.split('=')[1]! },
  })
  t.teardown(() => server.end('SIGQUIT'))
  const restoredUrl = url.replace(`:${pg.port}/`, `:${port}/`)
  const sql = postgres(restoredUrl, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end())
  const recovering = async () => (await sql`select pg_is_in_recovery() as is`)[0]!['is']
  t.equal(await until(recovering, (is) => !is), false, 'it takes writes again')
  const recovered = `${((performance.now() - beganMs) / 1000).toFixed(1)} s`
  const size = (await sql`select pg_database_size(current_database()) / 1000000 as mb`)[0]!['mb']
  t.comment(`${size} MB: full ${full}, incremental ${incremental}, restore ${restore}, recovery ${recovered}`)
  const reconcile = await ran('env', [
    `DATABASE_URL=${restoredUrl}`,
    process.execPath,
    lpsMain,
    'reconcile',
    '--since',
    '2026-01-01',
  ])
  t.equal(reconcile.code, 0, reconcile.out + reconcile.err)
  t.match(reconcile.out, /^sales: .*count 3$/m, 'three of four sales')
  const second = await serve(restoredUrl)
  t.teardown(() => second.stop())
  t.equal(
    (await second.send('/v1/pos/sale', before)).headers['idempotent-replayed'],
    'true',
    'the sale before the moment',
  )
  t.equal(
    (await second.send('/v1/pos/sale', lost)).headers['idempotent-replayed'],
    undefined,
    'the one after it is new again',
  )
}

/** Rows that do not compress, as packed bodies do not. */
async function fill(url: string): Promise<void> {
  if (gigabytes === 0) return
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql`create table filler as select decode(string_agg(md5(random()::text), ''), 'hex') as bytes from generate_series(1, 65536)`
  await sql`alter table filler alter bytes set storage external`
  for (let done = 0; done < gigabytes * 125; done += 1)
    await sql`
      insert into filler select substr(block.bytes, (random() * 1000000)::integer, 8000)
      from (select bytes from filler limit 1) as block, generate_series(1, 1000)`
  await sql.end()
}

/** A basket and its sale; resolves to the body of the sale. */
async function sell(service: RunningService): Promise<string> {
  const basket = aBasket('ben').line({ productId: 'bun', unitPrice: 120 }).text()
  const { json } = await service.send('/v1/pos/basket', basket)
  const sale = JSON.stringify(aSale(JSON.parse(basket), { paidTotal: json.basket.totals.net }))
  const { json: answer } = await service.send('/v1/pos/sale', sale)
  if (answer.result !== 'recorded') throw new Error(JSON.stringify(answer))
  return sale
}
