import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { aRecord, expireNow, readDiscrepancies, type Subject } from '../support/ledger-builders.js'
import { aCard, anEarning, aValueCommand, expireLots, nothing } from './value-builders.js'

const day = 86_400_000

/** Page 4, sections 4 and 9. */
export async function spentSalePromises(t: Test, subject: Subject): Promise<void> {
  await t.test('sales', (t) => salePromises(t, subject))
  await t.test('late sales', (t) => latePromises(t, subject))
  await t.test('discounts that a basket carries', (t) => carriedPromises(t, subject))
  await t.test('lots that expire while held', (t) => expiryPromises(t, subject))
}

/** The table of page 4, section 4: the effect of an event on 4 of 10 stamps that its calculation holds. */
const rows: readonly {
  readonly title: string
  readonly record?: Partial<CalculationRecord>
  readonly event: Partial<SaleEvent>
  readonly isUsed: boolean
}[] = [
  { title: 'applied', event: {}, isUsed: true },
  {
    title: 'unchanged, by a calculation that was',
    record: { status: 'unchanged', netAfter: 1_000 },
    event: {},
    isUsed: true,
  },
  { title: 'unchanged, by one that was applied', event: { status: 'unchanged', paidTotal: 1_000 }, isUsed: false },
  { title: 'failed', event: { status: 'failed', paidTotal: 1_000 }, isUsed: false },
  { title: 'member_not_found', event: { status: 'member_not_found', paidTotal: 1_000 }, isUsed: false },
  { title: 'cancelled', event: { status: 'cancelled', paidTotal: null }, isUsed: false },
]

async function salePromises(t: Test, subject: Subject): Promise<void> {
  for (const { title, record: more, event, isUsed } of rows) {
    await t.test(`${title}: what is held is ${isUsed ? 'used' : 'released'}, once`, async (t) => {
      const card = await aCard(subject, 10)
      const record = card.spender(4, more)
      await card.confirm(record)
      t.match(await card.sell(record, event), { kind: 'recorded' })
      t.match(await card.sell(record, event), { kind: 'stored' })
      t.same(await card.sums(), { ...nothing, available: isUsed ? 6 : 10 })
      t.same(await card.movements(), isUsed ? ['used -4', 'adjusted 10'] : ['adjusted 10'])
    })
  }

  await t.test('a sale that came before its calculation uses what that holds', async (t) => {
    const card = await aCard(subject, 10)
    const earning = anEarning([
      { currencyId: card.currencyId },
      { ruleId: 'visit', per: 'visit', currencyId: 'points' },
    ])
    const record = card.spender(4, { earning })
    await card.sell(record)
    await card.confirm(record)
    t.same(await card.movements(), ['earned 1', 'used -4', 'adjusted 10'])
  })

  await t.test('planted: the earning of a basket is not spent in it, but by the next', async (t) => {
    const card = await aCard(subject, 9)
    const earning = anEarning([{ currencyId: card.currencyId }])
    t.match(await card.confirm(card.spender(10, { earning })), { kind: 'short' })
    const record = aRecord(subject.ledger, { memberId: card.memberId, earning })
    await card.confirm(record)
    await card.sell(record)
    t.same(await card.confirm(card.spender(10)), { kind: 'confirmed' })
  })

  await t.test('a sale spends before it earns', async (t) => {
    const card = await aCard(subject, 10)
    const record = card.spender(10, { earning: anEarning([{ currencyId: card.currencyId, sent: 3 }]) })
    await card.confirm(record)
    await card.sell(record)
    t.same(await card.movements(), ['earned 3', 'used -10', 'adjusted 10'])
    t.same(await card.sums(), { ...nothing, available: 3 })
  })

  await t.test('a member who is blocked meanwhile has paid all the same', async (t) => {
    const card = await aCard(subject, 10)
    const record = card.spender(4)
    await card.confirm(record)
    await subject.ledger.members.block(aValueCommand(), card.memberId, true)
    await card.sell(record)
    t.same(await card.sums(), { ...nothing, available: 6 })
  })
}

async function latePromises(t: Test, subject: Subject): Promise<void> {
  await t.test('planted: after its release a hold is used again, once', async (t) => {
    const card = await aCard(subject, 10)
    const record = card.spender(4)
    await card.confirm(record)
    await expireNow(subject.database, record)
    t.match(await card.sell(record), { kind: 'recorded', discrepancies: ['late_event'] })
    t.match(await card.sell(record), { kind: 'stored' })
    t.same(await card.sums(), { ...nothing, available: 6 })
    t.same(await card.movements(), ['used -4', 'adjusted 10'])
    t.match(await subject.ledger.calculations.find(record.calculationId), { holds: [{ state: 'late', amount: 4 }] })
  })

  await t.test('what is no longer there becomes debt and a discrepancy', async (t) => {
    const card = await aCard(subject, 10)
    const late = card.spender(8)
    await card.confirm(late)
    await expireNow(subject.database, late)
    const next = card.spender(7)
    await card.confirm(next)
    t.match(await card.sell(late), { discrepancies: ['late_event', 'value_overdrawn'] })
    t.same(await readDiscrepancies(subject.database, late.calculationId), ['late_event', 'value_overdrawn'])
    t.same(await card.sums(), { ...nothing, held: 7, debt: 5 }, 'what another holds is not touched')
    await card.sell(next)
    t.same(await card.sums(), { ...nothing, debt: 5 })
    await card.value.adjust(card.memberId, card.currencyId, 6)
    t.same(await card.sums(), { ...nothing, available: 1 })
  })

  await t.test('a superseded calculation that was sold uses, and both may have been', async (t) => {
    const card = await aCard(subject, 10)
    const old = card.spender(8)
    await card.confirm(old)
    const next = card.spender(8, { supersedesCalculationId: old.calculationId })
    await card.confirm(next)
    t.match(await card.sell(old), { discrepancies: ['superseded', 'value_overdrawn'] })
    t.same(await card.sums(), { ...nothing, held: 8, debt: 6 })
    t.match(await card.sell(next), { discrepancies: [] })
    t.same(await card.movements(), ['used -8', 'used -8', 'adjusted 10'])
  })

  await t.test('a late event without use changes nothing', async (t) => {
    const card = await aCard(subject, 10)
    for (const { record: more, event, isUsed } of rows) {
      if (isUsed) continue
      const record = card.spender(4, more)
      await card.confirm(record)
      await expireNow(subject.database, record)
      t.match(await card.sell(record, event), { kind: 'recorded' })
    }
    t.same(await card.sums(), { ...nothing, available: 10 })
  })
}

async function carriedPromises(t: Test, subject: Subject): Promise<void> {
  const asSent = (status: 'failed' | 'unchanged') => ({ status, paidTotal: 1_000 })

  for (const status of ['failed', 'unchanged'] as const) {
    await t.test(
      `${status}, charged with the discounts of what it superseded: their costs are used, once`,
      async (t) => {
        const card = await aCard(subject, 10)
        const old = card.spender(4)
        await card.confirm(old)
        const next = card.spender(8, { supersedesCalculationId: old.calculationId, carried: 150 })
        await card.confirm(next)
        t.match(await card.sell(next, asSent(status)), { kind: 'recorded' })
        t.same(await card.sums(), { ...nothing, available: 6 })
        await card.sell(old)
        t.same(await card.movements(), ['used -4', 'adjusted 10'])
        t.match(await subject.ledger.calculations.find(old.calculationId), { holds: [{ state: 'late', amount: 4 }] })
      },
    )
  }

  await t.test('without a superseded one the newest answer with these discounts counts', async (t) => {
    const card = await aCard(subject, 10)
    const now = subject.ledger.clock()
    const older = card.spender(1, { answeredAt: now - 30 })
    const newer = card.spender(2, { answeredAt: now - 20 })
    const other = card.spender(3, { answeredAt: now - 10, loyaltyDiscountTotal: 150 })
    for (const record of [older, newer, other]) await card.confirm(record)
    const next = aRecord(subject.ledger, { memberId: card.memberId, carried: 200 })
    await subject.ledger.calculations.store([next])
    await card.sell(next, asSent('failed'))
    t.same(await card.movements(), ['used -2', 'adjusted 10'])
    await card.sell(newer)
    t.same(await card.sums(), { ...nothing, available: 4, held: 4 }, 'its own sale uses nothing more')
  })

  await t.test('late it is the same, and what is not there becomes debt', async (t) => {
    const card = await aCard(subject, 4)
    const old = card.spender(4)
    await card.confirm(old)
    const next = card.spender(4, { supersedesCalculationId: old.calculationId, carried: 200 })
    await card.confirm(next)
    await expireNow(subject.database, next)
    await card.confirm(card.spender(3))
    t.match(await card.sell(next, asSent('failed')), { discrepancies: ['late_event', 'value_overdrawn'] })
    t.same(await card.sums(), { ...nothing, held: 3, debt: 3 })
  })

  await t.test('a basket that carries nothing, or is not charged, uses nothing', async (t) => {
    const card = await aCard(subject, 10)
    for (const [carried, event] of [
      [0, asSent('failed')],
      [200, { status: 'cancelled', paidTotal: null }],
      [200, { status: 'member_not_found', paidTotal: 1_000 }],
    ] as const) {
      const old = card.spender(4)
      await card.confirm(old)
      const next = card.spender(4, { supersedesCalculationId: old.calculationId, carried })
      await card.confirm(next)
      await card.sell(next, event)
    }
    t.same(await card.sums(), { ...nothing, available: 10 })
  })
}

async function expiryPromises(t: Test, subject: Subject): Promise<void> {
  /** A card with 4 of 10 stamps held; all have just expired. */
  async function expiredUnderHold() {
    const card = await aCard(subject, 0)
    await card.value.adjust(card.memberId, card.currencyId, 10, { expiresAt: subject.ledger.clock() + day })
    const record = card.spender(4)
    await card.confirm(record)
    await expireLots(subject.database, card.memberId, 5)
    return { card, record }
  }

  await t.test('planted: a lot that expires under a hold is still used', async (t) => {
    for (const isSwept of [false, true]) {
      const { card, record } = await expiredUnderHold()
      t.same(await card.sums(), { ...nothing, held: 4 })
      t.same((await card.movements()).toSorted(), ['adjusted 10', 'expired -6'])
      if (isSwept) while ((await subject.ledger.value.expire(1_000)) > 0);
      t.same(await card.sums(), { ...nothing, held: 4 })
      t.match(await card.sell(record), { discrepancies: [] })
      t.same(await card.sums(), nothing)
      t.same((await card.movements()).toSorted(), ['adjusted 10', 'expired -6', 'used -4'])
    }
  })

  await t.test('a released hold whose lot has expired expires at once', async (t) => {
    for (const isSwept of [false, true]) {
      const { card, record } = await expiredUnderHold()
      if (isSwept) while ((await subject.ledger.value.expire(1_000)) > 0);
      await card.sell(record, { status: 'cancelled', paidTotal: null })
      t.same(await card.sums(), nothing)
      t.same((await card.movements()).toSorted(), ['adjusted 10', 'expired -4', 'expired -6'])
      t.match(await card.confirm(card.spender(1)), { kind: 'short' })
    }
  })

  await t.test("an expired calculation's holds of an expired lot are gone in every read", async (t) => {
    const { card, record } = await expiredUnderHold()
    await expireNow(subject.database, record)
    t.same(await card.sums(), nothing)
    t.same(await card.lots(), [])
    t.same((await card.movements()).toSorted(), ['adjusted 10', 'expired -10'])
    t.match(await card.sell(record), { discrepancies: ['late_event', 'value_overdrawn'] })
    t.same(await card.sums(), { ...nothing, debt: 4 })
  })
}
