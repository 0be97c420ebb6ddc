import { create } from '@bufbuild/protobuf'
import { createHandlerContext } from '@connectrpc/connect'
import t from 'tap'
import { BadRequestSchema } from '../../../gateway/gen/google/rpc/error_details_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { sendCommand } from '../../../gateway/internal/messages/commands.js'
import { refusalOf } from '../../../gateway/internal/messages/use-case-refusal.js'
import type { CommandConflict } from '../../../store/ledger/calls.js'
import type { MemberReply } from '../../../store/ledger/members.js'

const faults = [
  { field: 'lines[0].unitPrice', expected: 'an integer', received: '1.5' },
  { field: 'lines[1].quantity', expected: 'a number', received: '"x"' },
  { field: 'body', expected: 'an object', received: '[]' },
]

function violationsOf(details: Parameters<typeof refusalOf>[1]['details']) {
  const error = refusalOf('basket', { code: 'invalid_request', message: 'm', details })
  return error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations)
}

t.test('every fault of a malformed request is a field violation, by its path in the message', async (t) => {
  t.match(violationsOf({ ...faults[0]!, faults }), [
    { field: 'basket.lines[0].unit_price', description: 'expected an integer; received 1.5' },
    { field: 'basket.lines[1].quantity_thousandths' },
    { field: 'basket' },
  ])
})

t.test('a refusal with one faulty field has one violation, and without a field none', async (t) => {
  t.equal(violationsOf(faults[0]!).length, 1)
  t.equal(violationsOf(null).length, 0)
})

t.test('a command compiles only with exactly the refusals that the comment of its call names', async (t) => {
  const method = MemberService.method.blockMember
  const context = createHandlerContext({
    ...{ service: MemberService, method, url: '', requestMethod: 'POST', protocolName: 'grpc' },
  })
  const call = { request: create(method.input, { memberId: 'anna' }), context }
  const documented = async (): Promise<MemberReply> => ({ kind: 'unknown_member' })
  const more = async (): Promise<MemberReply | { readonly kind: 'blocked_member' }> => ({ kind: 'blocked_member' })
  const less = async (): Promise<CommandConflict> => ({ kind: 'request_id_conflict' })
  await t.rejects(sendCommand(documented, [], call), /no such member/)
  // @ts-expect-error MEMBER_BLOCKED is not in the comment
  await t.rejects(sendCommand(more, [], call), /a blocked member/)
  // @ts-expect-error MEMBER_NOT_FOUND is
  await t.rejects(sendCommand(less, [], call), /another change/)
})
