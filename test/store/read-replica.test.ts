import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { withReplica } from '../../store/postgres/connection/read-replica.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aRecord, plenty } from '../support/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startStandby } from '../support/servers/start-standby.js'

// Databases start slowly on a busy machine.
t.setTimeout(600_000)

const terms = { effect: 'reads', withinMs: plenty } as const
const writing = { effect: 'writes', withinMs: plenty } as const
const everything = {
  ...{ fromUs: 0, untilUs: Number.MAX_SAFE_INTEGER, venueId: '', memberId: '', loyaltyId: '' },
  ...{ status: '', state: '', programmeVersion: null, cashRegisterId: '', receiptNumber: null, transactionId: '' },
  benefitId: '',
}

const server = await startPostgres()
t.teardown(() => server.stop())
const databaseUrl = await server.createDatabase()
const standby = await startStandby(server.port)
t.teardown(() => standby.stop())
const readUrl = standby.urlOf(databaseUrl)
const primary = createPostgresSql(databaseUrl, 2)
const replica = createPostgresSql(readUrl, 2)
const reading = withReplica(primary, replica)
t.teardown(() => reading.close())

async function servedBy(database: Sql): Promise<'replica' | 'primary'> {
  const [row] = await database.run<{ follows: boolean }>(sql`select pg_is_in_recovery() as follows`, terms)
  return row!.follows ? 'replica' : 'primary'
}

/** A replica may be skipped while the machine is busy; in the end it serves. */
async function untilReplica(): Promise<void> {
  while ((await servedBy(reading)) !== 'replica') await sleep(20)
}

await t.test('reads run on the replica, writes on the primary', async (t) => {
  await untilReplica()
  const [row] = await reading.run(sql`select pg_is_in_recovery() as follows`, writing)
  t.same(row, { follows: false })
})

await t.test('a list right after a write contains the write, each time', async (t) => {
  const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty, hangMs: plenty }
  const ledger = await createPostgresLedger({ ...options, url: databaseUrl, readUrl })
  t.teardown(() => ledger.close())
  for (let count = 0; count < 40; count += 1) {
    const record = aRecord(ledger)
    await ledger.calculations.store([record])
    const [newest] = await ledger.calculations.list(everything, { after: null, limit: 1 })
    t.equal(newest?.calculationId, record.calculationId)
  }
})

await t.test('a replica that has stopped replaying is skipped until it continues', async (t) => {
  await replica.run(sql`select pg_wal_replay_pause()`, terms)
  for (;;) {
    const [row] = await replica.run<{ state: string }>(sql`select pg_get_wal_replay_pause_state() as state`, terms)
    if (row!.state === 'paused') break
    await sleep(20)
  }
  await primary.run(sql`create table written (number integer)`, writing)
  t.same(await reading.run(sql`select number from written`, terms), [])
  t.equal(await servedBy(reading), 'primary')
  await replica.run(sql`select pg_wal_replay_resume()`, terms)
  await untilReplica()
})

await t.test('a replica that is no standby of this ledger is never read from', async (t) => {
  const other = await startPostgres({ isUnrelated: true })
  t.teardown(() => other.stop())
  for (const url of [await other.createDatabase(), databaseUrl]) {
    const mistaken = withReplica(primary, createPostgresSql(url, 1))
    await mistaken.run(sql`select number from written`, terms)
    t.equal(await servedBy(mistaken), 'primary')
  }
})

await t.test('while the primary is out of reach the replica answers with what it has', async (t) => {
  await server.kill()
  while ((await servedBy(reading).catch(() => null)) !== 'replica') await sleep(20)
  t.same(await reading.run(sql`select number from written`, terms), [])
  await t.rejects(reading.run(sql`insert into written values (1)`, writing), { message: /^ledger: / })
  await server.restart()
  while ((await servedBy(primary).catch(() => null)) === null) await sleep(20)
})

await t.test('an unreachable replica is skipped', async (t) => {
  await standby.stop()
  while ((await servedBy(reading).catch(() => null)) !== 'primary') await sleep(20)
  t.equal(await servedBy(primary), 'primary')
})
