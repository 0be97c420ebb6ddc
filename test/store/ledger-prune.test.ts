import postgres from 'postgres'
import t from 'tap'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { reconcile } from '../../store/postgres/counters/reconcile.js'
import { pruneRecords } from '../../store/postgres/upkeep/retention.js'
import { aRecord, aSale, aWant, eventBody, plenty } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { createLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { until } from '../support/until.js'
import { recount } from './ledger-checker.js'
import { sumAll } from './ledger-contract-reports.js'
import { aMemberId, anEarning, holdings } from './value-builders.js'

// Databases start slowly on a busy machine.
t.setTimeout(300_000)

const terms = { effect: 'writes', withinMs: plenty } as const
const days = 400
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, hangMs: plenty, saleMs: plenty }

const server = await startPostgres()
t.teardown(() => server.stop())

/** Makes everything stored old enough to be pruned. */
async function age(database: Sql): Promise<void> {
  await database.run(sql`update calculation set answered_at = answered_at - interval '401 days'`, terms)
  await database.run(sql`update sale set recorded_at = recorded_at - interval '401 days'`, terms)
}

async function differences(database: Sql): Promise<readonly string[]> {
  const found: string[] = []
  await reconcile(database, { since: '-infinity', until: null }, (each) => found.push(JSON.stringify(each)))
  return [...found, ...(await recount(database)).filter((fault) => !fault.includes('has no body'))]
}

async function sold(ledger: Ledger, record: CalculationRecord): Promise<void> {
  t.same(await ledger.calculations.confirm(record, plenty), { kind: 'confirmed' })
  t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'recorded' })
}

await t.test('old records are pruned in slices, and every counter keeps its sum', async (t) => {
  const database = createPostgresSql(await server.createDatabase(), 4)
  const ledger = await createLedger(database, options)
  t.teardown(() => ledger.close())
  const ever = aWant({ limitId: 'ever', period: '', maximum: 10 })
  const day = aWant({ limitId: 'day', period: '2026-11-21', maximum: 10 })
  const old = Array.from({ length: 3 }, () => aRecord(ledger, { holds: [ever, day] }))
  for (const record of old) await sold(ledger, record)
  const unsold = aRecord(ledger)
  await ledger.calculations.store([unsold])
  t.match(await ledger.sales.record(aSale(aRecord(ledger)), eventBody), { kind: 'unknown_calculation' })
  await database.run(sql`update calculation set state = 'expired' where state = 'open'`, terms)
  await age(database)
  const lateSold = aRecord(ledger, { holds: [day] })
  await sold(ledger, lateSold)
  await database.run(
    sql`update calculation set answered_at = answered_at - interval '401 days'
      where calculation_id = ${lateSold.calculationId}::uuid`,
    terms,
  )
  const recent = aRecord(ledger, { holds: [ever] })
  await sold(ledger, recent)
  t.equal(await ledger.sales.place(100), 6)
  const last = await ledger.sales.lastPlace()

  t.equal(await pruneRecords(database, days, 2), 5, 'two calculations, their sales, one sale of none')
  t.same(await differences(database), [])
  while ((await pruneRecords(database, days, 2)) > 0);
  t.same(await differences(database), [])
  t.match(await ledger.counters.lookUp([ever, day]), [
    { used: 4, open: 0 },
    { used: 4, open: 0 },
  ])
  for (const { calculationId } of [...old, unsold]) {
    t.same(await ledger.calculations.findAnswer(calculationId), { kind: 'unknown' })
  }
  for (const { calculationId } of [lateSold, recent]) {
    t.not((await ledger.calculations.findAnswer(calculationId)).kind, 'unknown', 'its sale is not old')
  }
  t.equal(await ledger.sales.lastPlace(), last)

  await age(database)
  while ((await pruneRecords(database, days)) > 0);
  const counters = sql`select limit_id, used, pruned_used from limit_counter order by limit_id`
  t.same(
    await database.run(counters, terms),
    [{ limit_id: 'ever', used: 4, pruned_used: 3 }],
    'a counter of a day goes with its last record; the last sale of the feed stays, and what it used',
  )
  t.same(await differences(database), [])
  await sold(ledger, aRecord(ledger, { holds: [ever] }))
  t.equal(await ledger.sales.place(100), 1)
  t.equal(await ledger.sales.lastPlace(), last + 1, 'the feed goes on where it stood')
})

await t.test('sums of days whose sales are pruned stay, and count as sound', async (t) => {
  const database = createPostgresSql(await server.createDatabase(), 2)
  const ledger = await createLedger(database, options)
  t.teardown(() => ledger.close())
  const sums = async () => (await reconcile(database, { since: '-infinity', until: null }, () => {})).sums
  await sold(ledger, aRecord(ledger, { gave: '[["coffee",200]]' }))
  await age(database)
  await sold(ledger, aRecord(ledger, { gave: '[["coffee",200]]' }))
  await sumAll(ledger)
  const before = await sums()
  t.match(before, { wholeFrom: null, sumsAstray: 0 })
  t.ok(before.sums > 0)
  t.equal(await pruneRecords(database, days), 2, 'a calculation and its sale')
  t.match(await sums(), { sums: before.sums, wholeFrom: /^\d{4}-\d\d-\d\d$/, sumsAstray: 0 })
  await database.run(sql`update sums_state set pruned_before = '-infinity'`, terms)
  t.not((await sums()).sumsAstray, 0, 'the sums of that day have no sales')
})

await t.test('a failed sale that comes again when it was pruned earns nothing more', async (t) => {
  const database = createPostgresSql(await server.createDatabase(), 2)
  const ledger = await createLedger(database, options)
  t.teardown(() => ledger.close())
  const memberId = aMemberId()
  const sale = aSale(aRecord(ledger, { memberId }), { status: 'failed' })
  const counted = { memberId, earning: anEarning([{ per: 'visit' }]), isPartial: false }
  t.match(await ledger.sales.record(sale, eventBody, counted), { kind: 'unknown_calculation' })
  await age(database)
  await pruneRecords(database, days)
  t.match(await ledger.sales.record(sale, eventBody, counted), { kind: 'unknown_calculation' })
  t.same(await holdings(database, memberId), { stamps: 1 })
})

await t.test('pruning refuses no call meanwhile', async (t) => {
  const database = createPostgresSql(await server.createDatabase(), 4)
  const ledger = await createLedger(database, options)
  t.teardown(() => ledger.close())
  const want = aWant({ limitId: 'ever', period: '', maximum: 100_000 })
  for (let count = 0; count < 60; count += 1) await sold(ledger, aRecord(ledger, { holds: [want] }))
  await age(database)
  let left = true
  const calling = Array.from({ length: 3 }, async () => {
    while (left) await sold(ledger, aRecord(ledger, { holds: [want] }))
  })
  while ((await pruneRecords(database, days, 5)) > 0);
  left = false
  await Promise.all(calling)
  const [row] = await database.run<{ pruned: number }>(sql`select pruned_used as pruned from limit_counter`, terms)
  t.equal(row!.pruned, 60)
  t.same(await differences(database), [])
})

await t.test('a sale that arrives while its old calculation is chosen for pruning keeps both', async (t) => {
  const url = await server.createDatabase()
  const database = createPostgresSql(url, 4)
  const ledger = await createLedger(database, options)
  t.teardown(() => ledger.close())
  const record = aRecord(ledger)
  await ledger.calculations.store([record])
  t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'recorded' })
  await age(database)
  const waiting = sql`select count(*)::integer as count from pg_locks where relation = 'calculation'::regclass and not granted`
  const waits = async () => (await database.run<{ count: number }>(waiting, terms))[0]!.count
  const pos = postgres(url, { max: 1 })
  t.teardown(() => pos.end())
  const pruned = await pos.begin(async (late) => {
    // Calculations are still chosen under this lock, and none of their rows is locked.
    await late`lock table calculation in exclusive mode`
    const pruning = pruneRecords(database, days)
    t.equal(await until(waits, (count) => count === 1), 1)
    await late`update sale set recorded_at = clock_timestamp()`
    return { pruning }
  })
  t.equal(await pruned.pruning, 0)
  t.not((await ledger.calculations.findAnswer(record.calculationId)).kind, 'unknown')
  t.same(await differences(database), [])
})
