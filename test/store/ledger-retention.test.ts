import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { dropPartitions } from '../../store/postgres/upkeep/retention.js'
import { aRecord, aSale, aWant, eventBody, plenty } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { recount } from './ledger-checker.js'

// Databases start slowly where everything runs at once.
t.setTimeout(120_000)

const server = await startPostgres()
t.teardown(() => server.stop())
const url = await server.createDatabase()
const options = { url, expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, hangMs: plenty, saleMs: plenty }
const ledger = await createPostgresLedger(options)
const database = createPostgresSql(url, 2)
t.teardown(async () => {
  await ledger.close()
  await database.close()
})
const terms = { effect: 'writes', withinMs: plenty } as const

/** How many days ago the old calculations were answered. */
const oldDays = 100
const keptDays = 90

/** Makes everything there is as old as that: calculations, their bodies and their sales. */
async function age(): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.runScript(`
      do $$
      declare
        v_day date := (clock_timestamp() at time zone 'UTC')::date - ${oldDays};
        v_name text := 'calculation_body_' || to_char(v_day, 'YYYYMMDD');
      begin
        execute format('create table %I partition of calculation_body for values from (%L) to (%L)', v_name, v_day, v_day + 1);
        update calculation_body set day = v_day;
        update calculation set body_day = v_day, answered_at = answered_at - interval '${oldDays} days';
        update sale set recorded_at = recorded_at - interval '${oldDays} days';
      end
      $$`)
  })
}

function partitions(of: Sql): Promise<readonly { name: string }[]> {
  return of.run<{ name: string }>(
    sql`select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'calculation_body'::regclass order by 1`,
    terms,
  )
}

/** Calls of every kind, one after the other, until notified to stop; resolves to how many there were. */
async function callWithoutEnd(book: Ledger, stop: AbortSignal): Promise<number> {
  let calls = 0
  while (!stop.aborted) {
    const limited = aRecord(book, { holds: [aWant()] })
    await book.calculations.confirm(limited, plenty)
    await book.calculations.store([aRecord(book, { supersedesCalculationId: limited.calculationId })])
    await book.calculations.findAnswer(limited.calculationId)
    await book.sales.record(aSale(limited), eventBody)
    calls += 4
    await sleep(0)
  }
  return calls
}

const sold: CalculationRecord = aRecord(ledger, { holds: [aWant()] })
const unsold: CalculationRecord = aRecord(ledger)

await t.test('old bodies are dropped while calls run, and no call is refused for it', async (t) => {
  await ledger.calculations.confirm(sold, plenty)
  await ledger.sales.record(aSale(sold), eventBody)
  await ledger.calculations.store([unsold])
  await age()
  t.equal((await partitions(database)).length, 3, 'today, tomorrow, and the old one')
  const stop = new AbortController()
  const calling = Promise.all(Array.from({ length: 4 }, () => callWithoutEnd(ledger, stop.signal)))
  try {
    t.equal(await dropPartitions(database, oldDays), 0, 'what is not older than asked for stays')
    t.equal(await dropPartitions(database, keptDays), 1)
  } finally {
    stop.abort()
  }
  t.ok((await calling).every((calls) => calls > 0))
  t.equal((await partitions(database)).length, 2)
})

await t.test('GUIDs, outcomes and sales stay, and a repeat says so: outlived, and duplicate', async (t) => {
  for (const { calculationId } of [sold, unsold])
    t.same(await ledger.calculations.findAnswer(calculationId), { kind: 'outlived' })
  t.match(await ledger.calculations.confirm(unsold, plenty), { kind: 'known', lookup: { kind: 'outlived' } })
  t.same(await ledger.sales.record(aSale(sold), eventBody), { kind: 'duplicate' })
  t.match(await ledger.counters.lookUp(sold.holds), [{ used: 1, open: 0 }])
  const rows = await database.run(
    sql`select status, net_after from calculation where calculation_id = ${sold.calculationId}::uuid`,
    terms,
  )
  t.match(rows, [{ status: 'applied', net_after: sold.netAfter }])
  t.same(
    (await recount(database)).filter((fault) => !fault.includes('has no body')),
    [],
  )
})

await t.test('dropping gives way to a transaction that is in the way, and succeeds once that is over', async (t) => {
  await ledger.calculations.store([aRecord(ledger)])
  await age()
  let dropping: Promise<number> | undefined
  await database.transaction(async (transaction) => {
    await transaction.run(sql`select count(*) from calculation_body`)
    dropping = dropPartitions(database, keptDays)
    // Calls go on meanwhile: the drop waits for none of them longer than a moment.
    for (let call = 0; call < 20; call += 1) await ledger.calculations.confirm(aRecord(ledger), plenty)
  })
  t.equal(await dropping, 1)
})

await t.test('a calculation creates the partition of its day where the hourly round has not', async (t) => {
  const dropAll = () =>
    database.transaction(async (transaction) => {
      for (const { name } of await partitions(database)) await transaction.runScript(`drop table ${name}`)
    })
  await dropAll()
  const records = Array.from({ length: 4 }, () => aRecord(ledger, { holds: [aWant()] }))
  const replies = await Promise.all(records.map((record) => ledger.calculations.confirm(record, plenty)))
  t.same(replies, Array(4).fill({ kind: 'confirmed' }))
  await dropAll()
  const flushed = aRecord(ledger)
  await ledger.calculations.store([flushed])
  t.match(await ledger.calculations.findAnswer(flushed.calculationId), { kind: 'stored' })
})
