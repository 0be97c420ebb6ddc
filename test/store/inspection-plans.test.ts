import t from 'tap'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { hangMsDefault } from '../../store/postgres/connection/pulse.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { aRecord, aSale, eventBody, pass, plenty } from './ledger-builders.js'

// Databases start slowly on a busy machine.
t.setTimeout(120_000)

const server = await startPostgres({ settings: { autovacuum: 'off' } })
t.teardown(() => server.stop())

/** Rows of each table; a full scan touches thousands of pages. */
const rowsMany = 50_000
/** Pages of one table that all queries together may touch: a dozen lists of ten rows. */
const pagesMax = 1_000
/** How long a session withholds its statistics, in milliseconds. */
const statisticsMs = 1_100

t.test('no list reads more than a few pages, however much is stored', async (t) => {
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
    t.ok(after.get(table)! - before.get(table)! < pagesMax, `${table}: ${after.get(table)! - before.get(table)!} pages`)

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
        from (select c as template, c.answered_at from calculation c limit 1) t, generate_series(1, ${rowsMany}::integer) number
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
        from (select s as template, s.recorded_at from sale s limit 1) t, generate_series(1, ${rowsMany}::integer) number
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

t.test('a list may take longer than a POS would wait', async (t) => {
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
