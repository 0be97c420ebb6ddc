import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import type { Served } from './served.js'

const { upsertMembers, blockMember, mergeMembers, forgetMember } = MemberService.method
const { listAuditRecords } = AuditService.method

/** Reasons of changes of members. */
export function reasonSuite(t: Test, served: () => Served): void {
  t.test('why somebody blocks, merges or forgets a member stands in the audit record', async (t) => {
    const admin = served().admin(t)
    const [gone, stays] = [`gone-${randomUUID()}`, `stays-${randomUUID()}`]
    const members = [gone, stays].map((memberId) => ({ memberId, loyaltyIds: [memberId] }))
    await admin.ask(upsertMembers, { requestId: randomUUID(), members })
    const named = (memberId: string) => ({ by: { case: 'memberId', value: memberId } }) as const
    const reasonsOf = async (subjectId: string) => {
      const { records } = await admin.ask(listAuditRecords, { subjectKind: 'member', subjectId, pageSize: 2 })
      return records.map(({ reason }) => reason)
    }
    const block = { memberId: gone, reason: 'a lost card, "found" by Åse' }
    await admin.ask(blockMember, { requestId: randomUUID(), ...block })
    t.same(await reasonsOf(gone), [block.reason, ''])
    const merge = { from: named(gone), into: named(stays), reason: 'enrolled twice' }
    await admin.ask(mergeMembers, { requestId: randomUUID(), ...merge })
    t.same(await reasonsOf(stays), [merge.reason, ''])
    await admin.ask(blockMember, { requestId: randomUUID(), memberId: stays })
    t.same(await reasonsOf(stays), ['', merge.reason], 'a reason is of one change')
    const conflict = { requestId: randomUUID(), memberId: stays, reason: 'one' }
    await admin.ask(blockMember, conflict)
    t.match(await admin.unary(blockMember, { ...conflict, reason: 'two' }), { reason: 'REQUEST_ID_CONFLICT' })
    for (const reason of ['x'.repeat(129), 'two\nlines']) {
      const refused = { code: 3, violations: ['reason'] }
      t.match(await admin.unary(blockMember, { requestId: randomUUID(), memberId: stays, reason }), refused)
      t.match(await admin.unary(forgetMember, { requestId: randomUUID(), memberId: stays, reason }), refused)
      t.match(await admin.unary(mergeMembers, { requestId: randomUUID(), ...merge, reason }), refused)
    }
    await admin.ask(forgetMember, { requestId: randomUUID(), memberId: stays, reason: 'asked for by letter 4711' })
    t.ok((await reasonsOf('forgotten')).includes('asked for by letter 4711'))
  })
}
