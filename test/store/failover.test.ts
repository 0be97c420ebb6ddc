import postgres from 'postgres'
import t, { type Test } from 'tap'
import { StoreFault } from '../../store/fault.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { openLink } from '../faults/link.js'
import { Dice } from '../support/dice.js'
import { aRecord, aSale, aWant, eventBody, plenty } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startStandby } from '../support/servers/start-standby.js'
import { until } from '../support/until.js'
import { recount } from './ledger-checker.js'

// Databases start slowly where everything runs at once.
t.setTimeout(600_000)

const options = { expiryS: 1_800, idempotencyS: 86_400 }
/** Generous for a busy machine: each connection is opened again when it is next used. */
const resumedWithinMs = 10_000

t.test('acknowledged writes survive a failover, and calls go on at the same address', async (t) => {
  const { address, primary, standby, databaseUrl } = await openPair(t)
  const url = databaseUrl.replace(`:${primary.port}/`, `:${address.port}/`)
  const ledger = await createPostgresLedger({ ...options, url })
  t.teardown(() => ledger.close())
  const selling = sellOn(ledger, 4)

  await until(
    () => selling.acknowledged.length,
    (count) => count > 50,
  )
  await primary.kill()
  await until(
    () => selling.faults.length,
    (count) => count > 10,
  )
  const before = [...selling.acknowledged]
  await standby.promote()
  address.lead(standby.port)
  const movedAtMs = performance.now()
  await until(
    () => selling.acknowledged.length,
    (count) => count > before.length + 50,
  )
  const resumedMs = performance.now() - movedAtMs
  await selling.stop()

  t.ok(resumedMs < resumedWithinMs, `sales are recorded ${Math.round(resumedMs)} ms after the address has moved`)
  t.same(
    selling.faults.filter((fault) => !(fault instanceof StoreFault)),
    [],
    'what fails meanwhile is a 503',
  )
  const missing: string[] = []
  for (const record of before) {
    const { kind } = await ledger.sales.record(aSale(record), eventBody)
    if (kind !== 'stored') missing.push(record.calculationId)
  }
  t.same(missing, [])
  const database = createPostgresSql(standby.urlOf(databaseUrl), 1)
  t.teardown(() => database.close())
  t.same(await recount(database), [])
})

/** A primary, a synchronous standby of it, and one address that leads to the primary. */
async function openPair(t: Test) {
  const primary = await startPostgres({ settings: { synchronous_commit: 'off' } })
  t.teardown(() => primary.stop())
  const databaseUrl = await primary.createDatabase()
  const standby = await startStandby(primary.port)
  t.teardown(() => standby.stop())
  const address = await openLink(primary.port, new Dice(1))
  t.teardown(() => address.close())
  const operator = postgres(primary.url, { max: 1 })
  await operator`alter system set synchronous_standby_names = 'standby'`
  await operator`select pg_reload_conf()`
  await until(
    () => operator`select 1 from pg_stat_replication where sync_state = 'sync'`,
    ({ length }) => length === 1,
  )
  await operator.end()
  return { primary, standby, address, databaseUrl }
}

/** Callers that confirm and sell one basket with a limit after the other, whatever fails. */
function sellOn(ledger: Ledger, callers: number) {
  const acknowledged: ReturnType<typeof aRecord>[] = []
  const faults: unknown[] = []
  const want = aWant({ maximum: 1_000_000 })
  let over = false
  const selling = Array.from({ length: callers }, async () => {
    while (!over) {
      const record = aRecord(ledger, { holds: [want] })
      try {
        await ledger.calculations.confirm(record, plenty)
        await ledger.sales.record(aSale(record), eventBody)
        acknowledged.push(record)
      } catch (fault) {
        faults.push(fault)
      }
    }
  })
  return {
    acknowledged,
    faults,
    async stop() {
      over = true
      await Promise.all(selling)
    },
  }
}
