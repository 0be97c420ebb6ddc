import t from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { planning, sql } from '../../store/postgres/connection/sql.js'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'

/** Many more than a member has. */
const sales = 5_000

t.test('forgetting reads only the sales of the member', async (t) => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, expiryS: 1_800, idempotencyS: 86_400 })
  t.teardown(() => ledger.close())
  const database = createPostgresSql(url, 1)
  t.teardown(() => database.close())
  const rows = await database.transaction(async (transaction) => {
    for (const [name, value] of Object.entries(planning)) await transaction.runScript(`set ${name} = ${value}`)
    await transaction.runScript(`
      insert into sale (
        calculation_id, recorded_at, loyalty_id, body, digest, status, result, loyalty_id_sent, currency, channel, occurred_at, discrepancies
      )
      select gen_random_uuid(), now() - i * interval '1 second', 'L' || i, 'x', 'd', 'applied', 'recorded', true, 'EUR', 'pos', 'x', '{}'
      from generate_series(1, ${sales}) i`)
    await transaction.run(sql`select * from erase_member('m-1', array['L7', 'L8'], 'infinity', '{}')`)
    return await transaction.run<{ fetched: number }>(
      sql`select idx_tup_fetch as fetched from pg_stat_xact_user_tables where relname = 'sale'`,
    )
  })
  t.ok(rows[0]!.fetched < 100, `${rows[0]!.fetched} of ${sales}`)
})
