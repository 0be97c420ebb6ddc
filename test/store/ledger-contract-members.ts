import { randomUUID } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import type { Test } from 'tap'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Command } from '../../store/ledger/calls.js'
import type { StoredMember } from '../../store/ledger/members.js'
import { prepareProgramme } from '../../store/postgres/programmes/prepare-programme.js'
import { aMember, aRecord, aSale, digestOf, type Subject } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { dumpTables } from './ledger-checker.js'
import { forgottenTierPromises } from './ledger-contract-tiers.js'

const aCommand = (call = 'MemberService/UpsertMembers'): Command => ({
  requestId: randomUUID(),
  digest: digestOf('x'),
  call,
  actor: 'test',
})

async function publish(ledger: Ledger, ...members: readonly StoredMember[]): Promise<void> {
  const document = `{"once":"${randomUUID()}"}`
  await ledger.programmes.publishFile({ document, benefits: '[]', venues: [], members })
}

export async function memberPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger } = subject
  const store = (...members: readonly StoredMember[]) => ledger.members.store(aCommand(), members)
  const found = (member: StoredMember) => ledger.members.findById(member.memberId)

  await t.test('a programme neither blocks nor lets in a known member, and its own tier follows it', async (t) => {
    const member = aMember({ tier: 'silver' })
    await publish(ledger, member)
    await ledger.members.block(aCommand(), member.memberId, true)
    await publish(ledger, { ...member, tier: 'gold' })
    t.match(await found(member), { tier: 'gold', blocked: true }, 'blocked it stays')
    await ledger.members.block(aCommand(), member.memberId, false)
    await publish(ledger, { ...member, tier: 'bronze', blocked: true })
    t.match(await found(member), { tier: 'bronze', blocked: false }, 'let in it stays')
    const stranger = aMember({ blocked: true })
    await publish(ledger, stranger)
    t.match(await found(stranger), { blocked: true }, 'an unknown one is enrolled as it is named')
  })

  await t.test('what was imported since stays: tier, segments and loyalty ids', async (t) => {
    const member = aMember({ tier: 'silver', segments: ['a'] })
    await publish(ledger, member)
    const imported = { ...member, tier: 'gold', segments: ['b'], loyaltyIds: [`card-${randomUUID()}`] }
    await store(imported)
    await publish(ledger, { ...member, tier: 'bronze', segments: ['c'] })
    t.same(await found(member), imported)
    t.equal(await ledger.members.lookUp(member.loyaltyIds[0]!), null, 'a card that was replaced is not brought back')
    const first = aMember({ tier: 'silver' })
    await store(first)
    await publish(ledger, { ...first, tier: null })
    t.same(await found(first), first, 'one that no programme enrolled is never changed')
  })

  await t.test('an imported loyalty id stays, one that a programme gave moves', async (t) => {
    const [imported, published] = [
      aMember(),
      aMember({ loyaltyIds: [`a-${randomUUID()}`, `b-${randomUUID()}`].sort() }),
    ]
    await store(imported)
    await publish(ledger, published)
    const own = `card-${randomUUID()}`
    const taker = aMember({ loyaltyIds: [imported.loyaltyIds[0]!, published.loyaltyIds[0]!, own].sort() })
    const cardsOf = async (areTaken: boolean, ...members: readonly StoredMember[]) => {
      const programme = prepareProgramme({ document: '{}', benefits: '[]', venues: [], members })
      const { count, cards } = await ledger.programmes.findCardsOfOthers(programme, areTaken)
      t.equal(count, cards.length)
      return cards.map(({ place, loyaltyId, memberId }) => [place, loyaltyId, memberId])
    }
    t.same(await cardsOf(true, taker), [[0, published.loyaltyIds[0], published.memberId]], 'it says what it takes')
    t.same(await cardsOf(false, taker), [[0, imported.loyaltyIds[0], imported.memberId]], 'and what stays')
    const giver = { ...published, loyaltyIds: [published.loyaltyIds[1]!] }
    t.same(await cardsOf(true, giver, taker), [], 'a document that names both says it itself')
    await publish(ledger, taker)
    t.same(await found(imported), imported)
    t.same((await found(published))?.loyaltyIds, [published.loyaltyIds[1]])
    t.same((await found(taker))?.loyaltyIds, [published.loyaltyIds[0]!, own].sort())
    const empty = aMember({ loyaltyIds: imported.loyaltyIds })
    await publish(ledger, empty)
    t.equal(await found(empty), null, 'a new member of whom no loyalty id is left is not enrolled')
  })

  await t.test('programmes published over gRPC and roll-backs follow the same rules', async (t) => {
    const member = aMember({ tier: 'silver' })
    const version = async () => (await ledger.programmes.newest())!.version
    const programme = (tier: string) =>
      prepareProgramme({
        document: `{"tier":"${tier}","${randomUUID()}":1}`,
        benefits: `["${randomUUID()}"]`,
        venues: [],
        members: [{ ...member, tier }],
      })
    const order = () => aCommand('ProgrammeService/PublishProgramme')
    await ledger.programmes.publish(order(), programme('silver'), await version())
    const first = await version()
    await ledger.members.block(aCommand(), member.memberId, true)
    await ledger.programmes.publish(order(), programme('gold'), await version())
    t.match(await found(member), { tier: 'gold', blocked: true })
    await store({ ...member, tier: 'imported' })
    await ledger.programmes.publish(order(), programme('bronze'), await version())
    t.match(await ledger.programmes.rollBack(order(), first, await version()), { published: true })
    t.match(await found(member), { tier: 'imported' })
  })

  await importPromises(t, subject)
  await forgettingPromises(t, subject)
  await forgottenTierPromises(t, subject)
}

async function importPromises(t: Test, { ledger }: Subject): Promise<void> {
  const find = (memberId: string) => ledger.members.findById(memberId)

  await t.test('of calls at once for one card exactly one wins', async (t) => {
    for (const moveCards of [false, true]) {
      const [card, turned] = [`card-${randomUUID()}`, `turned-${randomUUID()}`]
      const takers = Array.from({ length: 16 }, (_, at) =>
        aMember({ loyaltyIds: at % 2 ? [card, turned] : [turned, card] }),
      )
      const replies = await Promise.all(takers.map((taker) => ledger.members.store(aCommand(), [taker], { moveCards })))
      const done = replies.filter(({ kind }) => kind === 'done').length
      t.equal(done, moveCards ? 16 : 1)
      t.equal(replies.filter(({ kind }) => kind === 'card_taken').length, 16 - done)
      const holders = await Promise.all(takers.map(({ memberId }) => find(memberId)))
      t.same(
        holders.filter((holder) => holder !== null && holder.loyaltyIds.length > 0).map((holder) => holder?.memberId),
        [(await ledger.members.lookUp(card))?.memberId],
        'never a card of two members',
      )
    }
  })
}

/** A calculation, and its sale, with bodies that name the loyalty id. */
async function calculated(ledger: Ledger, overrides: Partial<CalculationRecord>): Promise<CalculationRecord> {
  const { loyaltyId, memberId } = overrides
  const packed = brotliCompressSync(JSON.stringify({ loyaltyId }))
  const inputs = JSON.stringify({ member: memberId })
  const record = aRecord(ledger, { packed, inputs, ...overrides })
  await ledger.calculations.store([record])
  await ledger.sales.record(aSale(record), Buffer.from(JSON.stringify({ loyaltyId })))
  return record
}

async function forgettingPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const card = () => `card-${randomUUID()}`
  const store = (...members: readonly StoredMember[]) => ledger.members.store(aCommand(), members)

  /** The background's work once all calculations in flight have arrived. */
  async function finish(): Promise<void> {
    for (;;) {
      const erasure = await ledger.members.findErasure(0)
      if (erasure === null) return
      await ledger.members.finishErasure(erasure, [])
    }
  }

  async function assertGone(t: Test, ids: readonly string[]): Promise<void> {
    const dump = await dumpTables(database)
    t.ok(dump.length > 1_000, 'the dump holds something')
    for (const id of ids) t.notOk(dump.includes(id), `${id} is gone`)
  }

  await t.test('nothing in the ledger holds an id of a forgotten member, old loyalty ids included', async (t) => {
    const member = aMember({ loyaltyIds: [card(), card()] })
    const { memberId } = member
    const [first, moved] = member.loyaltyIds as [string, string]
    const [second, unknown] = [card(), card()]
    await store(member)
    await calculated(ledger, { loyaltyId: first, memberId })
    await calculated(ledger, { loyaltyId: moved, memberId })
    const other = aMember()
    await store({ ...other, loyaltyIds: [...other.loyaltyIds, moved] })
    await store(other, { ...member, loyaltyIds: [second] })
    await calculated(ledger, { loyaltyId: first, memberId: null, status: 'member_not_found' })
    await ledger.sales.record(aSale(aRecord(ledger, { loyaltyId: first })), Buffer.from(`{"loyaltyId":"${first}"}`))
    const holds = [{ limitId: `limit-${randomUUID()}`, subject: memberId, period: '', units: 1, maximum: 5 }]
    await ledger.calculations.confirm(aRecord(ledger, { memberId, loyaltyId: second, holds }), 10_000)
    await ledger.members.block(aCommand(), memberId, true)
    const ids = [memberId, first, moved, second]
    const before = await dumpTables(database)
    for (const id of ids) t.ok(before.includes(id), `${id} is there`)
    t.notOk(before.includes(unknown))

    const revision = (await ledger.changes.since(0)).revision
    const request = aCommand('MemberService/ForgetMember')
    const reply = await ledger.members.forget(request, memberId, [])
    t.match(reply, { kind: 'done', calculations: 4, counters: 1 })
    t.equal(reply.kind === 'done' && reply.recent.length, 4)
    t.same((await ledger.changes.since(revision)).changes, [{ kind: 'member', id: second }], 'caches are received')
    const under = aRecord(ledger, { loyaltyId: second, memberId })
    await ledger.calculations.store([under])
    await finish()
    await assertGone(t, ids)
    t.same((await ledger.changes.since(revision)).changes, [{ kind: 'member', id: '' }], 'later ones start anew')
    t.match(await ledger.members.forget(request, memberId, []), { kind: 'done', calculations: 4, recent: [] })
    t.match(await ledger.members.findById(other.memberId), other, 'who had one of its cards for a while stays')
    t.match(await ledger.members.findForgotten({ memberIds: [memberId, 'x'], loyaltyIds: [first, memberId] }), {
      memberIds: [memberId],
      loyaltyIds: [first],
    })
  })

  await t.test('a loyalty id that another member has now stays there', async (t) => {
    const moved = card()
    const [giver, taker] = [aMember({ loyaltyIds: [moved, card()] }), aMember({ loyaltyIds: [moved] })]
    await store(giver)
    const given = await calculated(ledger, { loyaltyId: moved, memberId: giver.memberId })
    await ledger.members.store(aCommand(), [taker], { moveCards: true })
    const taken = await calculated(ledger, { loyaltyId: moved, memberId: taker.memberId })
    t.match(await ledger.members.forget(aCommand(), giver.memberId, []), { calculations: 1 })
    await finish()
    t.equal((await ledger.members.lookUp(moved))?.memberId, taker.memberId)
    t.equal((await ledger.calculations.findAnswer(taken.calculationId)).kind, 'stored')
    t.equal((await ledger.calculations.findAnswer(given.calculationId)).kind, 'outlived')
    await assertGone(t, [giver.memberId, giver.loyaltyIds[1]!])
  })

  await t.test('an id that was never enrolled is forgotten, one that is enrolled stands for its member', async (t) => {
    const stranger = card()
    await calculated(ledger, { loyaltyId: stranger, memberId: null, status: 'member_not_found' })
    const command = aCommand('MemberService/ForgetMember')
    const reply = await ledger.members.forgetLoyaltyId(command, stranger, [])
    t.match(reply, { kind: 'done', calculations: 1, sales: 1 })
    t.match(await ledger.members.forgetLoyaltyId(command, stranger, []), { calculations: 1, sales: 1 }, 'a repeat')
    await finish()
    await assertGone(t, [stranger])
    const member = aMember()
    await store(member)
    t.match(await ledger.members.forgetLoyaltyId(aCommand(), member.loyaltyIds[0]!, []), { kind: 'done' })
    t.equal(await ledger.members.findById(member.memberId), null)
    await finish()
    await assertGone(t, [member.memberId, member.loyaltyIds[0]!])
  })

  await t.test(
    'a forgetting is complete when nothing of its own is left, however often the member comes back',
    async (t) => {
      const [member, first, second] = [aMember(), aCommand('a'), aCommand('b')]
      t.equal(await ledger.members.findForgetting(first.requestId), null)
      await store(member)
      await ledger.members.forget(first, member.memberId, [])
      const asked = await ledger.members.findForgetting(first.requestId)
      t.match(asked, { askedAt: Number, completedAt: null })
      await ledger.members.forget(first, member.memberId, [])
      t.same(await ledger.members.findForgetting(first.requestId), asked, 'a repeat asks for nothing new')
      const old = await ledger.members.findErasure(0)
      t.match(old, { requestId: first.requestId, memberId: member.memberId })

      await store(member)
      await ledger.members.forget(second, member.memberId, [])
      await Promise.all([ledger.members.finishErasure(old!, []), ledger.members.finishErasure(old!, [])])
      const done = await ledger.members.findForgetting(first.requestId)
      t.ok(done!.completedAt! >= asked!.askedAt)
      t.match(await ledger.members.findForgetting(second.requestId), { completedAt: null }, 'the second is its own')
      await finish()
      t.match(await ledger.members.findForgetting(second.requestId), { completedAt: Number })
      t.same(await ledger.members.findForgetting(first.requestId), done)
    },
  )

  await t.test('no programme brings a forgotten id back, an import does as a new member', async (t) => {
    const member = aMember()
    await publish(ledger, member)
    await ledger.members.forget(aCommand(), member.memberId, [])
    await publish(ledger, member, aMember({ loyaltyIds: member.loyaltyIds }))
    await publish(ledger, { ...member, loyaltyIds: [card()] })
    t.equal(await ledger.members.findById(member.memberId), null)
    t.equal(await ledger.members.lookUp(member.loyaltyIds[0]!), null)
    const other = aMember()
    await publish(ledger, { ...other, loyaltyIds: [...other.loyaltyIds, ...member.loyaltyIds] })
    t.same((await ledger.members.findById(other.memberId))?.loyaltyIds, other.loyaltyIds, 'nor under another name')
    const hidden = `forgotten-${randomUUID()}`
    await publish(ledger, aMember({ memberId: hidden, loyaltyIds: [hidden] }))
    t.equal(await ledger.members.findById(hidden), null, 'what stands for it in documents is nobody')
    const holder = aMember()
    await publish(ledger, { ...holder, loyaltyIds: [...holder.loyaltyIds, hidden] })
    t.same((await ledger.members.findById(holder.memberId))?.loyaltyIds, holder.loyaltyIds, 'and nobody has it')
    t.match(await store(member), { created: 1 })
    t.match(await ledger.members.findForgotten(namedBy(member)), { memberIds: [], loyaltyIds: [] })
    const holds = [{ limitId: `limit-${randomUUID()}`, subject: member.memberId, period: '', units: 1, maximum: 5 }]
    await ledger.calculations.confirm(aRecord(ledger, { memberId: member.memberId, holds }), 10_000)
    await finish()
    t.match(await ledger.counters.lookUp(holds), [{ open: 1 }], 'the new member keeps what it has used of a limit')
  })
}

function namedBy({ memberId, loyaltyIds }: StoredMember) {
  return { memberIds: [memberId], loyaltyIds }
}
