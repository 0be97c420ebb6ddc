import { join } from 'node:path'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import { dumpSchema } from '../../store/postgres/schema/dump-schema.js'
import { migrate } from '../../store/postgres/schema/migrate.js'
import { type Migration, readSchema } from '../../store/postgres/schema/read-schema.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { plenty } from './ledger-builders.js'
import { recount } from './ledger-checker.js'
import { createOldGateway } from './release/old-gateway.js'
import { describe, readRelease, releasedSchema } from './release/release.js'

// Databases start slowly where everything runs at once.
t.setTimeout(600_000)

const release = await readRelease()
const released = await readSchema(releasedSchema)
const newest = await readSchema(join(import.meta.dirname, '../../store/postgres/schema'))
const server = await startPostgres()
t.teardown(() => server.stop())

/** A database as the release before left it. */
async function aReleasedDatabase(): Promise<string> {
  const url = await server.createDatabase()
  const database = createPostgresSql(url, 1)
  await migrate(database, releasedSchema)
  await database.close()
  return url
}

/** The newest schema with one more migration, so that an upgrade has something to do also where nothing has changed since. */
function aLaterSchema(t: Test): string {
  const migrations = newest.migrations.map(({ number, name, script }) => [fileOf(number, name), script])
  return t.testdir({
    migrations: Object.fromEntries([
      ...migrations,
      [fileOf(newest.migrations.length + 1, 'later'), 'alter table sale add column added text; create table added ();'],
    ]),
    functions: {
      'all.sql': `${newest.functions.script}\ncreate or replace function added() returns text language sql as 'select null';`,
    },
  })
}

function fileOf(number: number, name: string): string {
  return `${String(number).padStart(4, '0')}-${name}.sql`
}

await t.test('every statement of the release before means the same on the newest schema', async (t) => {
  const url = await aReleasedDatabase()
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  await migrate(database)
  const client = postgres(url, { max: 1, onnotice: () => {} })
  t.teardown(() => client.end())
  for (const statement of release.statements) t.match(await describe(client, statement.text), statement)
})

await t.test('old gateways go on while a new one migrates, on sessions that have everything prepared', async (t) => {
  const url = await aReleasedDatabase()
  const gateways = Array.from({ length: 3 }, () => createOldGateway(url, release))
  t.teardown(() => Promise.all(gateways.map((gateway) => gateway.close())))
  const open: string[] = []
  for (const gateway of gateways) open.push(await gateway.work())
  let migrated = false
  const working = gateways.map(async (gateway) => {
    while (!migrated) open.push(await gateway.work())
    // And afterwards, where plans that were made before may have to be made anew.
    for (let round = 0; round < 10; round += 1) open.push(await gateway.work())
  })
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  const folder = aLaterSchema(t)
  for (;;) {
    const busy = await migrate(database, folder).then(
      () => false,
      (error: Error) => error.message === 'ledger: busy' || t.fail(error.message),
    )
    if (!busy) break
  }
  migrated = true
  await Promise.all(working)
  const faults = (await recount(database)).filter((fault) => !fault.includes('has no body'))
  t.same(faults, [])

  const ledger = await createPostgresLedger({
    url,
    expiryS: 1_800,
    idempotencyS: 86_400,
    readMs: plenty,
    saleMs: plenty,
  })
  t.teardown(() => ledger.close())
  for (const calculationId of open) t.match(await ledger.calculations.findAnswer(calculationId), { kind: 'stored' })
  const counter = { limitId: 'ever', subject: '', period: '' }
  t.match(
    await ledger.counters.lookUp([counter]),
    [{ used: open.length, open: open.length }],
    'the new one finds them all',
  )
})

await t.test('a migration gives up before calls have to wait behind it, and succeeds afterwards', async (t) => {
  const url = await aReleasedDatabase()
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  const folder = aLaterSchema(t)
  await database.transaction(async (transaction) => {
    await transaction.run(sql`lock table sale in row exclusive mode`)
    await t.rejects(migrate(database, folder), { message: 'ledger: busy' })
  })
  await t.resolves(migrate(database, folder))
})

await t.test(
  'a gateway of the release before that starts after the upgrade leaves the newer schema as it is',
  async (t) => {
    const url = await aReleasedDatabase()
    const database = createPostgresSql(url, 1)
    t.teardown(() => database.close())
    await migrate(database, aLaterSchema(t))
    const newer = await dumpSchema(database)
    await migrate(database, releasedSchema)
    t.equal(await dumpSchema(database), newer)
    const old = createOldGateway(url, release)
    t.teardown(() => old.close())
    await t.resolves(old.work())
  },
)

await t.test('what was released is not edited: not a migration, nor a function without a new migration', async (t) => {
  const identity = ({ name, digest }: Migration) => ({ name, digest })
  const ours = newest.migrations.slice(0, released.migrations.length)
  t.same(ours.map(identity), released.migrations.map(identity))
  if (newest.migrations.length === released.migrations.length) {
    t.equal(newest.functions.digest, released.functions.digest, 'add a migration, if only an empty one (see migrate)')
  }
})

await t.test(
  'what is new only adds: nothing that the release before uses is taken away, and no table is locked for long',
  async (t) => {
    for (const { name, script } of newest.migrations.slice(released.migrations.length)) {
      const statements = script.replaceAll(/--.*$/gm, '')
      t.notMatch(statements, /\bdrop\s+(table|column|function|type|view|index|constraint)\b/i, `${name} drops`)
      t.notMatch(
        statements,
        /\brename\b|\balter\s+column\b.*\btype\b|\bset\s+not\s+null\b/i,
        `${name} changes what is there`,
      )
      t.notMatch(statements, /\bcreate\s+(unique\s+)?index\b/i, `${name} reads a whole table under a lock`)
    }
  },
)
