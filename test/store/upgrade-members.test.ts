import t from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { migrate } from '../../store/postgres/schema/migrate.js'
import { startPostgres } from '../servers/start-postgres.js'
import { digestOf, plenty } from './ledger-builders.js'

// Databases start slowly on a busy machine.
t.setTimeout(600_000)

/** The last migration before those that enrol and forget whole. */
const before = 19
const terms = { effect: 'writes', withinMs: plenty } as const

await t.test('an upgrade preserves old loyalty ids, imported members, and the last file', async (t) => {
  const server = await startPostgres()
  const database = createPostgresSql(await server.createDatabase(), 1)
  t.teardown(async () => {
    await database.close()
    await server.stop()
  })
  await migrate(database, before)
  const row = (id: string, card: string) => ({ member_id: id, body: '{"blocked":false}', loyalty_ids: [card] })
  const published = JSON.stringify([row('published', 'p-1'), row('imported', 'old')])
  await database.run(
    sql`select * from publish_programme(${digestOf('file')}, '{}', '[]', '[]', ${published}::text::json)`,
    terms,
  )
  const imported = { ...row('imported', 'new'), body_blocked: '{"blocked":true}' }
  await database.run(
    sql`
      select order_members(
        row('admin', 'MemberService/UpsertMembers', gen_random_uuid())::change_context, ${digestOf('x')},
        ${JSON.stringify([imported])}::text::json
      )`,
    terms,
  )
  await migrate(database)
  t.same(await database.run(sql`select member_id, loyalty_id from past_loyalty_id`, terms), [
    { member_id: 'imported', loyalty_id: 'old' },
  ])
  t.same(await database.run(sql`select member_id from published_member`, terms), [{ member_id: 'published' }])
  const [file] = await database.run<{ because: string }>(
    sql`select because from publish_file(${digestOf('file')}, '{}', '[]', '[]', '[]', false)`,
    terms,
  )
  t.equal(file?.because, 'file_unchanged')
})
