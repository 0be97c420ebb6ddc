import postgres from 'postgres'
import t from 'tap'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import { startPostgres } from '../servers/start-postgres.js'

t.setTimeout(600_000)

const tables = ['calculation', 'calculation_body', 'reservation', 'limit_counter', 'sale']
const connections = 3

const server = await startPostgres()
t.teardown(() => server.stop())

t.test('a rehearsal walks every connection through its writes and leaves no trace', async (t) => {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, connections, expiryS: 1_800, idempotencyS: 86_400 })
  t.teardown(() => ledger.close())
  const sql = postgres(url, { max: 1 })
  t.teardown(() => sql.end())
  const began = await sql`select pg_current_wal_lsn() as place`
  await ledger.rehearse()
  const [wrote] = await sql`select pg_current_wal_lsn() > ${began[0]!['place']}::pg_lsn as something`
  t.equal(wrote!['something'], true, 'it has written')
  for (const table of tables) {
    const [row] = await sql.unsafe(`select count(*)::integer as rows from ${table}`)
    t.equal(row!['rows'], 0, table)
  }
  const [seen] = await sql`
    select count(*)::integer as rehearsed from pg_stat_activity
    where application_name = 'loyalty' and datname = current_database() and query like '%rehearsal%' and pid <> pg_backend_pid()`
  t.equal(seen!['rehearsed'], connections)
})
