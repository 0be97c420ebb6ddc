import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { accountKey } from '../../engine/core/base/outcome.js'
import { createPgliteSql } from '../../store/embedded/pglite-sql.js'
import { aBasket, aBenefit, aMember as aShopper, percent, price } from '../engine/core/builders.js'
import { aRule, countOf, perKrone } from '../engine/core/earn/rules.js'
import { createLedger } from '../support/open-ledger.js'
import { aMember, aRecord, aSale, eventBody, plenty } from './ledger-builders.js'
import { aMergeTable } from './ledger-contract-merging.js'
import { aLadder, done, giveBack, publishRules, sellLines } from './return-builders.js'
import { aSpender } from './spending-builders.js'
import { aValueCommand, aValueTable } from './value-builders.js'

/** Questions about member value (4-member-value, section 8), each with its answer. */

t.setTimeout(1_800_000)

const folder = await mkdtemp(join(tmpdir(), 'loyalty-answers-'))
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty }
const ledger = await createLedger(await createPgliteSql(folder), options)
t.teardown(async () => {
  await ledger.close()
  await rm(folder, { recursive: true, force: true })
})
const value = aValueTable(ledger)

async function aCard(stamps: number) {
  const [memberId, currencyId] = [await value.enrol(), await value.currency()]
  await value.adjust(memberId, currencyId, stamps)
  return { memberId, currencyId }
}

await t.test('does the free coffee earn a stamp', async (t) => {
  const select = { productGroupIds: ['drinks'] }
  const get = { select, quantity: 1, percentage: percent(100) }
  const third = aBenefit('third', { kind: 'buy_get', buy: { select, quantity: 2 }, get })
  const basket = aBasket([{ group: 'drinks', price: 5000, quantity: 3 }])
  t.same(countOf(basket, { benefits: [third], rules: [aRule()] }), [3, 2], 'a unit at 100 % off earns none')
  const given = aBasket([{ price: 5000 }, { price: 0 }])
  t.same(countOf(given, { rules: [aRule()] }), [1, 1], 'neither does a line at net 0')
})

await t.test('two POSs, one card, the last ten stamps', async (t) => {
  const card = await aCard(10)
  const spenders = [1, 2].map(() => aSpender(ledger, { ...card, amount: 10 }))
  const replies = await Promise.all(spenders.map((record) => ledger.calculations.confirm(record, plenty)))
  t.same(replies.map(({ kind }) => kind).toSorted(), ['confirmed', 'short'])
  const short = replies.find(({ kind }) => kind === 'short')
  t.same(short, { kind: 'short', left: { [accountKey(card.currencyId)]: 0 } }, 'the other is priced again with this')
})

await t.test('the basket changed after calculation', async (t) => {
  const card = await aCard(10)
  const first = aSpender(ledger, { ...card, amount: 10 })
  await ledger.calculations.confirm(first, plenty)
  const next = aSpender(ledger, { ...card, amount: 10 }, { supersedesCalculationId: first.calculationId })
  t.same(await ledger.calculations.confirm(next, plenty), { kind: 'confirmed' })
  t.same(await value.sums(card.memberId, card.currencyId), { available: 0, pending: 0, held: 10, debt: 0 })
})

await t.test('a tiny discount would burn a full card', async (t) => {
  const basket = aBasket([{ price: 100 }])
  const member = { ...aShopper, balances: { stamps: 10 } }
  const chosen = (worth: number) => {
    const costs = { currencyId: 'stamps', amount: 10, per: 'basket', worth } as const
    const free = aBenefit('free', { kind: 'line_percentage', percentage: percent(100) }, { costs })
    return price(basket, [free], { member }).spending.map(({ amount, times }) => amount * times)
  }
  t.same(chosen(101), [], 'a full card is worth more than 1.00')
  t.same(chosen(99), [10])
})

await t.test('the reward was used and the sale returned', async (t) => {
  const card = await aCard(10)
  const record = aSpender(ledger, { ...card, amount: 10 })
  await ledger.calculations.confirm(record, plenty)
  await ledger.sales.record(aSale(record), eventBody)
  t.match(await value.sums(card.memberId, card.currencyId), { available: 0 })
  const { currencyId } = card
  const spent = [{ currencyId, per: 'times', amount: 10, times: 1, lines: [[0, 1]] }] as const
  await ledger.returns.storeLadder(record.calculationId, aLadder([[1_000, 0]], [], spent))
  t.match(done(await giveBack(ledger, record, [[0, 1_000]])).givenBack, [{ currencyId, amount: 10 }])
  t.match(await value.sums(card.memberId, card.currencyId), { available: 10 })
})

await t.test('the rule changed since the sale', async (t) => {
  const memberId = await value.enrol()
  const { currencyId, named } = await publishRules(ledger, { points: { give: 1, per: { kind: 'amount', every: 100 } } })
  const rule = { ...named('points'), lines: [0] }
  const old = await sellLines(ledger, memberId, { lines: [[1_000, 1_000]], rules: [{ ...rule, factor: 30_000 }] })
  await sellLines(ledger, memberId, { lines: [[1_000, 1_000]], rules: [{ ...rule, factor: 10_000 }] })
  t.match(await value.sums(memberId, currencyId), { available: 40 })
  t.match(done(await giveBack(ledger, old, [[0, 1_000]])).takenBack, [{ amount: 30 }], 'by three times, as at its sale')
  t.match(await value.sums(memberId, currencyId), { available: 10 })
})

await t.test('alcohol, tobacco, gift cards', async (t) => {
  const basket = aBasket([{ price: 5000 }, { price: 20000, noDiscount: true }])
  const half = aBenefit('half', { kind: 'line_percentage', percentage: percent(50) })
  t.equal(price(basket, [half]).netAfter, 22500, 'no discount')
  t.same(countOf(basket, { rules: [aRule({ per: perKrone })] }), [5000, 5000], 'no earning')
  t.same(countOf(basket, { rules: [aRule({ per: perKrone, includeNoDiscount: true })] }), [25000, 25000])
})

await t.test('prepaid money, gift cards', async (t) => {
  const memberId = await value.enrol()
  const kroner = await value.currency(2)
  const to = [{ memberId }]
  await ledger.rewards.issue(aValueCommand(), { to, currencyId: kroner, amount: 5_000, expiresAt: null })
  const record = aSpender(ledger, { memberId, currencyId: kroner, amount: 2_000 })
  await ledger.calculations.confirm(record, plenty)
  await ledger.sales.record(aSale(record), eventBody)
  t.match(await value.sums(memberId, kroner), { available: 3_000 }, 'what the merchant grants discounts a basket')
  const next = aRecord(ledger, { memberId })
  await ledger.calculations.store([next])
  await ledger.sales.record(aSale(next), eventBody)
  t.match(await value.sums(memberId, kroner), { available: 3_000 }, 'and pays for nothing by itself')
})

await t.test('enrolled twice; card lost', async (t) => {
  const [lost, second] = [aMember(), aMember()]
  await ledger.members.store(aValueCommand(), [lost, second])
  const currencyId = await value.currency()
  await value.adjust(lost.memberId, currencyId, 7)
  await value.adjust(second.memberId, currencyId, 2)
  await aMergeTable({ ledger }).merge(lost.memberId, second.memberId)
  for (const card of [...lost.loyaltyIds, ...second.loyaltyIds]) {
    t.match(await ledger.members.lookUp(card), { memberId: second.memberId }, 'either card names the one member')
  }
  t.match(await value.sums(second.memberId, currencyId), { available: 9 }, 'value stays')
  const record = aSpender(ledger, { memberId: second.memberId, currencyId, amount: 9 })
  t.same(await ledger.calculations.confirm(record, plenty), { kind: 'confirmed' }, 'and buys all it is worth')
})
