import t, { type Test } from 'tap'
import { answersOf } from '../../gateway/use-cases/experiment-answer.js'
import { completeOptions } from '../../store/postgres/connection/options.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { reconcile } from '../../store/postgres/counters/reconcile.js'
import { createPosSales } from '../../store/postgres/sales/pos-sales.js'
import { aRecord, aSale, eventBody, isDue, plenty } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { sized } from '../support/sized.js'

t.setTimeout(240_000)

const server = await startPostgres()
t.teardown(() => server.stop())
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, hangMs: plenty, saleMs: plenty }
const none = { benefit: false, venue: false, day: false }
const always = { days: { from: '2020-01-01', until: '2029-12-31' }, venueId: '', benefitId: '' }

async function openLedgers(t: Test, count: number) {
  const url = await server.createDatabase()
  const ledgers: Ledger[] = []
  for (let at = 0; at < count; at += 1) ledgers.push(await createPostgresLedger({ url, ...options }))
  const database = createPostgresSql(url, 2)
  t.teardown(async () => {
    await database.close()
    await Promise.all(ledgers.map((ledger) => ledger.close()))
  })
  return { ledgers, database }
}

async function salesIn(ledger: Ledger): Promise<number> {
  const [row] = await ledger.reports.readSales(always, none, 10)
  return row?.sales ?? 0
}

/** Several rounds: a stretch begins once the one before it has ended. */
async function sumAll(ledger: Ledger, max = 100): Promise<number> {
  let added = 0
  for (let idle = 0; idle < 3; ) {
    const more = await ledger.reports.sum(max)
    added += more
    idle = more === 0 ? idle + 1 : 0
  }
  return added
}

t.test('a sale that was begun before others and committed after them is summed once', async (t) => {
  const { ledgers, database } = await openLedgers(t, 1)
  const ledger = ledgers[0]!
  const [late, early] = [aSale(aRecord(ledger)), aSale(aRecord(ledger))]
  let commit = (): void => {}
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve
  })
  let written = (): void => {}
  const isWritten = new Promise<void>((resolve) => {
    written = resolve
  })
  const writing = database.transaction(async (transaction) => {
    const within = { run: (statement: Parameters<Sql['run']>[0]) => transaction.run(statement) } as unknown as Sql
    await createPosSales(within, completeOptions(options)).record(late, eventBody)
    written()
    await mayCommit
  })
  await isWritten
  await ledger.sales.record(early, eventBody)
  t.equal(await sumAll(ledger), 0, 'nothing is added while it may still appear before what is added')
  t.ok(await isDue(ledger, 'sums'))
  t.equal(await salesIn(ledger), 1, 'reads have what is committed')
  commit()
  await writing
  t.equal(await salesIn(ledger), 2)
  t.equal(await sumAll(ledger), 2)
  t.notOk(await isDue(ledger, 'sums'))
  t.equal(await salesIn(ledger), 2)
})

t.test('gateways that sum at once while others sell add each sale once', async (t) => {
  const { ledgers } = await openLedgers(t, 3)
  const each = 40
  let isSelling = true
  const selling = Promise.all(
    ledgers.map(async (ledger) => {
      for (let at = 0; at < each; at += 1) {
        const record = aRecord(ledger, { gave: '[["coffee",200]]' })
        const first = at % 4 === 0 ? ledger.sales.record(aSale(record), eventBody) : ledger.calculations.store([record])
        await first
        await (at % 4 === 0 ? ledger.calculations.store([record]) : ledger.sales.record(aSale(record), eventBody))
      }
    }),
  ).finally(() => {
    isSelling = false
  })
  const summing = ledgers.map(async (ledger) => {
    while (isSelling) await ledger.reports.sum(3)
  })
  await Promise.all([selling, ...summing])
  for (const ledger of ledgers) await sumAll(ledger)
  const all = ledgers.length * each
  t.equal(await salesIn(ledgers[0]!), all)
  t.match(await ledgers[0]!.reports.readBenefits(always, { ...none, benefit: true }, 10), [
    { benefitId: 'coffee', calculations: all, redemptions: all, discount: 200 * all, paid: 800 * all },
  ])
  t.equal(await sumAll(ledgers[0]!), 0, 'nothing is left')
})

t.test('sums go on in a database that was restored from a dump and counts its transactions anew', async (t) => {
  const { ledgers, database } = await openLedgers(t, 1)
  const ledger = ledgers[0]!
  await ledger.sales.record(aSale(aRecord(ledger)), eventBody)
  await database.run(sql`update sums_state set next_xid = '9000000000'`, { effect: 'writes', withinMs: plenty })
  t.equal(await sumAll(ledger), 1)
  t.equal(await salesIn(ledger), 1)
})

t.test('a year over 100 venues answers from its daily and monthly sums', async (t) => {
  const { ledgers, database } = await openLedgers(t, 1)
  const fill = { effect: 'writes', withinMs: plenty } as const
  for (let month = 1; month <= 12; month += 1)
    await database.run(
      sql`
        insert into benefit_sum
        select k.span, k.venue_id, k.day, 'benefit-' || b, 'NOK', sum(40), sum(38), sum(1000), sum(9000)
        from generate_series('2026-01-01'::date, '2026-12-31'::date, '1 day') d, generate_series(1, 100) v,
          generate_series(1, 5) b cross join lateral sum_keys('venue-' || v, d::date) k
        where extract(month from d) = ${month}::integer
        group by 1, 2, 3, 4`,
      fill,
    )
  await database.run({ text: 'analyze benefit_sum', values: [] }, fill)
  const { reports } = ledgers[0]!
  const year = { ...always, days: { from: '2026-01-05', until: '2026-12-30' } }
  const days = 360
  const rows = [
    { by: {}, filter: {}, count: 1, each: days * 100 * 5 },
    { by: { benefit: true }, filter: {}, count: 5, each: days * 100 },
    { by: { day: true, benefit: true }, filter: {}, count: days * 5, each: 100 },
    { by: { venue: true }, filter: {}, count: 100, each: days * 5 },
    { by: { venue: true, benefit: true }, filter: {}, count: 500, each: days },
    { by: { day: true }, filter: { benefitId: 'benefit-2' }, count: days, each: 100 },
    { by: { day: true, benefit: true }, filter: { venueId: 'venue-7' }, count: days * 5, each: 1 },
    { by: { benefit: true }, filter: { venueId: 'venue-7' }, count: 5, each: days },
  ]
  for (const { by, filter, count, each } of rows) {
    const read = () => reports.readBenefits({ ...year, ...filter }, { ...none, ...by }, 50_000)
    const found = await read()
    const keys = `${Object.keys(by).join(', ') || 'nothing'} ${Object.values(filter).join('')}`
    t.equal(found.length, count, keys)
    t.ok(
      found.every(({ calculations, discount }) => calculations === 40 * each && discount === 1_000 * each),
      `each sums ${each} daily sums`,
    )
    const beganMs = performance.now()
    await read()
    t.comment(`by ${keys}: ${(performance.now() - beganMs).toFixed(0)} ms`)
  }
})

t.test('an experiment of a year answers from its daily sums', async (t) => {
  const { ledgers, database } = await openLedgers(t, 1)
  const ledger = ledgers[0]!
  const arms = [
    { armId: 'holdout', percentage: 200_000, benefitIds: [] },
    { armId: 'open', percentage: 800_000, benefitIds: ['beer'] },
  ]
  const body = JSON.stringify({ from: null, metric: 'net', arms })
  const members = sized(4_000, 1_000_000)
  const fill = { effect: 'writes', withinMs: plenty } as const
  await database.run(
    sql`
      insert into experiment values ('happy', '"Happy hour"', ${body}, null, run_between(now() - interval '364 days', null))`,
    fill,
  )
  await database.run(
    sql`
      insert into experiment_member (experiment_id, member_id, arm_id, currency, entered_at, counted, entry, past, spend, visits, net, given)
      select 'happy', 'member-' || i, case when i % 5 = 0 then 'holdout' else 'open' end, 'EUR',
        now() - (364 - i % 360) * interval '1 day', true, i % 360, 1, i % 977 * 7, i % 41, i % 983 * 11 + case when i % 5 = 0 then 0 else 900 end,
        case when i % 5 = 0 then 0 else i % 307 end
      from generate_series(1, ${members}::integer) i`,
    fill,
  )
  for (let entry = 0; entry < 360; entry += 10)
    await database.run(
      sql`
        insert into experiment_sum
        select m.experiment_id, m.arm_id, m.currency, sum_day(x) - 364 + m.entry, f.figure, sum(f.amount)
        from experiment x join experiment_member m on m.experiment_id = x.experiment_id cross join lateral member_figures(m) f
        where m.entry between ${entry}::integer and ${entry}::integer + 9
        group by 1, 2, 3, 4, 5`,
      fill,
    )
  for (const turn of ['first', 'second']) {
    const beganMs = performance.now()
    const [eur] = answersOf((await ledger.experiments.find('happy'))!, ledger.clock())
    t.comment(`${members} members, ${turn} answer: ${(performance.now() - beganMs).toFixed(0)} ms`)
    t.equal(
      eur!.arms.map((arm) => arm.total('members')).reduce((all, each) => all + each),
      BigInt(members),
    )
  }
  t.equal((await reconcile(database, { since: '2020-01-01', until: null }, () => {})).sums.sumsAstray, 0)
})
