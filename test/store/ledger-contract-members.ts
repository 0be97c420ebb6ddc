import { randomUUID } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { Test } from 'tap'
import type { CalculationRecord, Ledger, Order, StoredMember } from '../../store/index.js'
import { prepareProgramme } from '../../store/postgres/programmes/programmes.js'
import { aMember, aRecord, aSale, digestOf } from './ledger-builders.js'
import type { Subject } from './ledger-contract.js'
import { dumpTables } from './legible.js'

const anOrder = (call = 'MemberService/UpsertMembers'): Order => ({
  requestId: randomUUID(),
  digest: digestOf('x'),
  call,
  actor: 'test',
})

/** Publishes members in a new document. */
async function publish(ledger: Ledger, ...members: readonly StoredMember[]): Promise<void> {
  const document = `{"once":"${randomUUID()}"}`
  await ledger.publishProgramme({ document, benefits: '[]', venues: [], members })
}

/** How programmes and imports change members. */
export async function memberPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger } = subject
  const { administration } = ledger
  const store = (...members: readonly StoredMember[]) => administration.storeMembers(anOrder(), members)
  const found = (member: StoredMember) => administration.findMemberById(member.memberId)

  await t.test('a programme neither blocks nor unblocks an enrolled member, and its own tier follows it', async (t) => {
    const member = aMember({ tier: 'silver' })
    await publish(ledger, member)
    await administration.blockMember(anOrder(), member.memberId, true)
    await publish(ledger, { ...member, tier: 'gold' })
    t.match(await found(member), { tier: 'gold', blocked: true }, 'blocked it stays')
    await administration.blockMember(anOrder(), member.memberId, false)
    await publish(ledger, { ...member, tier: 'bronze', blocked: true })
    t.match(await found(member), { tier: 'bronze', blocked: false }, 'let in it stays')
    const stranger = aMember({ blocked: true })
    await publish(ledger, stranger)
    t.match(await found(stranger), { blocked: true }, 'an unknown one is enrolled as it is named')
  })

  await t.test('tier, segments and loyalty ids imported since stay', async (t) => {
    const member = aMember({ tier: 'silver', segments: ['a'] })
    await publish(ledger, member)
    const imported = { ...member, tier: 'gold', segments: ['b'], loyaltyIds: [`card-${randomUUID()}`] }
    await store(imported)
    await publish(ledger, { ...member, tier: 'bronze', segments: ['c'] })
    t.same(await found(member), imported)
    t.equal(await ledger.findMember(member.loyaltyIds[0]!), null, 'a card that was replaced is not brought back')
    const first = aMember({ tier: 'silver' })
    await store(first)
    await publish(ledger, { ...first, tier: null })
    t.same(await found(first), first, 'one that no programme enrolled is never changed')
  })

  await t.test('an imported loyalty id is never moved, one that a programme gave moves', async (t) => {
    const [imported, published] = [
      aMember(),
      aMember({ loyaltyIds: [`a-${randomUUID()}`, `b-${randomUUID()}`].sort() }),
    ]
    await store(imported)
    await publish(ledger, published)
    const own = `card-${randomUUID()}`
    const taker = aMember({ loyaltyIds: [imported.loyaltyIds[0]!, published.loyaltyIds[0]!, own].sort() })
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
    const version = async () => (await ledger.newestProgramme())!.version
    const programme = (tier: string) =>
      prepareProgramme({
        document: `{"tier":"${tier}","${randomUUID()}":1}`,
        benefits: `["${randomUUID()}"]`,
        venues: [],
        members: [{ ...member, tier }],
      })
    const order = () => anOrder('ProgrammeService/PublishProgramme')
    await administration.publish(order(), programme('silver'), await version())
    const first = await version()
    await administration.blockMember(anOrder(), member.memberId, true)
    await administration.publish(order(), programme('gold'), await version())
    t.match(await found(member), { tier: 'gold', blocked: true })
    await store({ ...member, tier: 'imported' })
    await administration.publish(order(), programme('bronze'), await version())
    t.match(await administration.rollBack(order(), first, await version()), { published: true })
    t.match(await found(member), { tier: 'imported' })
  })

  await forgettingPromises(t, subject)
}

/** A calculation, and its sale, with bodies that name the loyalty id. */
async function calculated(ledger: Ledger, overrides: Partial<CalculationRecord>): Promise<CalculationRecord> {
  const { loyaltyId, memberId } = overrides
  const packed = Buffer.concat([Buffer.from([1]), deflateRawSync(JSON.stringify({ loyaltyId }))])
  const inputs = JSON.stringify({ member: memberId })
  const record = aRecord(ledger, { packed, inputs, ...overrides })
  await ledger.keepCalculations([record])
  await ledger.recordSale(aSale(record), Buffer.from(JSON.stringify({ loyaltyId })))
  return record
}

/** A forgotten id is found nowhere. */
async function forgettingPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const { administration } = ledger
  const card = () => `card-${randomUUID()}`
  const store = (...members: readonly StoredMember[]) => administration.storeMembers(anOrder(), members)

  /** What the background does once nothing is pending any more. */
  async function finish(): Promise<void> {
    for (;;) {
      const erasure = await administration.findErasure(0)
      if (erasure === null) return
      await administration.finishErasure(erasure.memberId, [])
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
    await ledger.recordSale(aSale(aRecord(ledger, { loyaltyId: first })), Buffer.from(`{"loyaltyId":"${first}"}`))
    const holds = [{ limitId: `limit-${randomUUID()}`, subject: memberId, period: '', units: 1, maximum: 5 }]
    await ledger.confirm(aRecord(ledger, { memberId, loyaltyId: second, holds }), 10_000)
    await administration.blockMember(anOrder(), memberId, true)
    const ids = [memberId, first, moved, second]
    const before = await dumpTables(database)
    for (const id of ids) t.ok(before.includes(id), `${id} is there`)
    t.notOk(before.includes(unknown))

    const revision = (await ledger.findChanges(0)).revision
    const request = anOrder('MemberService/ForgetMember')
    const reply = await administration.forgetMember(request, memberId, [])
    t.match(reply, { kind: 'done', calculations: 4, counters: 1 })
    t.equal(reply.kind === 'done' && reply.recent.length, 4)
    t.same((await ledger.findChanges(revision)).changes, [{ kind: 'member', id: second }], 'caches are notified')
    const under = aRecord(ledger, { loyaltyId: second, memberId })
    await ledger.keepCalculations([under])
    await finish()
    await assertGone(t, ids)
    t.same((await ledger.findChanges(revision)).changes, [{ kind: 'member', id: '' }], 'later ones start anew')
    t.match(await administration.forgetMember(request, memberId, []), { kind: 'done', calculations: 4, recent: [] })
    t.match(await administration.findMemberById(other.memberId), other, 'who had one of its cards for a while stays')
    t.match(await administration.findForgotten({ memberIds: [memberId, 'x'], loyaltyIds: [first, memberId] }), {
      memberIds: [memberId],
      loyaltyIds: [first],
    })
  })

  await t.test('a loyalty id that belongs to another member now stays there', async (t) => {
    const moved = card()
    const [giver, taker] = [aMember({ loyaltyIds: [moved, card()] }), aMember({ loyaltyIds: [moved] })]
    await store(giver)
    const given = await calculated(ledger, { loyaltyId: moved, memberId: giver.memberId })
    await store(taker)
    const taken = await calculated(ledger, { loyaltyId: moved, memberId: taker.memberId })
    t.match(await administration.forgetMember(anOrder(), giver.memberId, []), { calculations: 1 })
    await finish()
    t.equal((await ledger.findMember(moved))?.memberId, taker.memberId)
    t.equal((await ledger.findAnswer(taken.calculationId)).kind, 'stored')
    t.equal((await ledger.findAnswer(given.calculationId)).kind, 'outlived')
    await assertGone(t, [giver.memberId, giver.loyaltyIds[1]!])
  })

  await t.test('forgetting works by an unknown id too, and an enrolled id stands for its member', async (t) => {
    const stranger = card()
    await calculated(ledger, { loyaltyId: stranger, memberId: null, status: 'member_not_found' })
    const order = anOrder('MemberService/ForgetMember')
    const reply = await administration.forgetLoyaltyId(order, stranger, [])
    t.match(reply, { kind: 'done', calculations: 1, sales: 1 })
    t.match(await administration.forgetLoyaltyId(order, stranger, []), { calculations: 1, sales: 1 }, 'a repeat')
    await finish()
    await assertGone(t, [stranger])
    const member = aMember()
    await store(member)
    t.match(await administration.forgetLoyaltyId(anOrder(), member.loyaltyIds[0]!, []), { kind: 'done' })
    t.equal(await administration.findMemberById(member.memberId), null)
    await finish()
    await assertGone(t, [member.memberId, member.loyaltyIds[0]!])
  })

  await t.test('no programme restores a forgotten id, an import does so as a new member', async (t) => {
    const member = aMember()
    await publish(ledger, member)
    await administration.forgetMember(anOrder(), member.memberId, [])
    await publish(ledger, member, aMember({ loyaltyIds: member.loyaltyIds }))
    await publish(ledger, { ...member, loyaltyIds: [card()] })
    t.equal(await administration.findMemberById(member.memberId), null)
    t.equal(await ledger.findMember(member.loyaltyIds[0]!), null)
    const other = aMember()
    await publish(ledger, { ...other, loyaltyIds: [...other.loyaltyIds, ...member.loyaltyIds] })
    t.same(
      (await administration.findMemberById(other.memberId))?.loyaltyIds,
      other.loyaltyIds,
      'nor under another name',
    )
    const hidden = `forgotten-${randomUUID()}`
    await publish(ledger, aMember({ memberId: hidden, loyaltyIds: [hidden] }))
    t.equal(await administration.findMemberById(hidden), null, 'what stands for it in documents is nobody')
    t.match(await store(member), { created: 1 })
    t.match(await administration.findForgotten(namedBy(member)), { memberIds: [], loyaltyIds: [] })
    const holds = [{ limitId: `limit-${randomUUID()}`, subject: member.memberId, period: '', units: 1, maximum: 5 }]
    await ledger.confirm(aRecord(ledger, { memberId: member.memberId, holds }), 10_000)
    await finish()
    t.match(await ledger.findCounters(holds), [{ open: 1 }], 'the new member keeps what it has used of a limit')
  })
}

function namedBy({ memberId, loyaltyIds }: StoredMember) {
  return { memberIds: [memberId], loyaltyIds }
}
