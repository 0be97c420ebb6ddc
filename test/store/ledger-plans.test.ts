import t from 'tap'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { hangMsDefault } from '../../store/postgres/connection/pulse.js'
import { planning, sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aSale, aWant, eventBody, pass, plenty } from '../support/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { aBalance, aValueCommand, aValueTable } from './value-builders.js'

// Databases start slowly where everything runs at once.
t.setTimeout(1_800_000)

const server = await startPostgres({ settings: { autovacuum: 'off' } })
t.teardown(() => server.stop())

/** Rows of a table; a statement that reads them all touches thousands of pages. */
const rowsMany = 100_000

/** Pages of one table that all calls together may touch: some twenty calls, a dozen look-ups each, a few pages a look-up. */
const pagesMax = 2_000

/** Rows of each table; a full scan touches thousands of pages. */
const listedMany = 50_000
/** Pages of one table that all queries together may touch: a dozen lists of ten rows. */
const listPagesMax = 1_000
/** How long a session keeps its counts to itself, in milliseconds. */
const statisticsMs = 1_100

await t.test(
  'no call reads more than a few pages, however much is stored, and whatever the planner was notified',
  async (t) => {
    const url = await server.createDatabase()
    // One connection: the plans that it made for empty tables are the ones that count.
    const ledger = await createPostgresLedger({
      url,
      connections: 1,
      expiryS: 1_800,
      idempotencyS: 86_400,
      readMs: plenty,
      saleMs: plenty,
    })
    const database = createPostgresSql(url, 1)
    t.teardown(async () => {
      await ledger.close()
      await database.close()
    })
    const hot = aWant({ maximum: 1_000_000 })
    const value = aValueTable(ledger)
    const [currencyId, holder] = [await value.currency(), await value.enrol()]
    await everyCall(hot)
    await everyCall(hot)
    await fill(hot.limitId)
    const before = await pagesTouched()
    await everyCall(hot)
    const after = await pagesTouched()
    for (const [table, pages] of after) {
      const touched = pages - before.get(table)!
      t.ok(touched < pagesMax, `${table}: ${touched} pages`)
    }

    /** Pages of each table and its indexes that were read so far, from memory or disk. */
    async function pagesTouched(): Promise<ReadonlyMap<string, number>> {
      await pass(ledger, statisticsMs)
      await ledger.ping()
      const rows = await database.run<{ name: string; pages: number }>(
        sql`
        select relname::text as name, coalesce(heap_blks_hit, 0) + coalesce(heap_blks_read, 0)
          + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0) as pages
        from pg_statio_user_tables`,
        { effect: 'reads', withinMs: plenty },
      )
      return new Map(rows.map(({ name, pages }) => [name, pages]))
    }

    /** Each method that works on calculations, with everything they can meet. */
    async function everyCall(want: typeof hot): Promise<void> {
      const old = aRecord(ledger, { holds: [want, aWant()] })
      const fresh = aRecord(ledger, { supersedesCalculationId: old.calculationId, holds: [want] })
      const unknown = aRecord(ledger, { holds: [want] })
      await ledger.calculations.confirm(old, plenty)
      await ledger.calculations.confirm(fresh, plenty)
      await ledger.calculations.confirm(aRecord(ledger, { holds: [{ ...want, maximum: 0 }] }), plenty)
      await ledger.sales.record(aSale(unknown), eventBody)
      await ledger.calculations.confirm(unknown, plenty)
      const journal: CalculationRecord[] = [aRecord(ledger, { supersedesCalculationId: fresh.calculationId })]
      journal.push(aRecord(ledger, { supersedesCalculationId: journal[0]!.calculationId }))
      await ledger.calculations.store(journal)
      for (const record of [old, fresh, journal[1]!]) await ledger.sales.record(aSale(record), eventBody)
      const withdrawn = aRecord(ledger, { holds: [want] })
      await ledger.calculations.confirm(withdrawn, plenty)
      await ledger.calculations.withdraw(withdrawn.calculationId)
      await ledger.calculations.findAnswer(old.calculationId)
      await ledger.counters.lookUp([want, aWant()])
      await ledger.calculations.expire(100)
      await ledger.changes.since(0)
      await ledger.changes.due()
      await ledger.members.lookUp('card')
      await ledger.venues.lookUp('venue')
      await everyValueCall()
    }

    /** Each method that works on accounts, of a member who has many movements and of a new one. */
    async function everyValueCall(): Promise<void> {
      const to = await value.enrol()
      const expiresAt = ledger.clock() + 86_400_000
      await value.adjust(holder, currencyId, 5, { expiresAt })
      await value.adjust(holder, currencyId, -1)
      await value.transfer({ from: holder, to, currencyId, amount: 1 })
      await value.importBalances([aBalance(to, currencyId), aBalance(holder, currencyId)])
      await value.sums(holder, currencyId)
      await value.movements(holder)
      await ledger.value.expire(100)
      await ledger.members.forget(aValueCommand(), to, [])
    }

    /** Many calculations that hold one hot counter, and many counters. */
    async function fill(limitId: string): Promise<void> {
      // A session of its own, as its counts are published when it ends.
      const session = createPostgresSql(url, 1)
      const terms = { effect: 'writes', withinMs: plenty } as const
      await session.run(
        sql`
        insert into calculation
        select (n.filled).* from (
          select json_populate_record(t.template, json_build_object('calculation_id', gen_random_uuid(), 'state', 'open',
            'expires_at', clock_timestamp() + interval '1 hour')) as filled
          from (select c as template from calculation c limit 1) t, generate_series(1, ${rowsMany}::integer)
        ) n`,
        terms,
      )
      await session.run(
        sql`
        insert into reservation (calculation_id, counter_id, units, held_until)
        select c.calculation_id, k.counter_id, 1, c.expires_at
        from calculation c, limit_counter k where k.limit_id = ${limitId} and c.state = 'open'
        on conflict do nothing`,
        terms,
      )
      await session.run(
        sql`
        insert into limit_counter (limit_id, subject, period, maximum)
        select 'many', number, '', 1 from generate_series(1, ${rowsMany}::integer) number`,
        terms,
      )
      await session.run(
        sql`
        insert into account (member_id, currency_id) select 'many-' || n, ${currencyId} from generate_series(1, ${rowsMany}::integer) n`,
        terms,
      )
      await session.run(
        sql`
        insert into lot (account_id, amount, opens_at, expires_at)
        select a.account_id, 1, clock_timestamp(), clock_timestamp() + interval '1 year' from account a
        where a.member_id like 'many-%'`,
        terms,
      )
      await session.run(
        sql`
        with moved as (
          insert into movement (kind, cause) select 'adjusted', 'many:' || n from generate_series(1, ${rowsMany}::integer) n
          returning movement_id, at
        )
        insert into entry (movement_id, account_id, amount, at, against)
        select m.movement_id, a.account_id, 1, m.at, 'adjusted' from moved m, account a where a.member_id = ${holder}`,
        terms,
      )
      await session.close()
    }
  },
)

await t.test('no list reads more than a few pages, however much is stored', async (t) => {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({
    url,
    expiryS: 1_800,
    idempotencyS: 86_400,
    readMs: plenty,
    saleMs: plenty,
  })
  const database = createPostgresSql(url, 1)
  t.teardown(async () => {
    await ledger.close()
    await database.close()
  })
  const terms = { effect: 'writes', withinMs: plenty } as const
  const record = aRecord(ledger)
  await ledger.calculations.store([record])
  await ledger.sales.record(aSale(record, { paidTotal: 1, transactionId: 'transaction-1' }), eventBody)
  await everyLook()
  await fill()
  const before = await pagesTouched()
  await everyLook()
  const after = await pagesTouched()
  for (const table of ['calculation', 'sale', 'reservation', 'limit_counter'])
    t.ok(
      after.get(table)! - before.get(table)! < listPagesMax,
      `${table}: ${after.get(table)! - before.get(table)!} pages`,
    )

  /** Many calculations and sales, older than the first ones. */
  async function fill(): Promise<void> {
    // A separate session: it publishes its statistics when it ends.
    const session = createPostgresSql(url, 1)
    await session.run(
      sql`
      insert into calculation
      select (n.filled).* from (
        select json_populate_record(t.template, json_build_object('calculation_id', gen_random_uuid(),
          'answered_at', t.answered_at - number * interval '1 second')) as filled
        from (select c as template, c.answered_at from calculation c limit 1) t, generate_series(1, ${listedMany}::integer) number
      ) n`,
      terms,
    )
    await session.run(
      sql`
      insert into sale
      select (n.filled).* from (
        select json_populate_record(t.template, json_build_object('calculation_id', gen_random_uuid(), 'feed_place', null,
          'receipt_number', 100 + number, 'transaction_id', number::text,
          'recorded_at', t.recorded_at - number * interval '1 second')) as filled
        from (select s as template, s.recorded_at from sale s limit 1) t, generate_series(1, ${listedMany}::integer) number
      ) n`,
      terms,
    )
    await session.close()
  }

  /** Each list with each indexed filter, ten rows; and each single look-up. */
  async function everyLook(): Promise<void> {
    const unasked = { cashRegisterId: '', receiptNumber: null, transactionId: '', benefitId: '' }
    const all = { fromUs: 0, untilUs: Number.MAX_SAFE_INTEGER, venueId: '', status: '' }
    const calculations = { ...all, memberId: '', loyaltyId: '', state: '', programmeVersion: null, ...unasked }
    const rows = { after: null, limit: 10 }
    for (const filter of [
      {},
      { venueId: 'venue-1' },
      { memberId: 'member-1' },
      { loyaltyId: 'card-1' },
      { receiptNumber: 7 },
      { transactionId: 'transaction-1' },
    ])
      t.ok((await ledger.calculations.list({ ...calculations, ...filter }, rows)).length > 0)
    for (const filter of [
      {},
      { venueId: 'venue-1' },
      { discrepancy: 'any' },
      { receiptNumber: 7 },
      { transactionId: 'transaction-1' },
    ])
      t.ok((await ledger.sales.list({ ...all, ...unasked, discrepancy: null, ...filter }, rows)).length > 0)
    t.ok(await ledger.calculations.find(record.calculationId))
    t.ok(await ledger.sales.find(record.calculationId))
    t.ok((await ledger.calculations.read(Number.MAX_SAFE_INTEGER, rows)).length > 0)
    await ledger.sales.place(10)
    t.ok((await ledger.sales.readFeed(0, 10)).length > 0)
    t.ok((await ledger.sales.lastPlace()) > 0)
  }

  /** Pages of each table and its indexes read so far; both connections of internal services publish their statistics. */
  async function pagesTouched(): Promise<ReadonlyMap<string, number>> {
    await pass(ledger, statisticsMs)
    await Promise.all(Array.from({ length: 8 }, () => ledger.sales.lastPlace()))
    const rows = await database.run<{ name: string; pages: number }>(
      sql`
      select relname::text as name, coalesce(heap_blks_hit, 0) + coalesce(heap_blks_read, 0)
        + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0) as pages
      from pg_statio_user_tables`,
      terms,
    )
    return new Map(rows.map(({ name, pages }) => [name, pages]))
  }
})

const anySale = {
  fromUs: 0,
  untilUs: Number.MAX_SAFE_INTEGER,
  venueId: '',
  status: '',
  discrepancy: null,
  receiptNumber: null,
  transactionId: '',
  cashRegisterId: '',
}

await t.test('a list may take longer than a POS would wait', async (t) => {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, expiryS: 1_800, idempotencyS: 86_400 })
  const database = createPostgresSql(url, 1)
  t.teardown(async () => {
    await ledger.close()
    await database.close()
  })
  let looking: Promise<unknown> = Promise.resolve()
  await database.transaction(async (transaction) => {
    await transaction.runScript('lock table sale in access exclusive mode')
    looking = ledger.sales.list(anySale, { after: null, limit: 1 })
    looking.catch(() => {})
    // Twice the silence of a hanging server.
    await new Promise((resolve) => setTimeout(resolve, 2 * hangMsDefault))
  })
  t.same(await looking, [])
})

await t.test('forgetting reads only the sales of the member', async (t) => {
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
      from generate_series(1, ${listedMany}) i`)
    await transaction.run(sql`select * from erase_member('m-1', array['L7', 'L8'], 'infinity', '{}')`)
    return await transaction.run<{ fetched: number }>(
      sql`select idx_tup_fetch as fetched from pg_stat_xact_user_tables where relname = 'sale'`,
    )
  })
  t.ok(rows[0]!.fetched < 100, `${rows[0]!.fetched} of ${listedMany}`)
})
