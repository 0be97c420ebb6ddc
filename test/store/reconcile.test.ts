import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aSale, aWant, eventBody, plenty } from '../support/ledger-builders.js'
import { createEmbeddedLedger, createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { reconcilePromises } from './reconcile-promises.js'
import { reconcileSumsPromises } from './reconcile-sums-promises.js'

// Databases start slowly on a busy machine.
t.setTimeout(1_800_000)

const server = await startPostgres()
t.teardown(() => server.stop())
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty }

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-reconcile-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

await t.test('reconciling on real Postgres', async (t) => {
  await reconcilePromises(t, createPostgresSql(await server.createDatabase()))
  await t.test('sums', async (t) => {
    await reconcileSumsPromises(t, createPostgresSql(await server.createDatabase()))
  })
})

/** Runs the command as an operator does; returns its exit code and output. */
async function command(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../clients/lps/main.js'), 'reconcile', ...args],
    {
      env: { PATH: process.env['PATH'], ...env },
    },
  )
  const [code, out, errors] = await Promise.all([
    new Promise((resolve) => child.once('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, out, errors }
}

const since = ['--since', '2000-01-01']

await t.test('the exit code of the command shows whether the counters are right, on Postgres', async (t) => {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, ...options })
  const database = createPostgresSql(url, 1)
  t.teardown(async () => {
    await ledger.close()
    await database.close()
  })
  const record = aRecord(ledger, { holds: [aWant()] })
  await ledger.calculations.confirm(record, plenty)
  await ledger.sales.record(aSale(record, { paidTotal: 5 }), eventBody)
  const env = { DATABASE_URL: url }
  const sound = await command(env, ...since)
  t.equal(sound.code, 0, sound.errors)
  t.match(sound.out, /^discrepancies: kind paid_total_mismatch, count 1, largest \(.*amount 795, currency EUR.*\)$/m)
  t.match(sound.out, /^counters: 1\ndifferences: 0$/m)
  await database.run(sql`update limit_counter set used = 2`, { effect: 'writes', withinMs: plenty })
  await database.run(sql`insert into sale_sum values ('oslo', '2026-06-30', 'EUR', 1, 1, 1, 0, 0, 500, 0, 0)`, {
    effect: 'writes',
    withinMs: plenty,
  })
  const broken = await command(env, ...since)
  t.equal(broken.code, 1)
  t.match(
    broken.out,
    /^DIFFERS limit: limitId limit-\S+, .*says \(open 0, used 2, late 0\), due \(open 0, used 1, late 0\)/m,
  )
  t.match(
    broken.out,
    /^DIFFERS sums: span day, day 2026-06-30, venueId oslo, benefitId none, currency EUR, figure paid, says 500, due 0$/m,
  )
  t.match(broken.out, /^sums\.sums: 1\n(.*\n)?sums\.sumsAstray: 3$/m)
  const json = await command(env, ...since, '--until', '2100-01-01T00:00:00+02:00', '--json')
  t.equal(json.code, 1)
  t.match(JSON.parse(json.out), {
    differences: [{ says: { used: 2 }, due: { used: 1 } }],
    differenceCount: 1,
    since: '2000-01-01T00:00:00.000Z',
    until: '2099-12-31T22:00:00.000Z',
    discrepancies: [{ kind: 'paid_total_mismatch', count: 1, largest: { amount: 795 } }],
  })
})

await t.test('the command reads the embedded ledger, and reports one that is in use', async (t) => {
  const folder = await aFolder()
  const ledger = await createEmbeddedLedger({ folder, ...options })
  await ledger.calculations.confirm(aRecord(ledger, { holds: [aWant()] }), plenty)
  const inUse = await command({ LOYALTY_DATA: folder }, ...since)
  t.equal(inUse.code, 2)
  t.match(inUse.errors, /in use by another process/)
  await ledger.close()
  const { code, out } = await command({ LOYALTY_DATA: folder }, ...since, '--json')
  t.equal(code, 0)
  t.match(JSON.parse(out), { differences: [], calculations: [{ state: 'open', count: 1, withoutSale: 1 }] })
})

await t.test('invalid arguments are refused with exit code 2', async (t) => {
  const faults: readonly (readonly string[])[] = [
    [],
    ['--since', 'yesterday'],
    ['--since', '2026-02-30'],
    ['--since', '2026-02-03', '--until', '2026-02-03T00:00:00Z'],
    ['--since', '2026-02-03', '--unknown'],
  ]
  for (const args of faults) {
    const { code, errors } = await command({}, ...args)
    t.equal(code, 2, args.join(' '))
    t.match(errors, /lps reconcile --help/)
  }
  t.equal((await command({}, '--help')).code, 0)
  t.equal((await command({ DATABASE_URL: 'postgres://localhost:1/nothing' }, ...since)).code, 2)
})
