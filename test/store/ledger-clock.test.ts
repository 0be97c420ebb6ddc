import t, { type Test } from 'tap'
import { StoreFault } from '../../store/fault.js'
import { createLedgerClock } from '../../store/postgres/calculations/ledger-clock.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aWant, plenty } from '../support/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { type PostgresServer, startPostgres } from '../support/servers/start-postgres.js'
import { until } from '../support/until.js'
import { recount } from './ledger-checker.js'

// Databases start slowly where everything runs at once.
t.setTimeout(1_800_000)

const options = { expiryS: 1_800, idempotencyS: 86_400, connections: 2 }
const terms = { effect: 'writes', withinMs: plenty } as const
const stepMs = 10_000
/** Long for a confirmation on a busy machine, short against a step. */
const withinMs = 4_000
const nearMs = 5_000

async function open(t: Test, server: PostgresServer) {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ ...options, url })
  const database = createPostgresSql(url, 1)
  t.teardown(async () => {
    await ledger.close()
    await database.close()
  })
  return { ledger, database }
}

for (const clockSteps of ['server', 'functions'] as const) {
  await t.test(`a ledger whose clock is set (${clockSteps})`, async (t) => {
    const server = await startPostgres({ clockSteps })
    t.teardown(() => server.stop())

    for (const aheadMs of [stepMs, 0, -stepMs, 0]) {
      await t.test(`confirms the next calculation in the same call: ${aheadMs} ms ahead`, async (t) => {
        const { ledger, database } = await open(t, server)
        t.same(await ledger.calculations.confirm(aRecord(ledger, { holds: [aWant()] }), withinMs), {
          kind: 'confirmed',
        })
        await server.setClock(aheadMs)
        const record = aRecord(ledger, { holds: [aWant()] })
        t.same(await ledger.calculations.confirm(record, withinMs), { kind: 'confirmed' })
        const aheadNow = ledger.clock() - Date.now()
        t.ok(Math.abs(aheadNow - aheadMs) < nearMs, `the gateway's idea of the clock is ${aheadNow} ms ahead`)
        const [row] = await database.run<{ heldS: number }>(
          sql`
            select extract(epoch from expires_at - answered_at)::float8 as "heldS" from calculation
            where calculation_id = ${record.calculationId}::uuid`,
          terms,
        )
        t.ok(Math.abs(row!.heldS - options.expiryS) < nearMs / 1_000, 'answered and held by the ledger’s clock')
        t.same(await recount(database), [])
      })
    }

    for (const aheadMs of [0, stepMs, -stepMs]) {
      await t.test(`stores nothing that it gets after the deadline: ${aheadMs} ms ahead`, async (t) => {
        await server.setClock(0)
        const { ledger, database } = await open(t, server)
        const record = aRecord(ledger, { holds: [aWant()] })
        // Both connections have answered, and one of them gets the next call.
        await Promise.all([
          ledger.calculations.findAnswer(record.calculationId),
          ledger.calculations.findAnswer(record.calculationId),
        ])
        const pids = await backendsOf(database)
        for (const pid of pids) process.kill(pid, 'SIGSTOP')
        const late = await ledger.calculations.confirm(record, 300).catch((error: unknown) => error)
        t.match(late, { kind: 'in_doubt' })
        t.ok(late instanceof StoreFault)
        await server.setClock(aheadMs)
        for (const pid of pids) process.kill(pid, 'SIGCONT')
        const left = await until(
          () => waitingOf(database, pids),
          (count) => count === 0,
        )
        t.equal(left, 0, 'the statement has been worked on')
        t.same(await ledger.calculations.findAnswer(record.calculationId), { kind: 'unknown' })
        t.same(await recount(database), [])
        t.same(await ledger.calculations.confirm(record, withinMs), { kind: 'confirmed' })
      })
    }
  })
}

await t.test('a reply counts where it contradicts the clock, or is more exact', async (t) => {
  const ours = performance.now()
  const clock = await createLedgerClock(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return performance.now() - ours + 1_000_000
  })
  const truth = () => performance.now() - ours + 1_000_000
  t.notOk(clock.learn(performance.now() - 60_000, truth()), 'a slow reply that may be true tells nothing')
  t.ok(Math.abs(clock.now() - truth()) < 1_000)
  t.ok(clock.learn(performance.now(), truth()), 'a quick one is more exact than those before')
  t.ok(clock.learn(performance.now() - 200, truth() - 10_000), 'the clock was set')
  t.ok(Math.abs(clock.now() - (truth() - 10_000)) < 1_000)
})

/** The ledger's own connections. */
async function backendsOf(database: Sql): Promise<readonly number[]> {
  const rows = await database.run<{ pid: number }>(
    sql`select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    terms,
  )
  return rows.map(({ pid }) => pid)
}

/** 1 while none of these backends has ended, or has worked on a confirmation and is idle again. */
async function waitingOf(database: Sql, pids: readonly number[]): Promise<number> {
  const [row] = await database.run<{ alive: number; done: number }>(
    sql`
      select count(*)::integer as alive, (count(*) filter (where query like '%confirm_within%' and state = 'idle'))::integer as done
      from pg_stat_activity where pid = any (${`{${pids.join(',')}}`}::text::integer[])`,
    terms,
  )
  return row!.done === 0 && row!.alive === pids.length ? 1 : 0
}
