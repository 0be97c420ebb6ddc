import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { unpackTemplate } from '../../store/embedded/ledger-template.js'
import { createPgliteSql } from '../../store/embedded/pglite-sql.js'
import { migrate } from '../../store/postgres/schema/migrate.js'
import { committedSchema, dumpSchema } from './dump-schema.js'

t.test('an empty folder starts from the packed template, a used one stays as it is', async (t) => {
  const folder = t.testdir({})
  t.equal(await unpackTemplate(folder), true, 'the build packs one')
  t.ok(existsSync(join(folder, 'pg_wal')))
  writeFileSync(join(folder, 'PG_VERSION'), 'of another')
  t.equal(await unpackTemplate(folder), false)
  t.equal(readFileSync(join(folder, 'PG_VERSION'), 'utf8'), 'of another')
  t.equal(await unpackTemplate(join(folder, 'not', 'there-yet')), true)
})

t.test('an unpacking that was killed is started again', async (t) => {
  const folder = t.testdir({})
  await unpackTemplate(folder)
  rmSync(join(folder, 'PG_VERSION'))
  rmSync(join(folder, 'global'), { recursive: true })
  t.equal(await unpackTemplate(folder), true)
  t.ok(existsSync(join(folder, 'global', 'pg_control')))
})

t.test('the template has the schema and no records', async (t) => {
  const folder = t.testdir({})
  const beganMs = Date.now()
  const database = await createPgliteSql(folder)
  t.teardown(() => database.close())
  t.same(await dumpSchema(database), await committedSchema(), 'before any migration runs here')
  const run = <Row>(text: string) => database.run<Row>({ text, values: [] }, { effect: 'reads', withinMs: 10_000 })
  const functions =
    "select string_agg(xmin::text, ',' order by oid) as versions from pg_proc where pronamespace = 'public'::regnamespace"
  const packed = await run(functions)
  await migrate(database)
  t.same(await run(functions), packed, 'its functions are those of today')
  const tables = await run<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname",
  )
  const filled: string[] = []
  for (const { name } of tables) {
    const [row] = await run<{ rows: number }>(`select count(*) as rows from ${name}`)
    if (row!.rows > 0) filled.push(name)
  }
  t.same(
    filled,
    ['flush_wish', 'ladder_sweep', 'limit_sampling', 'migration', 'recount', 'sums_state'],
    'the steps of the schema, and the one row each of wishes, of sums, of samples and of a recount that has not begun',
  )
  const [applied] = await run<{ at: number }>(
    'select (extract(epoch from min(applied_at)) * 1000)::float8 as at from migration',
  )
  t.ok(applied!.at >= beganMs - 1_000, 'applied here, and not where it was built')
  const sequences = await run<{ last_value: number | null }>('select last_value from pg_sequences')
  t.ok(sequences.length > 0 && sequences.every(({ last_value }) => last_value === null), 'no number is exhausted')
})
