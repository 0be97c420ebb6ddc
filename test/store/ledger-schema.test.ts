import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createPgliteSql } from '../../store/embedded/pglite-sql.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { dumpSchema } from '../../store/postgres/schema/dump-schema.js'
import { migrate } from '../../store/postgres/schema/migrate.js'
import { startPostgres } from '../servers/start-postgres.js'

// Databases start slowly on a busy machine.
t.setTimeout(1_800_000)

/** In the sources, because it is committed. `WRITE_SCHEMA=1` in the environment writes it anew. */
const committed = join(import.meta.dirname, '../../..', 'test/store/schema.sql')

const server = await startPostgres()
t.teardown(() => server.stop())

await t.test('the committed schema equals the result of the migrations, on Postgres and embedded', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-schema-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  for (const database of [createPostgresSql(await server.createDatabase(), 1), await createPgliteSql(folder)]) {
    await migrate(database)
    const schema = await dumpSchema(database)
    if (process.env['WRITE_SCHEMA']) await writeFile(committed, schema)
    t.equal(schema, await readFile(committed, 'utf8'))
    await database.close()
  }
})

await t.test('gateways that start at once migrate once, and a later start migrates nothing', async (t) => {
  const url = await server.createDatabase()
  const databases = Array.from({ length: 8 }, () => createPostgresSql(url, 1))
  t.teardown(() => Promise.all(databases.map((database) => database.close())))
  await Promise.all(databases.map(migrate))
  await migrate(databases[0]!)
  const rows = await databases[0]!.run<{ count: number }>(
    sql`select count(*) as count from migration group by number having count(*) > 1`,
    { effect: 'reads', withinMs: 10_000 },
  )
  t.same(rows, [])
})

await t.test('a database with other migrations, or without UTF-8, is refused with one line', async (t) => {
  const url = await server.createDatabase()
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  await migrate(database)
  const terms = { effect: 'writes', withinMs: 10_000 } as const
  await database.run(sql`update migration set name = 'other' where number = 1`, terms)
  await t.rejects(migrate(database), { message: 'migration 1 of this database is other, not tables' })
  await database.run(sql`create database latin encoding 'LATIN1' template template0`, terms)
  const latin = createPostgresSql(url.replace(/[^/]+$/, 'latin'), 1)
  t.teardown(() => latin.close())
  await t.rejects(migrate(latin), { message: 'the database must have the encoding UTF8, not LATIN1' })
})
