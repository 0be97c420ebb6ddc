import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { aBasket } from '../../e2e/basket.js'
import { nameOfToken, type Served, within2s } from './served.js'

const { getMember, upsertMembers, blockMember, forgetMember } = MemberService.method
const { listAuditRecords } = AuditService.method

/** The price of a coffee for this loyalty id, as a POS gets it. */
async function statusAtPos({ send }: Served, loyaltyId: string): Promise<string> {
  const basket = aBasket(loyaltyId).line({ productId: 'coffee', unitPrice: 450 })
  return (await send('/v1/pos/basket', basket.text())).json.status
}

/** MemberService. */
export function memberSuite(t: Test, served: () => Served): void {
  t.test('a member is stored, found by its id and by each loyalty id, and counts at the POS', async (t) => {
    const admin = served().admin(t)
    const memberId = `member-${randomUUID()}`
    const loyaltyIds = [`card-${randomUUID()}`, `phone-${randomUUID()}`].sort()
    t.equal(await statusAtPos(served(), loyaltyIds[0]!), 'member_not_found')
    const dates = { birthday: '02-29', joinedOn: '2024-02-29' }
    const member = { memberId, loyaltyIds, tier: 'gold', segments: ['early'], ...dates }
    const request = { requestId: randomUUID(), members: [member] }
    t.match(await admin.ask(upsertMembers, request), { created: 1, changed: 0, unchanged: 0 })
    const stored = { ...member, blocked: false }
    for (const by of [
      { case: 'memberId', value: memberId },
      { case: 'loyaltyId', value: loyaltyIds[1]! },
    ] as const)
      t.match((await served().reader(t).ask(getMember, { by })).member, stored)
    await within2s(t, async () => (await statusAtPos(served(), loyaltyIds[0]!)) === 'applied', 'it counts')

    t.match(await admin.ask(upsertMembers, request), { created: 1 }, 'a repeat gets the reply of the first')
    const again = { ...request, requestId: randomUUID() }
    t.match(await admin.ask(upsertMembers, again), { created: 0, changed: 0, unchanged: 1 })
    const other = { ...request, members: [{ ...member, tier: 'silver' }] }
    t.match(await admin.unary(upsertMembers, other), { code: 6, reason: 'REQUEST_ID_CONFLICT' })
    t.equal((await admin.ask(getMember, { by: { case: 'memberId', value: memberId } })).member?.tier, 'gold')
  })

  t.test('a blocked member stops counting within 2 s, stays blocked in an import, and can be unblocked', async (t) => {
    const admin = served().admin(t)
    const memberId = `member-${randomUUID()}`
    const card = `card-${randomUUID()}`
    const members = [{ memberId, loyaltyIds: [card] }]
    await admin.ask(upsertMembers, { requestId: randomUUID(), members })
    await within2s(t, async () => (await statusAtPos(served(), card)) === 'applied', 'it counts')
    const { member } = await admin.ask(blockMember, { requestId: randomUUID(), memberId })
    t.equal(member?.blocked, true)
    await within2s(t, async () => (await statusAtPos(served(), card)) === 'member_not_found', 'it is blocked')
    t.match(await admin.ask(upsertMembers, { requestId: randomUUID(), members }), { unchanged: 1 })
    t.match(await admin.ask(blockMember, { requestId: randomUUID(), memberId, unblock: true }), {
      member: { blocked: false },
    })
    await within2s(t, async () => (await statusAtPos(served(), card)) === 'applied', 'it is let in')
    const unknown = { requestId: randomUUID(), memberId: 'no-such-member' }
    t.match(await admin.unary(blockMember, unknown), { code: 5, reason: 'MEMBER_NOT_FOUND' })

    const { records } = await admin.ask(listAuditRecords, { subjectKind: 'member', subjectId: memberId })
    t.same(
      records.map(({ call, actor }) => `${call} ${actor}`),
      ['BlockMember', 'BlockMember', 'UpsertMembers'].map(
        (call) => `MemberService/${call} ${nameOfToken('admin', served().tokens.admin)}`,
      ),
    )
    t.match(JSON.parse(records[1]!.beforeJson), { profile: { blocked: false } })
    t.match(JSON.parse(records[1]!.afterJson), { profile: { blocked: true }, loyaltyIds: [card] })
    t.equal(records[2]!.beforeJson, '')
  })

  t.test('a faulty batch stores nothing and names every field', async (t) => {
    const admin = served().admin(t)
    const good = { memberId: `member-${randomUUID()}`, loyaltyIds: [`card-${randomUUID()}`] }
    const requestId = randomUUID()
    const members = [
      good,
      { memberId: '', loyaltyIds: [] },
      { ...good, loyaltyIds: ['a\u0001'], tier: 'x'.repeat(65), birthday: '02-30', joinedOn: '2025-02-29' },
    ]
    t.match(await admin.unary(upsertMembers, { requestId, members }), {
      code: 3,
      reason: 'INVALID_REQUEST',
      violations: [
        /^members\[1\]\.member_id: /,
        /^members\[2\]\.member_id: expected a memberId of its own/,
        /^members\[2\]\.loyalty_ids\[0\]: /,
        /^members\[2\]\.tier: /,
        /^members\[2\]\.birthday: /,
        /^members\[2\]\.joined_on: /,
      ],
    })
    const by = { case: 'memberId', value: good.memberId } as const
    t.match(await admin.unary(getMember, { by }), { code: 5 })
    t.match(await admin.ask(upsertMembers, { requestId, members: [good] }), { created: 1 })
    const many = Array.from({ length: 1_001 }, (_, at) => ({ memberId: `${at}`, loyaltyIds: [`${at}`] }))
    for (const [request, field] of [
      [{ requestId: 'x', members: [good] }, /^request_id: /],
      [{ requestId: randomUUID(), members: [] }, /^members: /],
      [{ requestId: randomUUID(), members: many }, /^members: /],
    ] as const)
      t.match(await admin.unary(upsertMembers, { ...request, members: [...request.members] }), { violations: [field] })
    t.match(await admin.unary(getMember, {}), { code: 3 })
  })

  importSuite(t, served)
}

/** UpsertMembers: fields it leaves, and owners of cards. */
function importSuite(t: Test, served: () => Served): void {
  t.test('a card of another member is refused by naming both, and moves where the call says so', async (t) => {
    const support = served().as(t, 'support')
    const [first, second] = [`member-${randomUUID()}`, `member-${randomUUID()}`]
    const card = `card-${randomUUID()}`
    const request = (memberId: string, ...loyaltyIds: string[]) => ({
      requestId: randomUUID(),
      members: [{ memberId, loyaltyIds }],
    })
    const cardsOf = async (memberId: string) =>
      (await support.ask(getMember, { by: { case: 'memberId', value: memberId } })).member?.loyaltyIds
    await support.ask(upsertMembers, request(first, card, `${card}-kept`))
    const taking = request(second, `${card}-own`, card)
    t.match(await support.unary(upsertMembers, taking), {
      code: 6,
      reason: 'CARD_TAKEN',
      metadata: { loyalty_id: card, member_id: first, cards: '1' },
      violations: [`members[0].loyalty_ids[1]: ${card} is a card of member ${first}; move_cards moves it`],
    })
    t.same(await cardsOf(first), [card, `${card}-kept`])

    const moving = { ...taking, moveCards: true }
    t.match(await support.ask(upsertMembers, { ...moving, dryRun: true }), {
      ...{ created: 1, movedCards: 1 },
      wouldMove: [{ row: 0, loyaltyId: card, fromMemberId: first }],
    })
    t.same(await cardsOf(first), [card, `${card}-kept`], 'a dry run stores nothing')
    t.match(await support.ask(upsertMembers, moving), { created: 1, movedCards: 1, wouldMove: [] })
    t.same(await cardsOf(first), [`${card}-kept`])
    t.same(await cardsOf(second), [card, `${card}-own`])

    const newest = async (subjectId: string) =>
      (await support.ask(listAuditRecords, { subjectKind: 'member', subjectId, pageSize: 1 })).records[0]
    const cards = [{ loyaltyId: card, fromMemberId: first, toMemberId: second }]
    t.match(await newest(first), {
      changes: [{ path: 'loyaltyIds', beforeJson: `["${card}","${card}-kept"]`, afterJson: `["${card}-kept"]` }],
      cards,
    })
    t.match(await newest(second), { changes: [{ path: 'loyaltyIds', beforeJson: '' }, {}, {}, {}], cards })
    await served().admin(t).ask(forgetMember, { requestId: randomUUID(), memberId: first })
    t.same((await newest(second))?.cards, [], 'it names no forgotten member')
  })

  t.test('what a row leaves out stays, and update_mask says what it clears', async (t) => {
    const admin = served().admin(t)
    const member = {
      ...{ memberId: `member-${randomUUID()}`, loyaltyIds: [`card-${randomUUID()}`], tier: 'gold', segments: ['a'] },
      ...{ birthday: '02-29', joinedOn: '2024-02-29' },
    }
    const { memberId, loyaltyIds } = member
    const upsert = (row: object, ...paths: string[]) =>
      admin.unary(upsertMembers, {
        requestId: randomUUID(),
        members: [{ memberId, ...row }],
        ...(paths.length > 0 && { updateMask: { paths } }),
      })
    const stored = async () => (await admin.ask(getMember, { by: { case: 'memberId', value: memberId } })).member
    await upsert({ ...member, blocked: true })
    t.match(await upsert({ loyaltyIds }), { message: { created: 0, changed: 0, unchanged: 1 } })
    t.match(await stored(), { ...member, blocked: true })
    await upsert({ tier: 'silver' }, 'tier', 'segments', 'birthday', 'blocked')
    t.match(await stored(), { loyaltyIds, tier: 'silver', segments: [], birthday: undefined, joinedOn: '2024-02-29' })
    t.equal((await stored())?.blocked, true, 'no mask ends a block')
    const { records } = await admin.ask(listAuditRecords, { subjectKind: 'member', subjectId: memberId, pageSize: 1 })
    t.match(records[0]?.changes, [
      { path: 'tier', beforeJson: '"gold"', afterJson: '"silver"' },
      { path: 'segments', beforeJson: '["a"]', afterJson: '[]' },
      { path: 'birthday', beforeJson: '"02-29"', afterJson: '' },
    ])
    await upsert({}, 'tier')
    t.equal((await stored())?.tier, undefined)
    for (const [row, path, violation] of [
      [{}, 'loyalty_ids', /^members\[0\]\.loyalty_ids: expected a list with at least one entry/],
      [{ tier: 'gold' }, 'segments', /^members\[0\]\.tier: expected nothing that update_mask leaves out/],
      [
        {},
        'member_id',
        /^update_mask\.paths\[0\]: expected one of loyalty_ids, tier, segments, blocked, birthday, joined_on/,
      ],
      [{ memberId: `new-${memberId}` }, 'tier', /^members\[0\]\.loyalty_ids: expected .* for the member is new/],
    ] as const)
      t.match(await upsert(row, path), { reason: 'INVALID_REQUEST', violations: [violation] })
    const { service, tokens } = served()
    const json = await fetch(new URL('/loyalty.v1.MemberService/UpsertMembers', service.internalUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.admin}` },
      body: JSON.stringify({ requestId: randomUUID(), members: [{ memberId }], updateMask: 'joinedOn' }),
    })
    t.match(await json.json(), { changed: 1 })
    t.equal((await stored())?.joinedOn, undefined, 'as JSON has it')
  })
}
