import { randomUUID } from 'node:crypto'
import type { DescMethodUnary } from '@bufbuild/protobuf'
import type { Test } from 'tap'
import { roleNames } from '../../../gateway/config/config.js'
import { AccessService } from '../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { nameOfToken, type Served } from './served.js'

/** The rights of each role, from the callers' side. */
export function accessSuite(t: Test, served: () => Served): void {
  t.test('every role makes its own calls and no other', async (t) => {
    const requestId = randomUUID()
    // Each request is refused for its content, so that nothing changes.
    const calls: readonly (readonly [string, DescMethodUnary, Record<string, unknown>])[] = [
      ['reader support marketing admin', MemberService.method.getMember, { by: { case: 'memberId', value: 'nobody' } }],
      ['support admin', MemberService.method.blockMember, { requestId, memberId: 'nobody' }],
      [
        'marketing admin',
        ProgrammeService.method.publishProgramme,
        { requestId, document: '{"benefits": 1}', expectedVersion: 1 },
      ],
      ['admin', MemberService.method.forgetMember, { requestId, memberId: 'nobody' }],
      ['admin', VenueService.method.upsertVenue, { requestId }],
      ['support marketing admin', AuditService.method.listAuditRecords, { pageSize: -1 }],
    ]
    for (const role of roleNames) {
      const client = served().as(t, role)
      const { calls: listed } = await client.ask(AccessService.method.getAccess, {})
      for (const [roles, method, request] of calls) {
        const outcome = await client.unary(method, request)
        const name = `${method.parent.name}/${method.name}`
        const mayCall = roles.split(' ').includes(role)
        t.equal(outcome.kind === 'refused' && outcome.reason !== 'PERMISSION_DENIED', mayCall, `${role} ${name}`)
        t.equal(listed.includes(name), mayCall, `${role} lists ${name}`)
        if (!mayCall) t.match(outcome, { code: 7, metadata: { roles: roles.replaceAll(' ', ',') } })
      }
    }
  })

  t.test('a token learns its role and its name in audit records', async (t) => {
    const answer = await served().as(t, 'support').ask(AccessService.method.getAccess, {})
    const name = nameOfToken('support', served().tokens.support)
    t.match(answer, { role: 'support', name, environment: 'staging' })
    t.same(answer.calls, answer.calls.toSorted())
  })
}
