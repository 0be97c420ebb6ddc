import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createPgliteSql } from '../../store/embedded/pglite-sql.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { migrate } from '../../store/postgres/schema/migrate.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { committedFolder, committedSchema, dumpSchema } from './dump-schema.js'

// Databases start slowly where everything runs at once.
t.setTimeout(1_800_000)

const server = await startPostgres()
t.teardown(() => server.stop())

await t.test('the committed schema is what the migrations make, on Postgres and embedded', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-schema-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  for (const database of [createPostgresSql(await server.createDatabase(true), 1), await createPgliteSql(folder)]) {
    await migrate(database)
    const schema = await dumpSchema(database)
    if (process.env['WRITE_SCHEMA'])
      for (const [file, text] of Object.entries(schema)) await writeFile(join(committedFolder, file), text)
    t.same(schema, await committedSchema())
    await database.close()
  }
})

const terms = { effect: 'writes', withinMs: 10_000 } as const
const schemaFolder = join(import.meta.dirname, '../../store/postgres/schema')

function aSchema(t: Test, reply: string, ...later: readonly string[]): string {
  const steps = ['create table first ();', ...later]
  return t.testdir({
    migrations: Object.fromEntries(steps.map((script, at) => [`000${at + 1}-step.sql`, script])),
    functions: {
      'reply.sql': `create or replace function reply() returns text language sql as $$select '${reply}'$$;`,
    },
  })
}

async function aDatabase(t: Test) {
  const url = await server.createDatabase(true)
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  const reply = async () => (await database.run<{ reply: string }>(sql`select reply() as reply`, terms))[0]!.reply
  return { url, database, reply }
}

await t.test('every function is defined once, and its body is valid', async (t) => {
  const { database } = await aDatabase(t)
  await migrate(database)
  const folder = join(schemaFolder, 'functions')
  const defined: string[] = []
  for (const file of await readdir(folder)) {
    const script = await readFile(join(folder, file), 'utf8')
    defined.push(...[...script.matchAll(/^create or replace function (\w+)/gm)].map(([, name = '']) => name))
    // Once more with all functions in place, because migrate does not check bodies.
    await database.transaction((transaction) => transaction.runScript(script))
  }
  t.same(
    defined.filter((name, at) => defined.indexOf(name) < at),
    [],
  )
})

await t.test('gateways that start at once migrate once, and a later start finds nothing to do', async (t) => {
  const url = await server.createDatabase(true)
  const databases = Array.from({ length: 8 }, () => createPostgresSql(url, 1))
  t.teardown(() => Promise.all(databases.map((database) => database.close())))
  await Promise.all(databases.map((database) => migrate(database)))
  const written = sql`
    select 'migration' as name, xmin::text as version from migration
    union all select proname, xmin::text from pg_proc where pronamespace = 'public'::regnamespace order by 1`
  const before = await databases[0]!.run(written, terms)
  await migrate(databases[0]!)
  t.same(await databases[0]!.run(written, terms), before)
})

await t.test('a later release applies its migrations and replaces the functions, also under many starts', async (t) => {
  const { database, reply } = await aDatabase(t)
  await migrate(database, aSchema(t, 'before'))
  const later = aSchema(t, 'after', 'create table second ();', '-- Names a changed function.')
  await Promise.all(Array.from({ length: 4 }, () => migrate(database, later)))
  t.equal(await reply(), 'after')
  t.match(await database.run(sql`select number from migration order by number`, terms), [
    { number: 1 },
    { number: 2 },
    { number: 3 },
  ])
})

await t.test('a release before that starts later replaces nothing', async (t) => {
  const { database, reply } = await aDatabase(t)
  await migrate(database, aSchema(t, 'after', 'create table second ();'))
  await migrate(database, aSchema(t, 'before'))
  t.equal(await reply(), 'after')
})

await t.test('an edited function replaces the one of the same schema, as while it is developed', async (t) => {
  const { database, reply } = await aDatabase(t)
  await migrate(database, aSchema(t, 'before'))
  await migrate(database, aSchema(t, 'after'))
  t.equal(await reply(), 'after')
})

await t.test('a role that owns its database and nothing else can migrate', async (t) => {
  const url = new URL(await server.createDatabase(true))
  const superuser = createPostgresSql(url.href, 1)
  t.teardown(() => superuser.close())
  await superuser.run(sql`create role limited login nosuperuser nocreatedb nocreaterole password 'limited'`, terms)
  await superuser.run(sql`create database limited owner limited`, terms)
  url.username = 'limited'
  url.password = 'limited'
  url.pathname = '/limited'
  const database = createPostgresSql(url.href, 1)
  t.teardown(() => database.close())
  await migrate(database)
  await t.resolves(migrate(database))
})

await t.test('a database with other migrations, or without UTF-8, is refused in one line', async (t) => {
  const url = await server.createDatabase(true)
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  await migrate(database)
  await database.run(sql`update migration set name = 'other' where number = 1`, terms)
  await t.rejects(migrate(database), { message: 'migration 1 of this database is other, not calculations' })
  await database.run(sql`update migration set name = 'calculations', digest = '' where number = 1`, terms)
  await t.rejects(migrate(database), {
    message: 'migration 1 (calculations) of this database has another content than ours',
  })
  await database.run(sql`create database latin encoding 'LATIN1' template template0`, terms)
  const latin = createPostgresSql(url.replace(/[^/]+$/, 'latin'), 1)
  t.teardown(() => latin.close())
  await t.rejects(migrate(latin), { message: 'the database must have the encoding UTF8, not LATIN1' })
})

await t.test('a migration gives up before calls have to wait behind it, and succeeds afterwards', async (t) => {
  const { url, database } = await aDatabase(t)
  await migrate(database, aSchema(t, 'before'))
  const later = aSchema(t, 'after', 'alter table first add column added text;')
  const calling = createPostgresSql(url, 1)
  t.teardown(() => calling.close())
  await calling.transaction(async (transaction) => {
    await transaction.run(sql`lock table first in row exclusive mode`)
    await t.rejects(migrate(database, later), { message: 'ledger: busy' })
  })
  await t.resolves(migrate(database, later))
})

await t.test('a folder with two migrations of one number is refused', async (t) => {
  const { database } = await aDatabase(t)
  const folder = t.testdir({ migrations: { '0001-a.sql': '', '0001-b.sql': '' }, functions: {} })
  await t.rejects(migrate(database, folder), { message: 'migration 1 (b) does not follow the one before it' })
})
