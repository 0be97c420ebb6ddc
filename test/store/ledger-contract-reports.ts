import type { Test } from 'tap'
import type { SumFilter, SumKeys } from '../../store/ledger/reports.js'
import { aCancellation, aRecord, aSale, aVenue, eventBody, type Subject } from '../support/ledger-builders.js'
import { aMemberId, anEarning, aValueCommand } from './value-builders.js'

const many = 1_000
const none: SumKeys = { benefit: false, venue: false, day: false }

/** Daily sums of sales: the same whether they were added or not. */
export async function reportPromises(t: Test, { ledger }: Subject): Promise<void> {
  const venueId = 'venue-of-reports'
  // Far ahead of UTC: its day begins at 10:00 or 11:00 UTC of the day before.
  await ledger.venues.store(
    aValueCommand(),
    aVenue({ venueId, timeZone: 'Pacific/Auckland', baxIds: ['bax-of-reports'] }),
  )
  const filter: SumFilter = { days: { from: '2026-05-30', until: '2026-07-02' }, venueId, benefitId: '' }
  const noon = Date.parse('2026-06-30T12:30:00Z')
  const memberId = aMemberId()
  const record = (gave: string | null, more = {}) =>
    aRecord(ledger, { venueId, memberId, gave, answeredAt: noon, ...more })
  const sell = (...[sold, event]: Parameters<typeof aSale>) => ledger.sales.record(aSale(sold, event), eventBody)

  async function seen() {
    const by = (keys: Partial<SumKeys>) => ({ ...none, ...keys })
    return {
      benefits: await ledger.reports.readBenefits(filter, by({ benefit: true, venue: true, day: true }), many),
      total: await ledger.reports.readBenefits(filter, by({ benefit: true }), many),
      one: await ledger.reports.readBenefits({ ...filter, benefitId: 'bun' }, by({ venue: true }), many),
      first: await ledger.reports.readBenefits(filter, by({ benefit: true, venue: true, day: true }), 1),
      sales: await ledger.reports.readSales(filter, by({ day: true }), many),
      value: await ledger.reports.readValue(filter, by({ benefit: true, day: true }), many),
      elsewhere: await ledger.reports.readSales(
        { ...filter, days: { from: '2026-06-29', until: '2026-06-30' } },
        none,
        many,
      ),
    }
  }
  const day = '2026-07-01'

  await t.test('sums count on the day that a venue has when its day starts at six', async (t) => {
    const club = 'venue-of-night-reports'
    await ledger.venues.store(
      aValueCommand(),
      aVenue({ venueId: club, timeZone: 'Europe/Oslo', dayStartsAt: 360, baxIds: ['bax-of-nights'] }),
    )
    const gave = '[["beer",100]]'
    const earning = anEarning([{ ruleId: 'nightly', sent: 3 }])
    const sold = ['2026-06-20T23:59:59+02:00', '2026-06-21T05:59:59+02:00', '2026-06-21T06:00:00+02:00'].map((at) =>
      aRecord(ledger, { ...{ venueId: club, memberId, gave, earning }, answeredAt: Date.parse(at) }),
    )
    await ledger.calculations.store(sold)
    for (const each of sold) await sell(each)
    const nights = { days: { from: '2026-06-01', until: '2026-06-30' }, venueId: club, benefitId: '' }
    const byDay = { ...none, day: true }
    const figures = async () => [
      (await ledger.reports.readSales(nights, byDay, many)).map(({ day, sales }) => [day, sales]),
      (await ledger.reports.readBenefits(nights, byDay, many)).map((row) => [row.day, row.redemptions]),
      (await ledger.reports.readValue(nights, byDay, many)).map((row) => [row.day, row.earned]),
    ]
    const counts = [
      ['2026-06-20', 2],
      ['2026-06-21', 1],
    ]
    const expected = [
      counts,
      counts,
      [
        ['2026-06-20', 6],
        ['2026-06-21', 3],
      ],
    ]
    t.same(await figures(), expected, 'before they are added')
    await sumAll(ledger)
    t.same(await figures(), expected, 'after')
  })

  await t.test('sums count on the local day of the calculation, added or not', async (t) => {
    const [coffee, both, failed, given, unknown] = [
      record('[["coffee",200]]'),
      record('[["coffee",150],["bun",50,"stamps",7]]', { earning: anEarning([{ ruleId: 'reported', sent: 3 }]) }),
      record('[["coffee",200]]'),
      record(null, { status: 'unchanged', reason: 'no_benefits', netAfter: 1_000, loyaltyDiscountTotal: 0 }),
      record('[["bun",200]]'),
    ]
    await ledger.calculations.store([coffee, both, failed, given])
    await sell(coffee)
    await sell(both)
    await sell(failed, { status: 'failed', failureReason: 'timeout', paidTotal: 1_000, loyaltyDiscountTotal: 0 })
    await ledger.sales.record(aCancellation(given), eventBody)
    const key = { day, venueId, currency: 'EUR' }
    const expected = {
      benefits: [
        { ...key, benefitId: 'bun', calculations: 1, redemptions: 1, discount: 50, paid: 800 },
        { ...key, benefitId: 'coffee', calculations: 3, redemptions: 2, discount: 350, paid: 1_600 },
      ],
      total: [
        { ...key, day: '', venueId: '', benefitId: 'bun', calculations: 1, redemptions: 1, discount: 50, paid: 800 },
        {
          ...key,
          day: '',
          venueId: '',
          benefitId: 'coffee',
          calculations: 3,
          redemptions: 2,
          discount: 350,
          paid: 1_600,
        },
      ],
      one: [{ ...key, day: '', benefitId: '', calculations: 1, redemptions: 1, discount: 50, paid: 800 }],
      first: [{ ...key, benefitId: 'bun', calculations: 1, redemptions: 1, discount: 50, paid: 800 }],
      sales: [
        {
          ...{ day, venueId: '', currency: 'EUR', sales: 3, memberSales: 3, applied: 2, failed: 1, cancelled: 1 },
          ...{ paid: 2_600, discount: 400, apart: 0 },
        },
      ],
      value: [
        { day, venueId: '', sourceId: 'bun', currencyId: 'stamps', earned: 0, spent: 7 },
        { day, venueId: '', sourceId: 'reported', currencyId: 'stamps', earned: 3, spent: 0 },
      ],
      elsewhere: [],
    }
    t.same(await seen(), expected, 'before they are added')
    await sumAll(ledger)
    t.same(await seen(), expected, 'after')
    await sumAll(ledger)
    t.same(await seen(), expected, 'once')

    t.comment('a sale before its calculation')
    await sell(unknown)
    await sumAll(ledger)
    await ledger.calculations.store([unknown])
    const joined = [
      { ...expected.benefits[0], calculations: 2, redemptions: 2, discount: 250, paid: 1_600 },
      expected.benefits[1],
    ]
    t.same((await seen()).benefits, joined, 'its benefits count once its calculation has come')
    await sumAll(ledger)
    t.same((await seen()).benefits, joined, 'added')
    const sales = expected.sales.map((row) => ({ ...row, discount: 600, apart: -200 }))
    t.same((await seen()).sales, sales, 'it was a sale, as reported, of the day on which it was recorded')
  })

  await t.test('discrepancies are counted by what they are', async (t) => {
    const elsewhere = 'venue-of-faults'
    const paid = record(null)
    await ledger.calculations.store([{ ...paid, venueId: elsewhere, answeredAt: ledger.clock() }])
    await sell({ ...paid, venueId: elsewhere }, { paidTotal: 799, currency: 'SEK' })
    const kinds = [
      { discrepancy: 'currency_mismatch', sales: 1 },
      { discrepancy: 'paid_total_mismatch', sales: 1 },
    ]
    t.same(await ledger.reports.countDiscrepancies(60_000, elsewhere), { sales: 1, kinds })
    t.same(await ledger.reports.countDiscrepancies(60_000, 'venue-nowhere'), { sales: 0, kinds: [] })
  })
}

/** Until nothing is left: a stretch begins once the one before it has ended. */
export async function sumAll(ledger: Subject['ledger']): Promise<void> {
  for (let idle = 0; idle < 3; ) idle = (await ledger.reports.sum(2)) === 0 ? idle + 1 : 0
}
