import postgres from 'postgres'
import t from 'tap'
import { hangMsDefault } from '../../store/postgres/connection/pulse.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'

t.setTimeout(600_000)

const tables = ['calculation', 'calculation_body', 'reservation', 'limit_counter', 'sale']
const connections = 3
/** Longer than the silence after which a look-up is given up, in seconds. */
const silenceS = (3 * hangMsDefault) / 1_000

const server = await startPostgres()
t.teardown(() => server.stop())

t.test('a warm-up runs the writes on every connection and leaves no trace', async (t) => {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, connections, expiryS: 1_800, idempotencyS: 86_400 })
  t.teardown(() => ledger.close())
  const sql = postgres(url, { max: 1 })
  t.teardown(() => sql.end())
  const began = await sql`select pg_current_wal_lsn() as place`
  await ledger.warmUp()
  const [wrote] = await sql`select pg_current_wal_lsn() > ${began[0]!['place']}::pg_lsn as something`
  t.equal(wrote!['something'], true, 'it has written')
  for (const table of tables) {
    const [row] = await sql.unsafe(`select count(*)::integer as rows from ${table}`)
    t.equal(row!['rows'], 0, table)
  }
  const [seen] = await sql`
    select count(*)::integer as warmed_up from pg_stat_activity
    where application_name = 'loyalty' and datname = current_database() and query like '%warm_up%' and pid <> pg_backend_pid()`
  t.equal(seen!['warmed_up'], connections)
})

t.test('a server that is silent during its warm-up is waited for', async (t) => {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, connections: 1, expiryS: 1_800, idempotencyS: 86_400 })
  t.teardown(() => ledger.close())
  const sql = postgres(url, { max: 2 })
  t.teardown(() => sql.end())
  const warmedUp = sql.begin(async (locking) => {
    await locking`lock table limit_counter in access exclusive mode`
    const warmingUp = ledger.warmUp()
    let ended = false
    warmingUp.catch(() => {}).finally(() => (ended = true))
    await untilSilentOr(() => ended, sql)
    return { warmingUp }
  })
  await t.resolves((await warmedUp).warmingUp)
})

/** Resolves once the warm-up has waited long for a lock, or has ended. */
async function untilSilentOr(ended: () => boolean, sql: postgres.Sql): Promise<void> {
  for (let isLong = false; !isLong && !ended(); ) {
    const [seen] = await sql`
      select count(*) filter (where wait_event_type = 'Lock' and clock_timestamp() - query_start > make_interval(secs => ${silenceS}))::integer as long
      from pg_stat_activity where datname = current_database() and query like '%warm_up%' and pid <> pg_backend_pid()`
    isLong = seen!['long'] > 0
  }
}
