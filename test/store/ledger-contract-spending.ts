import type { Test } from 'tap'
import { accountKey } from '../../engine/core/base/outcome.js'
import { textOfSpending } from '../../engine/wire/write-stored.js'
import { aRecord, aSale, aWant, eventBody, expireNow, plenty, type Subject } from '../support/ledger-builders.js'
import { spentSalePromises } from './ledger-contract-spent-sales.js'
import { aCard, anEarning, aSpent, aValueCommand, aValueTable, expireLots, nothing } from './value-builders.js'

const day = 86_400_000

/** Page 4, sections 4 and 9. */
export async function spendingPromises(t: Test, subject: Subject): Promise<void> {
  await t.test('holds', (t) => holdPromises(t, subject))
  await t.test('what ends a hold', (t) => endPromises(t, subject))
  await t.test('at once', (t) => racePromises(t, subject))
  await spentSalePromises(t, subject)
  await t.test('inspected', (t) => inspectionPromises(t, subject))
}

async function holdPromises(t: Test, subject: Subject): Promise<void> {
  await t.test('a calculation holds what its benefits cost together, all or nothing', async (t) => {
    const card = await aCard(subject, 10)
    const points = await card.value.currency()
    await card.value.adjust(card.memberId, points, 4)
    const spending = textOfSpending([
      aSpent(card.currencyId, 2, { times: 3 }),
      aSpent(card.currencyId, 1, { benefitId: 'cake' }),
      aSpent(points, 5, { benefitId: 'tea' }),
    ])
    const want = aWant()
    const record = card.spender(1, { spending, holds: [want] })
    const left = { [accountKey(card.currencyId)]: 10, [accountKey(points)]: 4 }
    t.same(await card.confirm(record), { kind: 'short', left })
    t.match(await subject.ledger.counters.lookUp([want]), [{ open: 0 }], 'a limit is not taken without the value')
    t.same(await card.sums(), { ...nothing, available: 10 })
    await card.value.adjust(card.memberId, points, 1)
    t.same(await card.confirm(record), { kind: 'confirmed' })
    t.same(await card.sums(), { ...nothing, available: 3, held: 7 })
    t.same(await card.value.sums(card.memberId, points), { ...nothing, held: 5 })
    t.same(await card.movements(), ['adjusted 10'], 'a hold is no movement')
  })

  await t.test('the lot that expires first is held first, then used', async (t) => {
    const card = await aCard(subject, 10)
    const soon = subject.ledger.clock() + day
    await card.value.adjust(card.memberId, card.currencyId, 2, { expiresAt: soon + day })
    await card.value.adjust(card.memberId, card.currencyId, 3, { expiresAt: soon })
    const record = card.spender(4)
    await card.confirm(record)
    t.same(await card.lots(), [
      [3, soon],
      [2, soon + day],
      [10, null],
    ])
    await card.sell(record)
    t.same(await card.lots(), [
      [1, soon + day],
      [10, null],
    ])
  })

  await t.test('planted: pending value is not spent', async (t) => {
    const card = await aCard(subject, 9)
    await card.value.adjust(card.memberId, card.currencyId, 5, { opensAt: subject.ledger.clock() + day })
    t.same(await card.confirm(card.spender(10)), { kind: 'short', left: { [accountKey(card.currencyId)]: 9 } })
    t.same(await card.sums(), { ...nothing, available: 9, pending: 5 })
  })

  await t.test('expired value is not spent, and neither is value of an empty account', async (t) => {
    const card = await aCard(subject, 0)
    t.same(await card.confirm(card.spender(1)), { kind: 'short', left: { [accountKey(card.currencyId)]: 0 } })
    await card.value.adjust(card.memberId, card.currencyId, 5, { expiresAt: subject.ledger.clock() + day })
    await expireLots(subject.database, card.memberId, 5)
    t.same(await card.confirm(card.spender(1)), { kind: 'short', left: { [accountKey(card.currencyId)]: 0 } })
    t.same((await card.movements()).toSorted(), ['adjusted 5', 'expired -5'])
  })

  await t.test('planted: held value is spent by no other calculation', async (t) => {
    const card = await aCard(subject, 10)
    const first = card.spender(8)
    await card.confirm(first)
    t.same(await card.confirm(card.spender(3)), { kind: 'short', left: { [accountKey(card.currencyId)]: 2 } })
    t.same(await card.value.adjust(card.memberId, card.currencyId, -3), { kind: 'insufficient', available: 2 })
    await card.sell(first)
    t.same(await card.confirm(card.spender(3)), { kind: 'short', left: { [accountKey(card.currencyId)]: 2 } })
    t.same(await card.movements(), ['used -8', 'adjusted 10'])
  })

  await t.test('a key that was confirmed before holds nothing more', async (t) => {
    const card = await aCard(subject, 10)
    const record = card.spender(3)
    await card.confirm(record)
    t.match(await card.confirm(record), { kind: 'known' })
    t.same(await card.sums(), { ...nothing, available: 7, held: 3 })
  })
}

async function endPromises(t: Test, subject: Subject): Promise<void> {
  await t.test('superseding moves the hold, and what it frees counts as left', async (t) => {
    const card = await aCard(subject, 10)
    const old = card.spender(8)
    await card.confirm(old)
    const supersedesCalculationId = old.calculationId
    t.same(await card.confirm(card.spender(11, { supersedesCalculationId })), {
      kind: 'short',
      left: { [accountKey(card.currencyId)]: 10 },
    })
    t.same(await card.sums(), { ...nothing, available: 2, held: 8 }, 'nothing moved')
    const next = card.spender(9, { supersedesCalculationId })
    t.same(await card.confirm(next), { kind: 'confirmed' })
    t.same(await card.sums(), { ...nothing, available: 1, held: 9 })
    await card.confirm(aRecord(subject.ledger, { supersedesCalculationId: next.calculationId }))
    t.same(await card.sums(), { ...nothing, available: 10 }, 'one that spends nothing frees it')
  })

  await t.test('one that the journal brings frees what it supersedes', async (t) => {
    const card = await aCard(subject, 10)
    const old = card.spender(8)
    await card.confirm(old)
    await subject.ledger.calculations.store([aRecord(subject.ledger, { supersedesCalculationId: old.calculationId })])
    t.same(await card.sums(), { ...nothing, available: 10 })
  })

  await t.test('a calculation that another had superseded before it came holds nothing', async (t) => {
    const card = await aCard(subject, 10)
    const old = card.spender(8)
    await card.confirm(card.spender(1, { supersedesCalculationId: old.calculationId }))
    t.same(await card.confirm(old), { kind: 'confirmed' })
    t.same(await card.sums(), { ...nothing, available: 9, held: 1 })
  })

  await t.test('a withdrawn calculation has held nothing', async (t) => {
    const card = await aCard(subject, 10)
    const record = card.spender(8)
    await card.confirm(record)
    t.equal(await subject.ledger.calculations.withdraw(record.calculationId), 'withdrawn')
    t.same(await card.sums(), { ...nothing, available: 10 })
    t.same(await card.confirm(record), { kind: 'confirmed' })
  })

  await t.test('holds of an expired calculation are free in every read, and for the next one', async (t) => {
    const card = await aCard(subject, 10)
    const old = card.spender(8)
    await card.confirm(old)
    await expireNow(subject.database, old)
    t.same(await card.sums(), { ...nothing, available: 10 }, 'no sweep has run')
    t.same(await card.confirm(card.spender(10)), { kind: 'confirmed' })
    t.same(await card.sums(), { ...nothing, held: 10 })
  })

  await t.test('the sweep frees what expired calculations hold', async (t) => {
    const card = await aCard(subject, 10)
    const old = card.spender(8)
    await card.confirm(old)
    await expireNow(subject.database, old)
    while ((await subject.ledger.calculations.expire(1_000)) > 0);
    t.same(await card.sums(), { ...nothing, available: 10 })
    t.match(await subject.ledger.calculations.find(old.calculationId), { holds: [{ state: 'released', amount: 8 }] })
  })
}

/** Apart from the others, because bodies go. */
export async function forgottenSpendingPromises(t: Test, subject: Subject): Promise<void> {
  await t.test('forgetting the member forfeits what is held, and a sale then uses nothing', async (t) => {
    const card = await aCard(subject, 10)
    const record = card.spender(8, { loyaltyId: null })
    await card.confirm(record)
    await subject.ledger.members.forget(aValueCommand(), card.memberId, [])
    t.match(await card.sell(record), { kind: 'recorded', discrepancies: [] })
    t.same(await card.movements(), [])
  })
}

async function racePromises(t: Test, subject: Subject): Promise<void> {
  await t.test('of 64 POSs at once for the last ten stamps exactly one gets them', async (t) => {
    const card = await aCard(subject, 10)
    const records = Array.from({ length: 64 }, () => card.spender(10))
    const replies = await Promise.all(records.map(card.confirm))
    t.equal(replies.filter(({ kind }) => kind === 'confirmed').length, 1)
    t.same(
      replies.filter(({ kind }) => kind !== 'confirmed'),
      Array.from({ length: 63 }, () => ({ kind: 'short', left: { [accountKey(card.currencyId)]: 0 } })),
    )
    t.same(await card.sums(), { ...nothing, held: 10 })
  })

  await t.test('of 16 events at once for one calculation one uses', async (t) => {
    const card = await aCard(subject, 10)
    const record = card.spender(4)
    await card.confirm(record)
    await Promise.all(Array.from({ length: 16 }, () => card.sell(record)))
    t.same(await card.movements(), ['used -4', 'adjusted 10'])
  })

  await t.test('sales, holds and expiry of several accounts never deadlock', async (t) => {
    const value = aValueTable(subject.ledger)
    const memberId = await value.enrol()
    const currencies = await Promise.all([value.currency(), value.currency(), value.currency()])
    for (const currencyId of currencies) await value.adjust(memberId, currencyId, 1_000)
    const earning = anEarning(currencies.map((currencyId, at) => ({ ruleId: `race-${at}`, currencyId })))
    const records = Array.from({ length: 60 }, (_, at) => {
      const turned = [...currencies.slice(at % 3), ...currencies.slice(0, at % 3)].slice(0, 1 + (at % 2))
      const spending = textOfSpending(turned.map((currencyId) => aSpent(currencyId, 2)))
      return aRecord(subject.ledger, { memberId, earning, spending })
    })
    const replies = await Promise.all(
      records.map(async (record, at) => {
        const confirmed = await subject.ledger.calculations.confirm(record, plenty)
        if (at % 5 === 0) await expireNow(subject.database, record)
        const status = at % 3 === 0 ? 'failed' : 'applied'
        await subject.ledger.sales.record(aSale(record, { status, paidTotal: 1_000 }), eventBody)
        if (at % 7 === 0) await subject.ledger.calculations.expire(10)
        return confirmed.kind
      }),
    )
    t.ok(replies.every((kind) => kind === 'confirmed'))
    for (const currencyId of currencies) t.match(await value.sums(memberId, currencyId), { held: 0, debt: 0 })
  })
}

async function inspectionPromises(t: Test, { ledger, ...subject }: Subject): Promise<void> {
  await t.test('a calculation says what its benefits cost, and what it holds of each account', async (t) => {
    const card = await aCard({ ledger, ...subject }, 10)
    const record = card.spender(4)
    await card.confirm(record)
    const { currencyId } = card
    const found = await ledger.calculations.find(record.calculationId)
    t.match(found, { spending: record.spending, holds: [{ currencyId, amount: 4, state: 'open' }] })
    t.ok(found!.holds[0]!.heldUntil! > ledger.clock())
    await card.sell(record)
    t.match(await ledger.calculations.find(record.calculationId), { holds: [{ state: 'used', heldUntil: null }] })
  })
}
