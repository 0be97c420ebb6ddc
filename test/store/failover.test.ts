import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { createPostgresSql, openPrimary } from '../../store/postgres/connection/postgres-sql.js'
import type { Recalled } from '../../store/postgres/connection/recall.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import { openLink } from '../faults/link.js'
import { Dice } from '../support/dice.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startStandby } from '../support/servers/start-standby.js'
import { aRecord, aSale, aWant, eventBody, plenty } from './ledger-builders.js'
import { recount } from './ledger-checker.js'

// Databases start slowly where everything runs at once.
t.setTimeout(600_000)

const terms = { effect: 'reads', withinMs: plenty } as const
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty, hangMs: plenty }

/** Waits until it holds, as long as the test may take. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await sleep(50)
}

await t.test(
  'a promoted standby takes over, what it lacks is put back, and the old primary takes no writes',
  async (t) => {
    const old = await startPostgres()
    t.teardown(() => old.stop())
    const line = await openLink(old.port, new Dice(1))
    t.teardown(() => line.close())
    const databaseUrl = await old.createDatabase()
    const standby = await startStandby({ follows: line.port })
    t.teardown(() => standby.stop())
    const url = databaseUrl.replace(`:${old.port}/`, `:${old.port},127.0.0.1:${standby.port}/`)

    const noted: Recalled[] = []
    const ledger = await createPostgresLedger({ ...options, url, onRecalled: (recalled) => void noted.push(recalled) })
    t.teardown(() => ledger.close())
    const want = aWant({ maximum: 3 })
    const followed = aRecord(ledger, { holds: [want] })
    t.same(await ledger.calculations.confirm(followed, plenty), { kind: 'confirmed' })
    const behind = createPostgresSql(standby.urlOf(databaseUrl), 1)
    t.teardown(() => behind.close())
    const arrived = sql`select 1 from calculation where calculation_id = ${followed.calculationId}::uuid`
    await until(async () => (await behind.run(arrived, terms)).length === 1)

    line.hang()
    const lost = aRecord(ledger, { holds: [want] })
    const sold = aRecord(ledger, { holds: [want] })
    const kept = aRecord(ledger)
    for (const record of [lost, sold]) t.same(await ledger.calculations.confirm(record, plenty), { kind: 'confirmed' })
    await ledger.calculations.store([kept])
    t.match(await ledger.sales.record(aSale(sold), eventBody), { kind: 'recorded' })
    await old.kill()
    line.cut()
    await standby.promote()
    await until(async () => noted.length > 0)
    // Two confirmations and one sale, fewer where one was tried again after a pause; the one without limits comes besides.
    t.match(noted, [{ timeline: 2, refused: [], failed: 0 }])
    t.ok(noted[0]!.restored > 0 && noted[0]!.restored <= 3, `${noted[0]!.restored} were put back`)
    for (const { calculationId } of [followed, lost, sold, kept]) {
      t.match(await ledger.calculations.findAnswer(calculationId), { kind: 'stored' })
    }
    t.match(await ledger.counters.lookUp([want]), [{ used: 1, open: 2 }])
    t.match(
      await ledger.calculations.confirm(aRecord(ledger, { holds: [want] }), plenty),
      { kind: 'short' },
      'no unit is granted twice',
    )
    t.match(await ledger.sales.record(aSale(sold), eventBody), { kind: 'stored' })
    t.same(await recount(behind), [])

    await t.test('the old primary comes back and takes writes, but not from whoever knows', async (t) => {
      await old.restart()
      const primary = openPrimary(url)
      t.teardown(() => primary.close())
      await until(async () => primary.timeline() === 2)
      t.equal(primary.url(), standby.urlOf(databaseUrl), 'a new process that sees both believes the newer one')
      const driver = postgres(`${url}?target_session_attrs=read-write`, { max: 1 })
      t.teardown(() => driver.end())
      t.match(
        await driver`select current_timeline()`,
        [{ current_timeline: 1 }],
        'the choice of the driver alone is the first that writes',
      )
      const stale = createPostgresSql({ ...primary, url: () => databaseUrl }, 1)
      t.teardown(() => stale.close())
      const writing = sql`select keep_calculations('[]', '{}', '{}', '{}', '{}', 1800)`
      await t.rejects(stale.run(writing, { effect: 'writes', withinMs: plenty }), { message: 'ledger: unreachable' })
      await stale.run(sql`select 1`, terms)
      t.match(
        await ledger.calculations.confirm(aRecord(ledger), plenty),
        { kind: 'confirmed' },
        'and the ledger goes on',
      )
    })
  },
)

await t.test('with synchronous replication nothing acknowledged is missing on the standby', async (t) => {
  const old = await startPostgres()
  t.teardown(() => old.stop())
  const databaseUrl = await old.createDatabase()
  const standby = await startStandby({ follows: old.port })
  t.teardown(() => standby.stop())
  const operator = createPostgresSql(old.url, 1)
  t.teardown(() => operator.close())
  const setting = sql`alter system set synchronous_standby_names = 'standby'`
  await operator.run(setting, { effect: 'writes', withinMs: plenty })
  await operator.run(sql`select pg_reload_conf()`, terms)
  await until(async () => {
    const rows = await operator.run(sql`select 1 from pg_stat_replication where sync_state = 'sync'`, terms)
    return rows.length === 1
  })
  const url = databaseUrl.replace(`:${old.port}/`, `:${old.port},127.0.0.1:${standby.port}/`)
  const noted: Recalled[] = []
  const ledger = await createPostgresLedger({ ...options, url, onRecalled: (recalled) => void noted.push(recalled) })
  t.teardown(() => ledger.close())
  const want = aWant({ maximum: 1_000 })
  const acknowledged: string[] = []
  const calling = Array.from({ length: 4 }, async () => {
    for (;;) {
      const record = aRecord(ledger, { holds: [want] })
      const reply = await ledger.calculations.confirm(record, plenty).catch(() => null)
      if (reply === null) return
      acknowledged.push(record.calculationId)
    }
  })
  await until(async () => acknowledged.length > 100)
  await old.kill()
  await Promise.all(calling)
  await standby.promote()
  await until(async () => noted.length > 0)
  t.match(noted, [{ restored: 0, refused: [], failed: 0 }], 'nothing had to be put back')
  const missing: string[] = []
  for (const id of acknowledged) if ((await ledger.calculations.findAnswer(id)).kind !== 'stored') missing.push(id)
  t.same(missing, [])
})
