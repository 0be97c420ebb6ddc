import { randomUUID } from 'node:crypto'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { Discrepancy } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { RewardService } from '../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { aBasket, aSale, type BasketBody } from '../../e2e/basket.js'
import { aDocument, publish, untilInForce } from './calculation-suite.js'
import type { GrpcClient } from './grpc-client.js'
import { type Served, within2s } from './served.js'

const { mergeMembers, claimSale, moveSale, getMember, upsertMembers, blockMember } = MemberService.method
const { getBalances, listMovements, adjustValue } = ValueService.method
const { getSale, listDiscrepancies } = SaleService.method
const { listRewards } = RewardService.method
const { recordReturn } = ReturnService.method

const byId = (value: string) => ({ by: { case: 'memberId', value } }) as const
const byCard = (value: string) => ({ by: { case: 'loyaltyId', value } }) as const

/** A programme in which a coffee gives a stamp, ten kroner a point, and ten stamps buy a tea. */
const programme = aDocument((document) => {
  document['currencies'] = [
    { currencyId: 'merge-stamp', name: 'Stamps' },
    { currencyId: 'merge-point', name: 'Points' },
  ]
  document['exchanges'] = []
  document['earning'] = [
    {
      ruleId: 'merge-stamps',
      currencyId: 'merge-stamp',
      give: 1,
      per: { units: 2 },
      select: { productIds: ['coffee'] },
    },
    { ruleId: 'merge-points', currencyId: 'merge-point', give: 1, per: { amount: 1_000 } },
  ]
  const tea = { benefitId: 'merge-tea', text: 'A tea for 10 stamps', audience: { segments: ['merged'] } }
  const reward = { kind: 'line_percentage', percentage: 100, select: { productIds: ['merge-tea'] } }
  const costs = { currencyId: 'merge-stamp', amount: 10, per: 'unit', worth: 5 }
  document['benefits'] = [...document['benefits'], { ...tea, reward, costs }]
})

async function enrol(admin: GrpcClient, segments: readonly string[] = []) {
  const [memberId, card] = [`member-${randomUUID()}`, `card-${randomUUID()}`]
  const members = [{ memberId, loyaltyIds: [card], segments: [...segments] }]
  await admin.ask(upsertMembers, { requestId: randomUUID(), members })
  return { memberId, card }
}

/** Baskets and sales on one service. */
function aSalesTable(t: Test, served: () => Served) {
  const post = async (path: string, body: BasketBody) => {
    const answer = await served().send(path, JSON.stringify(body))
    t.equal(answer.status, 200, answer.text)
    return answer.json
  }
  const coffees = (card: string, quantity: number) =>
    aBasket(card).line({ productId: 'coffee', quantity, unitPrice: 400 }).body()

  async function sell(basket: BasketBody, members: Record<string, unknown> = {}) {
    const { status } = await post('/v1/pos/basket', basket)
    await post('/v1/pos/sale', aSale(basket, { status, ...members }))
  }

  const accountsOf = async (admin: GrpcClient, memberId: string) => {
    const { accounts } = await admin.ask(getBalances, { member: byId(memberId) })
    return Object.fromEntries(accounts.map(({ currencyId, available }) => [currencyId, available]))
  }

  return { post, coffees, sell, accountsOf }
}

/** MergeMembers, ClaimSale and ListRewards. */
export function mergingSuite(t: Test, served: () => Served): void {
  const { post, coffees, sell, accountsOf } = aSalesTable(t, served)

  t.test('merged members have one account, which their cards find; the old id is gone', async (t) => {
    const admin = served().admin(t)
    await untilInForce(admin, await publish(admin, programme))
    const [from, into] = [await enrol(admin), await enrol(admin)]
    await sell(coffees(from.card, 3))
    await sell(coffees(into.card, 1))
    const open = coffees(from.card, 2)
    await post('/v1/pos/basket', open)
    const request = { requestId: randomUUID(), from: byCard(from.card), into: byId(into.memberId) }
    const moved = [
      { currencyId: 'merge-point', amount: 1n, debt: 0n, paid: 0n, completed: 0n },
      { currencyId: 'merge-stamp', amount: 1n, debt: 0n, paid: 0n, completed: 1n },
    ]
    const quoted = await admin.ask(mergeMembers, { ...request, dryRun: true })
    t.match(quoted, { accounts: moved, loyaltyIds: 1, visits: 1n })
    t.equal(quoted.givenTier, undefined)
    t.match(await admin.unary(getMember, { by: { case: 'memberId', value: from.memberId } }), { kind: 'answered' })
    t.match(await admin.ask(mergeMembers, request), { accounts: moved, loyaltyIds: 1, visits: 1n })
    t.match(await admin.ask(mergeMembers, request), { accounts: moved, loyaltyIds: 1 }, 'a repeat answers the same')
    t.same(await accountsOf(admin, into.memberId), { 'merge-point': 1n, 'merge-stamp': 2n })

    const gone = await admin.unary(getMember, { by: { case: 'memberId', value: from.memberId } })
    t.match(gone, { code: 5, reason: 'MEMBER_NOT_FOUND', metadata: { merged_into: into.memberId } })
    const { member } = await admin.ask(getMember, { by: { case: 'loyaltyId', value: from.card } })
    t.match(member, { memberId: into.memberId, loyaltyIds: [from.card, into.card].sort() })
    const { movements } = await admin.ask(listMovements, { member: byId(from.memberId) })
    t.match(movements[0], { kind: 'merged', amount: -1n, reason: from.memberId })
    const { records } = await admin.ask(AuditService.method.listAuditRecords, {
      subjectKind: 'member',
      subjectId: from.memberId,
    })
    t.match(records[0], { call: 'MemberService/MergeMembers', requestId: request.requestId })

    await post('/v1/pos/sale', aSale(open))
    t.same(await accountsOf(admin, into.memberId), { 'merge-point': 2n, 'merge-stamp': 3n }, 'what was open')
    await sell(coffees(from.card, 2))
    t.same((await accountsOf(admin, into.memberId))['merge-stamp'], 4n, 'the old card')
  })

  t.test('a merge that makes no sense is refused, and readers may not merge', async (t) => {
    const admin = served().admin(t)
    const [from, into] = [await enrol(admin), await enrol(admin)]
    const merge = (members: object) => admin.unary(mergeMembers, { requestId: randomUUID(), ...members })
    const [one, other] = [byId(from.memberId), byId(into.memberId)]
    t.match(await merge({ from: one, into: byCard(from.card) }), { code: 3, violations: [/^into: expected another/] })
    t.match(await merge({ from: one }), { code: 3, violations: [/^into: expected a member_id/] })
    const unknown = { code: 5, reason: 'MEMBER_NOT_FOUND' }
    t.match(await merge({ from: byId('nobody'), into: other }), { ...unknown, violations: [/^from: /] })
    t.match(await merge({ from: one, into: byCard('nobody') }), { ...unknown, violations: [/^into: /] })
    for (const { memberId } of [from, into]) {
      const gift = { requestId: randomUUID(), currencyId: 'merge-stamp', amount: 2n ** 53n - 1n, reason: 'x' }
      await admin.ask(adjustValue, { ...gift, member: byId(memberId) })
    }
    t.match(await merge({ from: one, into: other }), { code: 11, reason: 'OUT_OF_RANGE', violations: [/merge-stamp/] })
    const request = { requestId: randomUUID(), from: one, into: other }
    t.match(await served().reader(t).unary(mergeMembers, request), { code: 7 })
  })

  claimSuite(t, served)

  t.test(
    'the rewards of a member at a venue say what they cost, how often they can be paid and what is missing',
    async (t) => {
      const admin = served().admin(t)
      const { memberId } = await enrol(admin, ['merged'])
      const ask = async (venueId = 'venue-1', id = memberId) => {
        const { rewards } = await served()
          .reader(t)
          .ask(listRewards, { member: byId(id), venueId })
        return rewards.filter(({ benefitId }) => benefitId === 'merge-tea')
      }
      const tea = { text: 'A tea for 10 stamps', currencyId: 'merge-stamp', amount: 10n, per: 'unit', worth: 5n }
      t.match(await ask(), [{ ...tea, times: 0n, missing: 10n }])
      const gift = { requestId: randomUUID(), currencyId: 'merge-stamp', reason: 'x' }
      await admin.ask(adjustValue, { ...gift, member: byId(memberId), amount: 27n })
      t.match(await ask(), [{ ...tea, times: 2n, missing: 0n }])
      t.same(await ask('venue-1', (await enrol(admin)).memberId), [], 'not of this audience')
      const reader = served().reader(t)
      const nowhere = await reader.unary(listRewards, { member: byId(memberId), venueId: 'nowhere' })
      t.match(nowhere, { code: 5, reason: 'VENUE_NOT_FOUND' })
      await admin.ask(blockMember, { requestId: randomUUID(), memberId })
      const blocked = await reader.unary(listRewards, { member: byId(memberId), venueId: 'venue-1' })
      t.match(blocked, { code: 9, reason: 'MEMBER_BLOCKED' })
    },
  )
}

/** ClaimSale, with the programme in force. */
function claimSuite(t: Test, served: () => Served): void {
  const { post, coffees, sell, accountsOf } = aSalesTable(t, served)

  t.test('a sale at which no member was found is claimed once, by the basket as it was charged', async (t) => {
    const admin = served().admin(t)
    const { memberId } = await enrol(admin)
    const member = byId(memberId)
    const basket = coffees(`card-${randomUUID()}`, 5)
    const calculationId = String(basket['calculationId'])
    await sell(basket, { paidTotal: 1_500 })
    const claim = (more: object = {}) =>
      admin.unary(claimSale, { requestId: randomUUID(), member, calculationId, ...more })
    t.match(await claim({ calculationId: randomUUID() }), { code: 5, reason: 'SALE_NOT_FOUND' })
    const request = { requestId: randomUUID(), member, calculationId }
    const given = [
      { currencyId: 'merge-point', amount: 1n },
      { currencyId: 'merge-stamp', amount: 2n },
    ]
    t.match(await admin.ask(claimSale, { ...request, dryRun: true }), { given }, 'what it would give')
    t.same(await accountsOf(admin, memberId), {}, 'nothing yet')
    t.match(await admin.ask(claimSale, request), { given }, 'of 20.00 only 15.00 were paid')
    t.match(await admin.ask(claimSale, request), { given }, 'a repeat answers the same')
    t.match(await claim(), { code: 6, reason: 'ALREADY_CLAIMED' })
    t.match(await claim({ dryRun: true }), { code: 6, reason: 'ALREADY_CLAIMED' })
    t.ok((await admin.ask(getSale, { calculationId })).sale?.claimedAt)
    t.same(await accountsOf(admin, memberId), { 'merge-point': 1n, 'merge-stamp': 2n })
    const blocked = await enrol(admin)
    await admin.ask(blockMember, { requestId: randomUUID(), memberId: blocked.memberId })
    t.match(await claim({ member: byId(blocked.memberId) }), { code: 9, reason: 'MEMBER_BLOCKED' })
    const own = coffees((await enrol(admin)).card, 1)
    await sell(own)
    t.match(await claim({ calculationId: String(own['calculationId']) }), { code: 9, reason: 'SALE_HAS_MEMBER' })
    t.match(await served().reader(t).unary(claimSale, request), { code: 7 })
  })

  t.test('a sale of the wrong member moves to the right one, once, less what was returned', async (t) => {
    const admin = served().admin(t)
    const [wrong, right] = [await enrol(admin), await enrol(admin)]
    const basket = coffees(wrong.card, 6)
    const calculationId = String(basket['calculationId'])
    await sell(basket)
    const lines = [{ lineId: 'line-1', quantityThousandths: 2_000n }]
    const returned = { calculationId, lines, reference: 'note-1', occurredAt: timestampFromMs(Date.now()) }
    await admin.ask(recordReturn, { requestId: randomUUID(), ...returned })
    t.same(await accountsOf(admin, wrong.memberId), { 'merge-point': 1n, 'merge-stamp': 2n })
    const request = { requestId: randomUUID(), to: byCard(right.card), calculationId }
    const moved = (currencyId: string, amount: bigint) => ({ currencyId, amount, debt: 0n, forgiven: 0n })
    const want = {
      takenBack: [moved('merge-point', 1n), moved('merge-stamp', 2n)],
      givenBack: [],
      given: [
        { currencyId: 'merge-point', amount: 1n },
        { currencyId: 'merge-stamp', amount: 2n },
      ],
    }
    t.match(await admin.ask(moveSale, { ...request, dryRun: true }), want, 'what it would move')
    t.same(await accountsOf(admin, right.memberId), {}, 'nothing yet')
    t.match(await admin.ask(moveSale, request), want)
    t.match(await admin.ask(moveSale, request), want, 'a repeat answers the same')
    t.same(await accountsOf(admin, wrong.memberId), { 'merge-point': 0n, 'merge-stamp': 0n })
    t.same(await accountsOf(admin, right.memberId), { 'merge-point': 1n, 'merge-stamp': 2n })
    const parts: string[] = []
    for await (const { json } of admin.stream(MemberService.method.exportMember, { member: byId(right.memberId) }))
      parts.push(json)
    t.match(parts.join(''), calculationId, 'the sale is in the export of the right one')
    const { returnBaskets } = JSON.parse(parts.join(''))
    t.same(Object.keys(returnBaskets[0]), ['calculationId', 'requestJson', 'answerJson'])
    t.notMatch(parts.join(''), wrong.card, 'without the card of the wrong one')
    const move = (more: object) => admin.unary(moveSale, { ...request, requestId: randomUUID(), ...more })
    t.match(await move({}), { code: 6, reason: 'ALREADY_CLAIMED' })
    t.match(await move({ calculationId: randomUUID() }), { code: 5, reason: 'SALE_NOT_FOUND' })
    t.match(await move({ to: byId('nobody') }), { code: 5, reason: 'MEMBER_NOT_FOUND' })
    t.match(await move({ to: undefined }), { code: 3, reason: 'INVALID_REQUEST' })
    const nobodys = coffees(`card-${randomUUID()}`, 1)
    await sell(nobodys)
    const unclaimed = { calculationId: String(nobodys['calculationId']) }
    t.match(await move(unclaimed), { code: 9, reason: 'SALE_HAS_NO_MEMBER' })
    t.match(await served().reader(t).unary(moveSale, request), { code: 7 })
  })

  t.test('what a failed sale has left is listed, and claimed once its basket has come', async (t) => {
    const admin = served().admin(t)
    const { memberId, card } = await enrol(admin)
    const basket = coffees(card, 4)
    const calculationId = String(basket['calculationId'])
    const failed = aSale(basket, { status: 'failed', failureReason: 'timeout', paidTotal: 1_600 })
    await post('/v1/pos/sale', failed)
    t.same(await accountsOf(admin, memberId), { 'merge-point': 1n })
    const request = { requestId: randomUUID(), member: byId(memberId), calculationId }
    t.match(await admin.unary(claimSale, request), { code: 5, reason: 'CALCULATION_NOT_FOUND' })
    const listed = async () => {
      const { sales } = await admin.ask(listDiscrepancies, { discrepancy: Discrepancy.EARNING_UNKNOWN })
      return sales.some((sale) => sale.calculationId === calculationId)
    }
    t.ok(await listed())
    await post('/v1/pos/basket', basket)
    await within2s(
      t,
      async () => (await admin.unary(claimSale, request)).kind === 'answered',
      'its basket is in the ledger and the rest is given',
    )
    t.same(await accountsOf(admin, memberId), { 'merge-point': 1n, 'merge-stamp': 2n })
    t.notOk(await listed(), 'support is done with it')
  })
}
