import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { sql } from '../../store/postgres/connection/sql.js'
import { anEarning } from './earning-builders.js'
import { aMember, aRecord, aSale, eventBody, plenty, type Subject } from './ledger-builders.js'
import { aMergeTable } from './ledger-contract-merging.js'
import { dumpTables } from './legible.js'
import { aBalance, aValueCommand } from './value-builders.js'

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
