import { randomUUID } from 'node:crypto'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { RewardService } from '../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import type { GrpcClient } from './grpc-client.js'
import { nameOfToken, type Served } from './served.js'

const { issueVouchers, importCodes, claimCode, voidCode, activateReward, cancelActivation } = RewardService.method
const { getBalances, listMovements } = ValueService.method
const most = 2n ** 53n - 1n

/** A member of this suite alone. */
async function enrol(admin: GrpcClient, segments: readonly string[] = []) {
  const [memberId, card] = [`member-${randomUUID()}`, `card-${randomUUID()}`]
  const members = [{ memberId, loyaltyIds: [card], segments: [...segments] }]
  await admin.ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
  return { by: { case: 'memberId', value: memberId } } as const
}

const aCode = () => `code-${randomUUID()}`
const worth = () => ({ requestId: randomUUID(), currencyId: 'stamps', amount: 5n })

/** RewardService. */
export function rewardSuite(t: Test, served: () => Served): void {
  t.test('vouchers are issued to members and to a segment, and a repeat issues nothing', async (t) => {
    const admin = served().admin(t)
    const segment = `segment-${randomUUID()}`
    const [one, other] = [await enrol(admin), await enrol(admin, [segment])]
    const expiresAt = timestampFromMs(Date.now() + 86_400_000)
    const request = { ...worth(), members: [one, other], expiresAt }
    for (const times of [1, 2])
      t.match(await admin.ask(issueVouchers, request), { members: 2, nextAfterMemberId: '' }, String(times))
    t.match(await admin.ask(issueVouchers, { ...worth(), segment }), { members: 1, nextAfterMemberId: '' })
    t.match(await admin.ask(issueVouchers, { ...worth(), segment, afterMemberId: other.by.value }), { members: 0 })
    t.match(await admin.ask(getBalances, { member: one }), { accounts: [{ available: 5n, lots: [{ expiresAt }] }] })
    t.match(await admin.ask(getBalances, { member: other }), { accounts: [{ available: 10n }] })
    const [grant, named] = [`grant-${randomUUID()}`, segment]
    for (const members of [1, 0]) t.match(await admin.ask(issueVouchers, { ...worth(), segment, grant }), { members })
    const { segments } = await served().as(t, 'marketing').ask(RewardService.method.listSegments, { grant })
    const counted = segments.find(({ segmentId }) => segmentId === named)
    t.match(counted, { members: 1n, granted: 1n })
    t.match(await admin.ask(getBalances, { member: other }), { accounts: [{ available: 15n }] })
    const actor = nameOfToken('admin', served().tokens.admin)
    const { movements } = await admin.ask(listMovements, { member: one })
    t.match(movements, [{ kind: 'issued', amount: 5n, cause: `request:${request.requestId}`, actor }])
    const another = await admin.unary(issueVouchers, { ...request, amount: 6n })
    t.match(another, { code: 6, reason: 'REQUEST_ID_CONFLICT' })
  })

  t.test('the eleventh wrong code of an hour is refused, and so is a right one then', async (t) => {
    const admin = served().admin(t)
    const [member, code] = [await enrol(admin), aCode()]
    await admin.ask(importCodes, { ...worth(), codes: [code] })
    const claim = (code: string) => admin.unary(claimCode, { requestId: randomUUID(), member, code })
    for (let times = 1; times <= 10; times += 1)
      t.match(await claim(aCode()), { code: 5, reason: 'CODE_NOT_FOUND', violations: [/^code: no such code/] })
    for (const each of [aCode(), code]) t.match(await claim(each), { code: 8, reason: 'TOO_MANY_WRONG_CODES' })
    t.match(await admin.ask(getBalances, { member }), { accounts: [] })
    const other = await enrol(admin)
    t.match(await admin.unary(claimCode, { requestId: randomUUID(), member: other, code }), { kind: 'answered' })
  })

  t.test('a void code is refused, a claimed one cannot be ended, and the change is audited', async (t) => {
    const admin = served().admin(t)
    const [member, ended, claimed] = [await enrol(admin), aCode(), aCode()]
    await admin.ask(importCodes, { ...worth(), codes: [ended, claimed] })
    await admin.ask(voidCode, { requestId: randomUUID(), code: ended })
    const claim = (code: string) => admin.unary(claimCode, { requestId: randomUUID(), member, code })
    t.match(await claim(ended), { code: 9, reason: 'CODE_NOT_OPEN', metadata: { state: 'void' } })
    t.match(await claim(claimed), { kind: 'answered' })
    const end = (code: string) => admin.unary(voidCode, { requestId: randomUUID(), code })
    t.match(await end(claimed), { code: 9, reason: 'CODE_NOT_OPEN', metadata: { state: 'claimed' } })
    t.match(await end(aCode()), { code: 5, reason: 'CODE_NOT_FOUND' })
    const subject = { subjectKind: 'codes', subjectId: 'stamps' }
    const { records } = await admin.ask(AuditService.method.listAuditRecords, subject)
    t.match(
      records.slice(0, 2).map(({ call }) => call),
      ['RewardService/VoidCode', 'RewardService/ImportCodes'],
    )
    t.match(JSON.parse(records[1]!.afterJson), { codes: 2, amount: 5 })
  })

  wrongFieldSuite(t, served)
  exchangeSuite(t, served)
}

function wrongFieldSuite(t: Test, served: () => Served): void {
  t.test('each wrong field is named, with what was expected and received', async (t) => {
    const admin = served().admin(t)
    const member = await enrol(admin)
    const past = timestampFromMs(Date.now() - 60_000)
    const unknown = { by: { case: 'memberId', value: 'unknown' } } as const
    const byCard = { by: { case: 'loyaltyId', value: member.by.value.replace('member', 'card') } } as const
    const issues: readonly (readonly [object, number, RegExp])[] = [
      [{ requestId: 'x' }, 3, /^request_id: /],
      [{ currencyId: '' }, 3, /^currency_id: /],
      [
        { currencyId: 'no-such' },
        5,
        /^currency_id: expected a currency that a programme has named; received "no-such"/,
      ],
      [{ amount: 0n }, 3, /^amount: expected 1 to 9007199254740991; received "0"/],
      [{ amount: most + 1n }, 3, /^amount: /],
      [{ expiresAt: past }, 3, /^expires_at: expected a moment to come/],
      [{ members: [] }, 3, /^members: expected either members or a segment; received nothing/],
      [{ segment: 'students' }, 3, /^members: expected either members or a segment; received "both"/],
      [{ members: Array(1_001).fill(member) }, 3, /^members: expected at most 1000; received "1001"/],
      [{ members: [member, {}] }, 3, /^members\[1\]: expected a member_id or a loyalty_id/],
      [{ members: [member, unknown] }, 5, /^members\[1\]: no such member/],
      [{ members: [member, byCard] }, 5, /^members\[1\]: no such member/],
      [{ members: [member, member] }, 3, /^members\[1\]: expected another member/],
      [{ members: [], segment: 'a\n' }, 3, /^segment: /],
      [{ afterMemberId: 'a' }, 3, /^after_member_id: expected nothing without a segment; received "a"/],
      [{ grant: 'autumn' }, 3, /^grant: expected nothing without a segment; received "autumn"/],
    ]
    for (const [more, code, violation] of issues) {
      const outcome = await admin.unary(issueVouchers, { ...worth(), members: [member], ...more })
      t.match(outcome, { code, violations: [violation] }, String(violation))
    }
    const code = aCode()
    await admin.ask(importCodes, { ...worth(), codes: [code] })
    const imports: readonly (readonly [object, number, RegExp])[] = [
      [{ codes: [] }, 3, /^codes: expected 1 to 1000 codes; received "0"/],
      [{ codes: Array.from({ length: 1_001 }, aCode) }, 3, /^codes: .*"1001"/],
      [{ codes: [aCode(), 'short'] }, 3, /^codes\[1\]: expected 6 to 64 characters .* received "5 characters"/],
      [{ codes: [aCode(), 'x'.repeat(65)] }, 3, /^codes\[1\]: .*"65 characters"/],
      [{ codes: ['tab\there'] }, 3, /^codes\[0\]: /],
      [
        { codes: ['twice-1', 'twice-1'] },
        3,
        /^codes\[1\]: expected a code of its own; received "the same as codes\[0\]"/,
      ],
      [{ codes: [aCode(), code] }, 6, /^codes\[1\]: this code was imported before/],
      [{ codes: [aCode(), code], dryRun: true }, 6, /^codes\[1\]: this code was imported before/],
      [{ amount: -1n }, 3, /^amount: /],
      [{ expiresAt: past }, 3, /^expires_at: /],
    ]
    for (const [more, number, violation] of imports) {
      const outcome = await admin.unary(importCodes, { ...worth(), codes: [aCode()], ...more })
      t.match(outcome, { code: number, violations: [violation] }, String(violation))
    }
    const claim = { requestId: randomUUID(), member, code }
    t.match(await admin.unary(claimCode, { ...claim, code: 'short' }), { code: 3, violations: [/^code: /] })
    t.match(await admin.unary(claimCode, { ...claim, member: unknown }), { code: 5, violations: [/^member: /] })
    t.match(await admin.unary(claimCode, { ...claim, requestId: '' }), { code: 3, violations: [/^request_id: /] })
    t.match(await admin.unary(voidCode, { ...claim, code: '' }), { code: 3, violations: [/^code: .*received nothing/] })
    t.match(await admin.ask(getBalances, { member }), { accounts: [] }, 'nothing was given')
  })
}

function exchangeSuite(t: Test, served: () => Served): void {
  const anActivation = (member: object, more: object = {}) => ({
    ...{ requestId: randomUUID(), member, fromCurrencyId: 'stamps', toCurrencyId: 'coffees', times: 1 },
    ...more,
  })

  t.test('activations at once cannot overdraw, and what is unused comes back', async (t) => {
    const admin = served().admin(t)
    const member = await enrol(admin)
    await admin.ask(issueVouchers, { ...worth(), amount: 25n, members: [member] })
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, () => admin.unary(activateReward, anActivation(member))),
    )
    const answered = outcomes.flatMap((outcome) => (outcome.kind === 'answered' ? [outcome.message] : []))
    t.match(answered, [{ fromAmount: 10n, toAmount: 1n }, { fromAmount: 10n }])
    t.equal(answered.length, 2)
    const refused = { code: 9, reason: 'INSUFFICIENT_VALUE', metadata: { available: /^\d+$/ } }
    for (const outcome of outcomes) if (outcome.kind === 'refused') t.match(outcome, refused)
    const { accounts } = await admin.ask(getBalances, { member })
    t.match(accounts, [
      { currencyId: 'coffees', available: 2n },
      { currencyId: 'stamps', available: 5n },
    ])
    const { activationId } = answered[0]!
    const cancel = { requestId: randomUUID(), activationId }
    for (const times of [1, 2])
      t.match(await admin.ask(cancelActivation, cancel), { times: 1n, fromAmount: 10n, toAmount: 1n }, String(times))
    const again = await admin.unary(cancelActivation, { requestId: randomUUID(), activationId })
    t.match(again, { code: 9, reason: 'NOTHING_UNUSED' })
    t.match((await admin.ask(getBalances, { member })).accounts, [{ available: 1n }, { available: 15n }])
  })

  t.test('each wrong field of an activation is named', async (t) => {
    const admin = served().admin(t)
    const member = await enrol(admin)
    const unknown = { by: { case: 'memberId', value: 'unknown' } } as const
    const blocked = { by: { case: 'memberId', value: 'member-3' } } as const
    const wrong: readonly (readonly [object, number, string])[] = [
      [{ requestId: 'x' }, 3, 'INVALID_REQUEST'],
      [{ fromCurrencyId: '' }, 3, 'INVALID_REQUEST'],
      [{ toCurrencyId: '' }, 3, 'INVALID_REQUEST'],
      [{ times: 0 }, 3, 'INVALID_REQUEST'],
      [{ member: unknown }, 5, 'MEMBER_NOT_FOUND'],
      [{ member: blocked }, 9, 'MEMBER_BLOCKED'],
      [{ toCurrencyId: 'kroner' }, 5, 'EXCHANGE_NOT_FOUND'],
      [{}, 9, 'INSUFFICIENT_VALUE'],
    ]
    for (const [more, code, reason] of wrong)
      t.match(await admin.unary(activateReward, anActivation(member, more)), { code, reason }, JSON.stringify(more))
    const times = await admin.unary(activateReward, anActivation(member, { times: -1 }))
    t.match(times, { violations: [/^times: expected 1 or more; received "-1"/] })
    const cancel = (activationId: bigint) => admin.unary(cancelActivation, { requestId: randomUUID(), activationId })
    t.match(await cancel(0n), { code: 3, violations: [/^activation_id: expected 1 to /] })
    t.match(await cancel(most), { code: 5, reason: 'ACTIVATION_NOT_FOUND', violations: [/^activation_id: /] })
  })
}
