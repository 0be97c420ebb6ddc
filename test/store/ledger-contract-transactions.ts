import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import {
  aSale,
  aVenue,
  aWant,
  eventBody,
  pass,
  plenty,
  readDiscrepancies,
  readState,
  type Subject,
} from '../support/ledger-builders.js'
import { sumAll } from './ledger-contract-reports.js'
import { aCard, anEarning, aValueCommand, holdings } from './value-builders.js'

const rounds = 20
const repeated = 'transaction_repeated'
const venueId = 'venue-of-transactions'
const once = { available: 6, held: 0, debt: 0, points: 3, visits: 1, counter: { used: 1, open: 0 } }
const never = { available: 10, held: 0, debt: 0, points: 0, visits: 0, counter: { used: 0, open: 0 } }

/** One transaction, one sale: a POS may ask twice under two GUIDs (wire decisions 5). */
export async function transactionPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, hasty, database } = subject
  // Its day begins at 11:00 UTC of the day before.
  await ledger.venues.store(aValueCommand(), aVenue({ venueId, timeZone: 'Pacific/Auckland' }))
  const club = { venueId: 'venue-of-nights' }
  await ledger.venues.store(
    aValueCommand(),
    aVenue({ ...club, timeZone: 'Europe/Oslo', dayStartsAt: 360, baxIds: ['bax-club'] }),
  )

  await t.test('a second sale of a transaction uses nothing, earns nothing and is no visit', async (t) => {
    for (const status of ['applied', 'unchanged', 'failed'] as const) {
      const buyer = await aBuyer(subject)
      const [first, second] = [buyer.basket(), buyer.basket()]
      for (const record of [first, second]) await ledger.calculations.confirm(record, plenty)
      t.match(await buyer.sell(first), { kind: 'recorded', discrepancies: [] })
      const freed = buyer.holds.map(({ limitId, subject, period }) => ({ limitId, subject, period }))
      const reply = await buyer.sell(second, { status, paidTotal: 800, loyaltyDiscountTotal: 200 })
      t.match(reply, { kind: 'recorded', freed }, status)
      t.equal((await readDiscrepancies(database, second.calculationId))?.at(-1), repeated)
      t.equal(await readState(database, second.calculationId), 'finalised')
      t.match(await buyer.has(), once, status)
      for (const record of [first, second]) t.match(await buyer.sell(record), { kind: 'stored', result: 'recorded' })
      t.match(await buyer.has(), once, 'a retry of each gets its first answer')
    }
  })

  await t.test('venue, register, transaction, paid total and local day make a transaction', async (t) => {
    const evening = { occurredAt: '2026-11-21T10:59:00Z' }
    const night = { occurredAt: '2026-11-21T11:01:00Z' }
    const morning = { occurredAt: '2026-11-22T11:00:00+13:00' }
    const elsewhere = { venueId: 'venue-unknown' }
    const ancient = { occurredAt: '0000-01-01T00:00:00Z' }
    const nextEvening = { occurredAt: '2026-11-22T10:59:00Z' }
    const cases: readonly (readonly [string, Partial<SaleEvent>, Partial<SaleEvent>, boolean])[] = [
      ['the same', {}, {}, true],
      ['another status, receipt and card', {}, { status: 'failed', receiptNumber: 8, loyaltyId: null }, true],
      ['another venue', {}, elsewhere, false],
      ['another register', {}, { cashRegisterId: 'register-2' }, false],
      ['another transaction', {}, { transactionId: randomUUID() }, false],
      ['another paid total', {}, { paidTotal: 801 }, false],
      ['no paid total', {}, { paidTotal: null }, false],
      ['neither has a paid total', { paidTotal: null }, { paidTotal: null }, true],
      ['the next day of the venue', evening, night, false],
      ['the same day of the venue', night, morning, true],
      ['the same day of the venue, the next one elsewhere', morning, nextEvening, true],
      [
        'the same night of a venue whose day starts at six',
        { ...club, occurredAt: '2026-11-21T22:00:00+01:00' },
        { ...club, occurredAt: '2026-11-22T05:59:59+01:00' },
        true,
      ],
      [
        'the next day of a venue whose day starts at six',
        { ...club, occurredAt: '2026-11-22T05:59:59+01:00' },
        { ...club, occurredAt: '2026-11-22T06:00:00+01:00' },
        false,
      ],
      ['an unknown venue: the same day in UTC', { ...evening, ...elsewhere }, { ...night, ...elsewhere }, true],
      ['an unknown venue: the next day in UTC', { ...night, ...elsewhere }, { ...nextEvening, ...elsewhere }, false],
      ['a year that Postgres does not have', ancient, ancient, false],
    ]
    for (const [title, one, other, isRepeated] of cases) {
      const buyer = await aBuyer(subject)
      const records = [buyer.basket({ holds: [] }), buyer.basket({ holds: [] })] as const
      await ledger.calculations.store(records)
      const [first, second] = [await buyer.sell(records[0], one), await buyer.sell(records[1], other)]
      if (first.kind !== 'recorded' || second.kind !== 'recorded') throw new Error(`${first.kind}, ${second.kind}`)
      t.notOk(first.discrepancies.includes(repeated), title)
      t.equal(second.discrepancies.includes(repeated), isRepeated, title)
    }
  })

  await t.test('payments that were cancelled are no transaction', async (t) => {
    const buyer = await aBuyer(subject)
    const none = { status: 'cancelled', transactionId: null, paidTotal: null, loyaltyDiscountTotal: null } as const
    for (const record of [buyer.basket(), buyer.basket()]) {
      await ledger.calculations.confirm(record, plenty)
      t.match(await buyer.sell(record, none), { discrepancies: [] })
      t.equal(await readState(database, record.calculationId), 'abandoned')
    }
  })

  await t.test('a late or superseded sale of a sold transaction uses nothing either', async (t) => {
    const buyer = await aBuyer(subject)
    const [first, old] = [buyer.basket(), buyer.basket()]
    await ledger.calculations.confirm(first, plenty)
    await ledger.calculations.confirm(old, plenty)
    await ledger.calculations.confirm(buyer.basket({ supersedesCalculationId: old.calculationId }), plenty)
    await buyer.sell(first)
    t.match(await buyer.sell(old), { discrepancies: ['superseded', repeated] })
    t.match(await buyer.has(), { ...once, available: 2, held: 4, counter: { used: 1, open: 1 } })

    const other = await aBuyer(subject)
    const [late, next] = [other.basket(), other.basket()]
    await hasty.calculations.confirm(late, plenty)
    await ledger.calculations.confirm(next, plenty)
    await other.sell(next)
    await pass(ledger, 1_100)
    t.match(await other.sell(late), { discrepancies: ['late_event', repeated] })
    t.match(await other.has(), once)
  })

  await joinedPromises(t, subject)
  await consequencePromises(t, subject)
}

/** Sales before their calculations. */
async function joinedPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, database } = subject

  await t.test('a repeated sale that came before its calculation uses nothing once that has come', async (t) => {
    const buyer = await aBuyer(subject)
    const [first, early, kept] = [buyer.basket(), buyer.basket(), buyer.basket({ holds: [], spending: null })]
    await ledger.calculations.confirm(first, plenty)
    await buyer.sell(first)
    for (const record of [early, kept])
      t.match(await buyer.sell(record), {
        kind: 'unknown_calculation',
        discrepancies: ['unknown_calculation', repeated],
      })
    await ledger.calculations.confirm(early, plenty)
    await ledger.calculations.store([kept])
    for (const { calculationId } of [early, kept]) t.same(await readDiscrepancies(database, calculationId), [repeated])
    t.equal(await readState(database, early.calculationId), 'finalised')
    t.match(await buyer.has(), once)
  })

  await t.test('a sale that came before its calculation is the first of its transaction all the same', async (t) => {
    const buyer = await aBuyer(subject)
    const [early, second] = [buyer.basket(), buyer.basket()]
    await buyer.sell(early)
    await ledger.calculations.confirm(second, plenty)
    t.match(await buyer.sell(second), { discrepancies: [repeated] })
    t.match(await buyer.has(), never)
    await ledger.calculations.confirm(early, plenty)
    t.same(await readDiscrepancies(database, early.calculationId), [])
    t.match(await buyer.has(), once)
  })

  await t.test('a repeated sale that failed for an unknown calculation earns nothing and is no visit', async (t) => {
    const buyer = await aBuyer(subject)
    const [first, unknown] = [buyer.basket(), buyer.basket()]
    await ledger.calculations.confirm(first, plenty)
    await buyer.sell(first)
    const counted = { memberId: buyer.memberId, earning: anEarning([{ per: 'visit' }]), isPartial: true }
    const event = buyer.sale(unknown, { status: 'failed' })
    const discrepancies = ['unknown_calculation', repeated]
    t.match(await ledger.sales.record(event, eventBody, counted), { kind: 'unknown_calculation', discrepancies })
    t.match(await buyer.has(), once)
    t.same(Object.keys(await holdings(database, buyer.memberId)).includes('stamps'), false)
  })
}

/** Two at once, and their view in support and reports. */
async function consequencePromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, hasty } = subject

  await t.test('two sales of a transaction at once, through two ledgers: one earns', async (t) => {
    for (let round = 0; round < rounds; round += 1) {
      const buyer = await aBuyer(subject)
      const records = [buyer.basket(), buyer.basket()] as const
      for (const record of records) await ledger.calculations.confirm(record, plenty)
      const sell = (at: 0 | 1, record: CalculationRecord) =>
        [ledger, hasty][at]!.sales.record(buyer.sale(record), eventBody)
      const replies = await Promise.all([sell(0, records[0]), sell(1, records[1])])
      const found = replies.map((reply) => (reply.kind === 'recorded' ? [...reply.discrepancies] : [reply.kind]))
      t.same(found.sort(), [[], [repeated]])
      t.match(await buyer.has(), once)
    }
  })

  await t.test('a repeated sale has no ladder and cannot be claimed', async (t) => {
    const nobody = { memberId: null, status: 'member_not_found', spending: null, holds: [] } as const
    const buyer = await aBuyer(subject)
    const records = [buyer.basket(nobody), buyer.basket(nobody)] as const
    await ledger.calculations.store(records)
    for (const record of records) await buyer.sell(record)
    const [first, second] = records
    t.match(await ledger.returns.find(first.calculationId), { kind: 'sold' })
    t.same(await ledger.returns.find(second.calculationId), { kind: 'not_sold' })
    const member = { memberId: buyer.memberId }
    const claim = {
      member,
      calculationId: second.calculationId,
      counted: 'unknown',
      isMove: false,
      isDryRun: false,
    } as const
    t.same(await ledger.sales.claim(aValueCommand(), claim), { kind: 'unknown_sale' })
  })

  await t.test('the money of a transaction counts once in reports', async (t) => {
    const buyer = await aBuyer(subject)
    const answeredAt = Date.parse('2026-05-10T12:00:00Z')
    const more = { gave: '[["transacted",200]]', holds: [], spending: null, answeredAt }
    const records = [buyer.basket(more), buyer.basket(more)] as const
    await ledger.calculations.store(records)
    for (const record of records) await buyer.sell(record)
    const days = { from: '2026-05-01', until: '2026-06-01' }
    const filter = { days, venueId, benefitId: '' }
    const by = { benefit: false, venue: false, day: false }
    const seen = async () => [
      ...(await ledger.reports.readSales(filter, by, 10)),
      ...(await ledger.reports.readBenefits(filter, by, 10)),
    ]
    const expected = [
      { sales: 1, memberSales: 1, applied: 1, failed: 0, cancelled: 0, paid: 800, discount: 200 },
      { calculations: 2, redemptions: 1, discount: 200, paid: 800 },
    ]
    t.match(await seen(), expected, 'before they are added')
    await sumAll(ledger)
    t.match(await seen(), expected, 'after')
  })
}

/** A member with 10 stamps; baskets that pay 4 of them, use one unit and earn 3 points; and their sales, all of one transaction. */
async function aBuyer(subject: Subject) {
  const { ledger, database } = subject
  const card = await aCard(subject, 10)
  const points = await card.value.currency()
  const holds = [aWant({ maximum: 100 })]
  const transactionId = `transaction-${randomUUID()}`
  const { memberId } = card
  return {
    memberId,
    holds,
    basket: (more: Partial<CalculationRecord> = {}) => {
      const earning = anEarning([{ currencyId: points, ruleId: points, sent: 3 }])
      return card.spender(4, { venueId, holds, earning, ...more })
    },
    sale: (record: CalculationRecord, more: Partial<SaleEvent> = {}) => aSale(record, { transactionId, ...more }),
    sell: (record: CalculationRecord, more: Partial<SaleEvent> = {}) =>
      ledger.sales.record(aSale(record, { transactionId, ...more }), eventBody),
    has: async () => ({
      ...(await card.sums()),
      points: (await holdings(database, memberId))[points] ?? 0,
      visits: (await ledger.members.findStanding(memberId)).visits,
      counter: (await ledger.counters.lookUp(holds))[0],
    }),
  }
}
