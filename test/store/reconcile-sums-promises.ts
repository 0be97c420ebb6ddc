import type { Test } from 'tap'
import { type Sql, type Statement, sql } from '../../store/postgres/connection/sql.js'
import { reconcile } from '../../store/postgres/counters/reconcile.js'
import { aRecord, aSale, aVenue, aWant, eventBody, plenty } from '../support/ledger-builders.js'
import { createLedger } from '../support/open-ledger.js'
import { sumAll } from './ledger-contract-reports.js'
import { aSpender, aValueCommand, aValueTable } from './value-builders.js'

const terms = { effect: 'writes', withinMs: plenty } as const
const venueId = 'venue-of-sums'
const answeredAt = Date.parse('2026-06-30T12:30:00Z')
const day = { span: 'day', day: '2026-06-30', venueId, currency: 'EUR' }
const month = { ...day, span: 'month', day: '2026-06-01' }
const allVenues = { ...day, span: 'all_venues', venueId: '' }

/** Sums planted into a ledger where all agrees, the findings, and their repair. */
const plants: readonly (readonly [plant: Statement, undo: Statement, found: readonly object[]])[] = [
  [
    sql`update benefit_sum set discount = discount + 1 where benefit_id = 'bun' and span = 'v'`,
    sql`update benefit_sum set discount = discount - 1 where benefit_id = 'bun' and span = 'v'`,
    [
      { ...month, benefitId: 'bun', figure: 'discount', says: 50, due: 51 },
      { ...allVenues, benefitId: 'bun', figure: 'discount', says: 50, due: 51 },
      { ...day, benefitId: 'bun', figure: 'discount', says: 51, due: 50 },
    ],
  ],
  [
    sql`update benefit_sum set redemptions = redemptions - 1 where benefit_id = 'bun' and span = 'm'`,
    sql`update benefit_sum set redemptions = redemptions + 1 where benefit_id = 'bun' and span = 'm'`,
    [{ ...month, benefitId: 'bun', figure: 'redemptions', says: 0, due: 1 }],
  ],
  [
    sql`update benefit_sum set day = day + 1 where benefit_id = 'bun' and span = 'a'`,
    sql`update benefit_sum set day = day - 1 where benefit_id = 'bun' and span = 'a'`,
    [
      ...['calculations', 'discount', 'paid', 'redemptions'].map((figure) => ({ ...allVenues, figure, says: 0 })),
      ...['calculations', 'discount', 'paid', 'redemptions'].map((figure) => ({
        ...allVenues,
        ...{ day: '2026-07-01', figure, due: 0 },
      })),
    ],
  ],
  [
    sql`update sale_sum set paid = paid + 100`,
    sql`update sale_sum set paid = paid - 100`,
    [{ ...day, benefitId: '', figure: 'paid', says: 1_700, due: 1_600 }],
  ],
  [
    sql`update value_sum set spent = 0 where span = 'v'`,
    sql`update value_sum set spent = 7 where span = 'v'`,
    [
      { ...month, benefitId: 'bun', currency: 'stamps', figure: 'spent', says: 7, due: 0 },
      { ...allVenues, benefitId: 'bun', currency: 'stamps', figure: 'spent', says: 7, due: 0 },
      { ...day, benefitId: 'bun', currency: 'stamps', figure: 'spent', says: 0, due: 7 },
    ],
  ],
  [
    sql`update value_sum set earned = 1 where span = 'a'`,
    sql`update value_sum set earned = 0 where span = 'a'`,
    [{ ...allVenues, benefitId: 'bun', currency: 'stamps', figure: 'earned', says: 1, due: 0 }],
  ],
]

/** `reconcile` of daily sums, against an empty database. */
export async function reconcileSumsPromises(t: Test, database: Sql): Promise<void> {
  const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty }
  const ledger = await createLedger({ ...database, close: async () => {} }, options)
  t.teardown(async () => {
    await ledger.close()
    await database.close()
  })
  const sums = async () => (await reconcile(database, { since: '2000-01-01', until: null }, () => {})).sums
  const run = (statement: Statement) => database.run(statement, terms)

  await t.test('sums of sales that are added, and sales that are not yet, are sound', async (t) => {
    t.same(await sums(), { sums: 0, wholeFrom: null, sumsAstray: 0, firstAstray: [] })
    await ledger.venues.store(aValueCommand(), aVenue({ venueId, timeZone: 'Europe/Oslo', baxIds: ['bax-of-sums'] }))
    await run(sql`update venue set zone_since = '-infinity'`)
    const [coffee, both] = ['[["coffee",200]]', '[["coffee",150],["bun",50,"stamps",7]]'].map((gave) =>
      aRecord(ledger, { venueId, gave, answeredAt }),
    )
    await ledger.calculations.store([coffee!, both!])
    for (const record of [coffee!, both!]) await ledger.sales.record(aSale(record), eventBody)
    t.match(await sums(), { sums: 0, sumsAstray: 0 })
    await sumAll(ledger)
    t.same(await sums(), { sums: 10, wholeFrom: null, sumsAstray: 0, firstAstray: [] })
  })

  await t.test('every planted sum is found, with its day, venue, benefit and both figures', async (t) => {
    for (const [plant, undo, found] of plants) {
      await run(plant)
      const { sumsAstray, firstAstray } = await sums()
      t.equal(sumsAstray, found.length, plant.text)
      t.match(firstAstray, found, plant.text)
      await run(undo)
      t.same((await sums()).firstAstray, [], undo.text)
    }
  })

  await t.test('a sale that is missing in the sums is found, and one that is in no sale', async (t) => {
    await run(sql`delete from benefit_sum where benefit_id = 'bun'`)
    t.match((await sums()).firstAstray, [
      { ...day, benefitId: 'bun', figure: 'calculations', says: 0, due: 1 },
      { figure: 'discount', says: 0, due: 50 },
      { figure: 'paid', says: 0, due: 800 },
      { figure: 'redemptions', says: 0, due: 1 },
    ])
    await run(sql`
      insert into benefit_sum (span, venue_id, day, benefit_id, currency, calculations, redemptions, discount, paid)
      select k.span, k.venue_id, k.day, b.id, 'EUR', 1, 1, 50, 800
      from sum_keys(${venueId}::text, '2026-06-30') k cross join (values ('bun'), ('nothing')) b (id)`)
    const { sumsAstray, firstAstray } = await sums()
    t.match(
      [sumsAstray, firstAstray[0]],
      [4, { ...day, benefitId: 'nothing', figure: 'calculations', says: 1, due: 0 }],
    )
    await run(sql`delete from benefit_sum where benefit_id = 'nothing'`)
    t.equal((await sums()).sumsAstray, 0)
  })

  await t.test('days whose sales may be deleted are compared only with each other', async (t) => {
    await run(sql`update sale_sum set paid = paid + 100`)
    for (const [before, wholeFrom, sumsAstray] of [
      ['2026-06-28T23:59:59Z', '2026-06-30', 1],
      ['2026-06-29T00:00:00Z', '2026-07-01', 0],
    ] as const) {
      await run(sql`update sums_state set pruned_before = ${before}::text::timestamptz`)
      t.match(await sums(), { wholeFrom, sumsAstray })
    }
    await run(sql`update benefit_sum set discount = discount + 1 where benefit_id = 'bun' and span = 'm'`)
    t.equal((await sums()).sumsAstray, 1, 'the month')
    await run(sql`update benefit_sum set discount = discount - 1 where benefit_id = 'bun' and span = 'm'`)
    await run(sql`update sums_state set pruned_before = '-infinity'`)
    await run(sql`update sale_sum set paid = paid - 100`)
  })

  await t.test('a venue is not compared on days before it had its time zone', async (t) => {
    const name = `Oslo ${venueId}`
    await run(sql`update sale_sum set paid = paid + 100`)
    await ledger.venues.store(
      aValueCommand(),
      aVenue({ venueId, name, timeZone: 'Europe/Oslo', baxIds: ['bax-of-sums'] }),
    )
    t.equal((await sums()).sumsAstray, 1, 'another name only')
    await ledger.venues.store(aValueCommand(), aVenue({ venueId, timeZone: 'Asia/Tokyo', baxIds: ['bax-of-sums'] }))
    t.equal((await sums()).sumsAstray, 0)
    const oslo = { venueId, timeZone: 'Europe/Oslo', baxIds: ['bax-of-sums'] }
    await ledger.venues.store(aValueCommand(), aVenue(oslo))
    await run(sql`update venue set zone_since = '-infinity'`)
    t.equal((await sums()).sumsAstray, 1)
    await ledger.venues.store(aValueCommand(), aVenue({ ...oslo, dayStartsAt: 360 }))
    t.equal((await sums()).sumsAstray, 0, 'another start of the day')
    await ledger.venues.store(aValueCommand(), aVenue(oslo))
    await run(sql`update venue set zone_since = '-infinity'`)
    await run(sql`update sale_sum set paid = paid - 100`)
  })

  await t.test('a sale before its calculation is sound, added before and after it', async (t) => {
    const [late, later] = [1, 2].map(() => aRecord(ledger, { venueId, gave: '[["bun",200]]', answeredAt }))
    await ledger.sales.record(aSale(late!), eventBody)
    await sumAll(ledger)
    t.equal((await sums()).sumsAstray, 0)
    await ledger.calculations.store([late!])
    t.equal((await sums()).sumsAstray, 0, 'its benefits are not added yet')
    await ledger.sales.record(aSale(later!), eventBody)
    await ledger.calculations.store([later!])
    await sumAll(ledger)
    t.equal((await sums()).sumsAstray, 0, 'both are added')
    await run(sql`update benefit_sum set paid = 0 where span = 'v' and benefit_id = 'bun'`)
    t.match((await sums()).firstAstray.at(-1), { ...day, benefitId: 'bun', figure: 'paid', says: 0, due: 2_400 })
    await run(sql`update benefit_sum set paid = 2400 where span = 'v' and benefit_id = 'bun'`)
  })

  await t.test('a repeated transaction is no difference; using it would be one', async (t) => {
    const value = aValueTable(ledger)
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    await value.adjust(memberId, currencyId, 10)
    const holds = [aWant()]
    for (let times = 0; times < 2; times += 1) {
      const record = aSpender(ledger, { memberId, currencyId, amount: 2 }, { holds, gave: '[["twice",200]]' })
      await ledger.calculations.confirm(record, plenty)
      await ledger.sales.record(aSale(record, { transactionId: 'sold-twice' }), eventBody)
    }
    await sumAll(ledger)
    const astray = async () => {
      const found = await reconcile(database, { since: '2000-01-01', until: null }, () => {})
      return [found.differences, found.reservationsAstray, found.spending.holdsAstray, found.sums.sumsAstray > 0]
    }
    t.same(await astray(), [0, 0, 0, false])
    await run(sql`update sale set discrepancies = '{}' where transaction_id = 'sold-twice'`)
    t.same(await astray(), [1, 1, 1, true])
  })
}
