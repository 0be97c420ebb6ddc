import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { textOfSpending } from '../../engine/wire/write-stored.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { aMember, aRecord, aSale, eventBody, expireNow, plenty, type Subject } from '../support/ledger-builders.js'
import { dumpTables } from './ledger-checker.js'
import { aMergeTable } from './ledger-contract-merging.js'
import { aLadder, giveBack, publishRules, sellLines } from './return-builders.js'
import { aBalance, aCard, anEarning, aSpent, aValueCommand, nothing, owe, totals } from './value-builders.js'

/** The loyalty ids of merged members, and imports and programmes that name them afterwards. */
export async function mergedIdPromises(t: Test, { ledger }: Subject): Promise<void> {
  const value = aMergeTable({ ledger })
  const store = (...members: readonly ReturnType<typeof aMember>[]) => ledger.members.store(aValueCommand(), members)

  async function merged() {
    const [from, into] = [aMember({ tier: 'gold', blocked: true }), aMember({ tier: 'silver', segments: ['a'] })]
    await store(from, into)
    const { revision } = await ledger.changes.since(0)
    await value.merge(from.memberId, into.memberId)
    return { from, into, cards: [...from.loyaltyIds, ...into.loyaltyIds].sort(), revision }
  }

  await t.test(
    'the loyalty ids find the other member, which keeps its own profile, and caches notice it',
    async (t) => {
      const { from, into, cards, revision } = await merged()
      t.equal(await ledger.members.findById(from.memberId), null)
      for (const card of cards) t.same(await ledger.members.lookUp(card), { ...into, loyaltyIds: cards })
      const { changes } = await ledger.changes.since(revision)
      t.same(changes?.map(({ id }) => id).sort(), cards)
      const subject = { kind: 'member', id: from.memberId }
      const { records } = await ledger.audit.list(subject, { after: null, limit: 1 })
      t.match(records, [{ call: 'MemberService/MergeMembers', before: /gold/, after: null }])
    },
  )

  await t.test(
    'an import that does not know of the merge neither brings the old member back nor loses a card',
    async (t) => {
      const { from, into, cards } = await merged()
      t.match(await store(from, into), { kind: 'done', created: 0, changed: 0, unchanged: 1, merged: 1 })
      t.match(await store(into), { unchanged: 1, merged: 0 })
      const card = `card-${randomUUID()}`
      t.match(await store({ ...from, loyaltyIds: [...from.loyaltyIds, card] }), { merged: 1 })
      t.match(await ledger.members.lookUp(card), { memberId: into.memberId, tier: 'silver' }, 'a new card is enrolled')
      t.same(await ledger.members.findById(into.memberId), { ...into, loyaltyIds: [...cards, card].sort() })
      t.match(await ledger.members.store(aValueCommand(), [{ memberId: into.memberId, tier: 'gold' }]), { changed: 1 })
      t.match(await ledger.members.findById(into.memberId), { tier: 'gold', loyaltyIds: [...cards, card].sort() })
      t.match(await store(into), { changed: 1 }, 'a row without cards says nothing of the merge')
      t.same(await ledger.members.findById(into.memberId), { ...into, loyaltyIds: [...cards, card].sort() })
    },
  )

  await t.test(
    'a card that another member takes moves to it, and an import that knows of the merge counts alone',
    async (t) => {
      const { from, into } = await merged()
      const other = aMember({ loyaltyIds: from.loyaltyIds })
      t.match(await store(other, into), { kind: 'card_taken', taken: [{ memberId: into.memberId }] })
      await ledger.members.store(aValueCommand(), [other, into], { moveCards: true })
      t.match(await ledger.members.lookUp(from.loyaltyIds[0]!), { memberId: other.memberId })
      t.same(await ledger.members.findById(into.memberId), into)
      const second = await merged()
      await store({ ...second.into, loyaltyIds: second.cards })
      await store(second.into)
      t.same(await ledger.members.findById(second.into.memberId), second.into, 'the card was dropped on purpose')
    },
  )

  await t.test('no programme enrols the old member again, nor changes the other', async (t) => {
    const { from, into, cards } = await merged()
    const members = [from, { ...into, tier: 'bronze' }]
    const document = `{"once":"${randomUUID()}"}`
    await ledger.programmes.publishFile({ document, benefits: '[]', venues: [], members })
    t.equal(await ledger.members.findById(from.memberId), null)
    t.same(await ledger.members.findById(into.memberId), { ...into, loyaltyIds: cards })
  })
}

/** Forgetting takes bodies with it. */
export async function forgettingMergedPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aMergeTable({ ledger })

  await t.test('forgetting a member forgets those that were merged into it', async (t) => {
    const rule = await value.rule()
    const [first, from, into] = [await value.enrol(), await value.enrol(), await value.enrol()]
    const { loyaltyIds } = (await ledger.members.findById(from))!
    await value.importBalances([aBalance(from, rule.currencyId, { reference: `of-${from}` })])
    const earning = anEarning([{ ...rule, per: 'amount', every: 50, sent: 70 }])
    const record = aRecord(ledger, { memberId: first, loyaltyId: `card-of-${first}`, earning })
    await ledger.calculations.store([record])
    await ledger.sales.record(aSale(record), eventBody)
    await value.merge(first, from)
    await value.merge(from, into)
    const forgetting = aValueCommand()
    await ledger.members.forget(forgetting, into, [])
    for (;;) {
      const erasure = await ledger.members.findErasure(0)
      if (erasure === null) break
      if (erasure.requestId === forgetting.requestId)
        t.match(await ledger.members.findForgetting(forgetting.requestId), { completedAt: null }, 'some are left')
      await ledger.members.finishErasure(erasure, [])
    }
    t.match(await ledger.members.findForgetting(forgetting.requestId), { completedAt: Number })
    const dump = await dumpTables(database)
    for (const id of [first, from, into, ...loyaltyIds]) t.notOk(dump.includes(id), id)
    const [row] = await database.run<{ sum: number }>(
      sql`
        select sum(e.amount)::bigint as sum from entry e join account a on a.account_id = e.account_id
        where a.currency_id = ${rule.currencyId}`,
      { effect: 'reads', withinMs: plenty },
    )
    t.equal(row?.sum, 0)
    await ledger.members.store(aValueCommand(), [aMember({ memberId: from })])
    t.same(await ledger.value.findAccounts(from), [], 'a new member of the same id begins with nothing')
  })
}

const day = 86_400_000

export async function mergedSalePromises(t: Test, subject: Subject): Promise<void> {
  await t.test('holds', (t) => mergedHoldPromises(t, subject))
  await t.test('returns', (t) => mergedReturnPromises(t, subject))
  await t.test('visits and tiers', (t) => mergedStandingPromises(t, subject))
}

async function mergedHoldPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, database } = subject
  const { merge, enrol, sums, movements } = aMergeTable(subject)

  await t.test('the holds of a basket are used by its sale, or free again', async (t) => {
    const [card, into] = [await aCard(subject, 10), await enrol()]
    const [sold, cancelled] = [card.spender(4), card.spender(3)]
    for (const record of [sold, cancelled]) await card.confirm(record)
    t.match(await merge(card.memberId, into), { accounts: [{ amount: 10 }] })
    t.same(await card.sums(), nothing)
    t.same(await sums(into, card.currencyId), { ...nothing, available: 3, held: 7 })
    t.match(await card.sell(sold), { discrepancies: [] })
    t.same(await movements(into), ['used -4', 'merged 10'])
    await card.sell(cancelled, { status: 'cancelled', paidTotal: null })
    t.same(await sums(into, card.currencyId), { ...nothing, available: 6 })
  })

  await t.test('a debt is not paid from what is held', async (t) => {
    const [card, debtor] = [await aCard(subject, 10), await enrol()]
    await card.confirm(card.spender(8))
    await card.value.adjust(debtor, card.currencyId, 1)
    await owe(database, debtor, 5)
    t.match(await merge(debtor, card.memberId), { accounts: [{ amount: 1, debt: 5, paid: 3 }] })
    t.same(await card.sums(), { ...nothing, held: 8, debt: 2 })
  })

  await t.test("a sale after the merge and too late uses the other's value, and the rest is a debt", async (t) => {
    const [card, into] = [await aCard(subject, 5), await enrol()]
    const record = card.spender(5)
    await card.confirm(record)
    await expireNow(database, record)
    await card.value.adjust(card.memberId, card.currencyId, -3)
    await merge(card.memberId, into)
    t.match(await card.sell(record), { discrepancies: ['late_event', 'value_overdrawn'] })
    t.same(await sums(into, card.currencyId), { ...nothing, debt: 3 })
  })

  await t.test('a basket that names the old member holds what the other has', async (t) => {
    const [card, into] = [await aCard(subject, 5), await enrol()]
    await card.value.adjust(into, card.currencyId, 2)
    await merge(card.memberId, into)
    t.match(await card.confirm(card.spender(8)), { kind: 'short' })
    const record = card.spender(7)
    t.same(await card.confirm(record), { kind: 'confirmed' })
    await ledger.sales.record(aSale(record), eventBody)
    t.same(await sums(into, card.currencyId), nothing)
    t.same((await movements(into)).toSorted(), ['adjusted 2', 'merged 5', 'used -7'])
  })
}

async function mergedReturnPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, database } = subject
  const { merge, enrol, sums } = aMergeTable(subject)

  await t.test('the earning of a sale is taken back from the other', async (t) => {
    const [member, into] = [await enrol(), await enrol()]
    const { currencyId, named } = await publishRules(ledger, { stamp: { give: 1, per: { kind: 'units', every: 1 } } })
    const rules = [{ ...named('stamp'), lines: [0] }]
    const record = await sellLines(ledger, member, { lines: [[3_000, 300]], rules })
    t.match(await giveBack(ledger, record, [[0, 1_000]]), { takenBack: [{ amount: 1 }] })
    t.match(await merge(member, into), { accounts: [{ amount: 2, completed: 0 }] })
    t.same(await totals(database, into), { [rules[0]!.ruleId]: ['20000', 3] })
    t.match(await giveBack(ledger, record, [[0, 1_000]]), { takenBack: [{ amount: 1, debt: 0 }] })
    t.same(await sums(into, currencyId), { ...nothing, available: 1 })
  })

  await t.test('what a sale used comes back to the other', async (t) => {
    const [card, into] = [await aCard(subject, 5), await enrol()]
    const spending = textOfSpending([aSpent(card.currencyId, 4)])
    const record = card.spender(4, { spending })
    await card.confirm(record)
    await card.sell(record)
    const spent = [
      { currencyId: card.currencyId, per: 'times' as const, amount: 4, times: 1, lines: [[0, 1] as const] },
    ]
    await ledger.returns.storeLadder(record.calculationId, aLadder([[1_000, 0]], [], spent))
    await merge(card.memberId, into)
    t.match(await giveBack(ledger, record, [[0, 1_000]]), { givenBack: [{ amount: 4 }] })
    t.same(await sums(into, card.currencyId), { ...nothing, available: 5 })
  })
}

async function mergedStandingPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger } = subject
  const { merge, enrol } = aMergeTable(subject)
  const standing = (memberId: string) => ledger.members.findStanding(memberId)

  await t.test('visits add up, also those of a basket that names the old member', async (t) => {
    const [from, into] = [await enrol(), await enrol()]
    const visit = async (memberId: string) => {
      const record = aRecord(ledger, { memberId, loyaltyId: null, earning: anEarning([]) })
      await ledger.calculations.store([record])
      await ledger.sales.record(aSale(record), eventBody)
    }
    for (const memberId of [from, from, into]) await visit(memberId)
    const open = aRecord(ledger, { memberId: from, loyaltyId: null })
    await ledger.calculations.store([open])
    t.match(await merge(from, into, { isDryRun: true }), { visits: 2, given: null })
    t.match(await merge(from, into), { visits: 2, given: null })
    t.match(await standing(into), { visits: 3 })
    await visit(from)
    await ledger.sales.record(aSale(open), eventBody)
    t.match(await standing(into), { visits: 5 })
    t.match(await standing(from), { visits: 0 })
  })

  await t.test('a given tier moves, unless the other has one', async (t) => {
    const tiers = ['silver', 'gold'].map((tierId, rank) => {
      return { tierId, rank: rank + 1, currencyId: 'stamps', amount: 100 + rank, windowMonths: 12, keepMonths: 1 }
    })
    await ledger.programmes.publishFile({
      document: `{"once":"${randomUUID()}"}`,
      benefits: JSON.stringify({ benefits: [], once: randomUUID(), tiers }),
      ...{ venues: [], members: [], currencies: [{ currencyId: 'stamps', name: 'Stamps', scale: 0 }] },
    })
    const give = (memberId: string, tierId: string) => {
      const given = { tierId, until: Math.floor(ledger.clock()) + day }
      return ledger.members.setTier(aValueCommand(), { member: { memberId }, given, reason: 'kind' })
    }
    const [from, into, third] = [await enrol(), await enrol(), await enrol()]
    t.match(await give(from, 'gold'), { kind: 'done' })
    await give(third, 'silver')
    t.match(await merge(from, into, { isDryRun: true }), { given: { tierId: 'gold' } })
    const moved = await merge(from, into)
    const { tier } = await standing(into)
    t.match(tier, { tierId: 'gold', reason: 'kind' })
    t.match(moved, { given: { tierId: 'gold', until: tier!.until } })
    t.match(await merge(into, third), { given: null })
    t.match(await standing(third), { tier: { tierId: 'silver' } })
    t.match(await standing(into), { tier: null })
  })
}
