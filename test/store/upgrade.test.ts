import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import t from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import { migrate } from '../../store/postgres/schema/migrate.js'
import { startPostgres } from '../servers/start-postgres.js'
import { plenty } from './ledger-builders.js'
import { recount } from './ledger-checker.js'
import { createOldGateway } from './release/old-gateway.js'
import { describe, readRelease } from './release/release.js'

// Databases start slowly on a busy machine.
t.setTimeout(600_000)

const release = await readRelease()
const server = await startPostgres()
t.teardown(() => server.stop())

/** A database of the previous release. */
async function aReleasedDatabase(): Promise<string> {
  const url = await server.createDatabase()
  const database = createPostgresSql(url, 1)
  await migrate(database, release.migration)
  await database.close()
  return url
}

await t.test('every statement of the previous release means the same on the newest schema', async (t) => {
  const url = await aReleasedDatabase()
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  await migrate(database)
  const client = postgres(url, { max: 1, onnotice: () => {} })
  t.teardown(() => client.end())
  for (const statement of release.statements) t.match(await describe(client, statement.text), statement)
})

await t.test('old gateways continue while a new one migrates, on sessions with prepared statements', async (t) => {
  const url = await aReleasedDatabase()
  const gateways = Array.from({ length: 3 }, () => createOldGateway(url, release))
  t.teardown(() => Promise.all(gateways.map((gateway) => gateway.close())))
  const open: string[] = []
  for (const gateway of gateways) open.push(await gateway.work())
  let migrated = false
  const working = gateways.map(async (gateway) => {
    while (!migrated) open.push(await gateway.work())
    // Once more afterwards, as old plans may have to be replanned.
    for (let round = 0; round < 10; round += 1) open.push(await gateway.work())
  })
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  for (;;) {
    const busy = await migrate(database).then(
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
  for (const calculationId of open) t.match(await ledger.findAnswer(calculationId), { kind: 'stored' })
  const counter = { limitId: 'ever', subject: '', period: '' }
  t.match(await ledger.findCounters([counter]), [{ used: open.length, open: open.length }], 'a new one has it all')
})

await t.test('a migration gives up before calls queue behind it, and succeeds afterwards', async (t) => {
  const url = await aReleasedDatabase()
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  await database.transaction(async (transaction) => {
    await transaction.run(sql`lock table migration`)
    await t.rejects(migrate(database), { message: 'ledger: busy' })
  })
  await t.resolves(migrate(database))
})

await t.test(
  'a migration only adds: it removes nothing that the previous release uses, and locks no table for long',
  async (t) => {
    const folder = join(import.meta.dirname, '../../../store/postgres/schema/migrations')
    for (const file of await readdir(folder)) {
      if (Number(file.slice(0, 4)) <= release.migration) continue
      const script = (await readFile(join(folder, file), 'utf8')).replaceAll(/--.*$/gm, '')
      t.notMatch(script, /\bdrop\s+(table|column|function|type|view|index|constraint)\b/i, `${file} drops`)
      t.notMatch(
        script,
        /\brename\b|\balter\s+column\b.*\btype\b|\bset\s+not\s+null\b/i,
        `${file} changes what is there`,
      )
      t.notMatch(script, /\bcreate\s+(unique\s+)?index\b/i, `${file} reads a whole table under a lock`)
    }
  },
)
