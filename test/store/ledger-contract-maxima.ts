import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Recounted } from '../../store/ledger/sales.js'
import type { Subject } from '../support/ledger-builders.js'
import { aMemberId, anEarning, holdings, totals } from './value-builders.js'

export type Sell = (
  memberId: string,
  earning: string,
  event?: Partial<SaleEvent>,
  recounted?: Recounted,
) => Promise<{
  readonly record: CalculationRecord
  readonly discrepancies: readonly string[]
}>

/** Maxima and cooldowns of earning rules. */
export async function maximumPromises(t: Test, { database }: Subject, sell: Sell): Promise<void> {
  await t.test('a maximum is for the local period of the basket; what is lost counts for the total', async (t) => {
    // Wednesday, Thursday and Sunday of one week, the Monday after, in the next month, and the next year.
    const days = ['2026-11-25', '2026-11-26', '2026-11-29', '2026-11-30', '2026-12-01', '2027-01-01']
    const given: Readonly<Record<string, number>> = { basket: 24, day: 24, week: 12, month: 12, year: 8, ever: 4 }
    for (const [period, expected] of Object.entries(given)) {
      for (const order of [days, days.toReversed()]) {
        const memberId = aMemberId()
        const maximum = { amount: 4, period }
        for (const day of order)
          await sell(memberId, anEarning([{ sent: 3, give: 2, maximum }], { at: `${day}T12:00:00Z`, day }))
        t.same(await totals(database, memberId), { coffee: ['180000', expected] }, period)
      }
    }
  })

  await t.test('a day is over at midnight at the venue', async (t) => {
    const memberId = aMemberId()
    const maximum = { amount: 1, period: 'day' }
    const rule = { sent: 1, maximum }
    await sell(memberId, anEarning([rule], { at: '2026-11-21T22:59:59Z', day: '2026-11-21' }))
    await sell(memberId, anEarning([rule], { at: '2026-11-21T23:00:00Z', day: '2026-11-22' }))
    await sell(memberId, anEarning([rule], { at: '2026-11-22T22:00:00Z', day: '2026-11-22' }))
    t.same(await holdings(database, memberId), { stamps: 2 })
  })

  await t.test('within the cooldown of a counted sale nothing counts, before it or after', async (t) => {
    const memberId = aMemberId()
    const rule = { sent: 2, every: 3, cooldownMinutes: 60 }
    const times = ['12:00:00', '12:59:59', '11:00:01', '13:00:00', '11:00:00']
    for (const time of times) await sell(memberId, anEarning([rule], { at: `2026-11-21T${time}Z` }))
    // At 12:00, 13:00 and 11:00: exactly an hour apart counts.
    t.same(await totals(database, memberId), { coffee: ['60000', 2] })
  })

  await t.test('a maximum by birthday is for one window, and those within 180 days are one', async (t) => {
    const memberId = aMemberId()
    const maximum = { amount: 4, period: 'birthday' }
    const gives = async (about: string | undefined, day: string, sent = 9) => {
      const before = (await holdings(database, memberId))['stamps'] ?? 0
      const rule = { sent, maximum, ...(about === undefined ? {} : { about }) }
      await sell(memberId, anEarning([rule], { at: `${day}T12:00:00Z`, day }))
      return (await holdings(database, memberId))['stamps']! - before
    }
    t.equal(await gives('2026-12-31', '2026-12-29', 3), 3)
    t.equal(await gives('2026-12-31', '2027-01-02'), 1, 'across New Year')
    t.equal(await gives('2027-06-29', '2027-06-29'), 0, '180 days after, once the birthday was changed')
    t.equal(await gives('2027-06-30', '2027-06-30'), 4, '181 days after')
    t.equal(await gives('2025-12-31', '2025-12-31'), 4, 'a late sale of the year before')
    t.equal(await gives('2027-12-31', '2027-12-31'), 4)
    const other = aMemberId()
    for (const [day, expected] of [
      ['2026-01-05', 4],
      ['2026-12-30', 4],
      ['2027-01-05', 8],
    ] as const) {
      await sell(other, anEarning([{ sent: 9, maximum }], { at: `${day}T12:00:00Z`, day }))
      t.same(await holdings(database, other), { stamps: expected }, 'without a birthday a year counts')
    }
  })

  await t.test('a sale that lost to a maximum was counted all the same', async (t) => {
    const memberId = aMemberId()
    const rule = { maximum: { amount: 1, period: 'ever' }, cooldownMinutes: 10 }
    const times = ['12:00', '12:10', '12:19']
    for (const time of times) await sell(memberId, anEarning([rule], { at: `2026-11-21T${time}:00Z` }))
    t.same(await totals(database, memberId), { coffee: ['20000', 1] })
  })
}
