import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { MemberName } from '../../../store/ledger/value.js'
import {
  type ForgetMemberRequest,
  type ForgetMemberResponseSchema,
  ForgettingState,
  type GetForgettingRequest,
  type GetForgettingResponseSchema,
} from '../../gen/loyalty/v1/member_service_pb.js'
import { type ForgetParts, forgetMember, forgettingMs } from '../../use-cases/forget-members.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'

export async function callForgetMember(
  parts: ForgetParts,
  request: ForgetMemberRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ForgetMemberResponseSchema>> {
  const member = memberFrom(request)
  const reply = await sendCommand(request, context, (command) => forgetMember(parts, command, member))
  if (reply.kind === 'unknown_member') throw refusal('MEMBER_NOT_FOUND', 'no such member')
  const { calculations, sales, counters } = reply
  const progress = await parts.adminLedger.members.findForgetting(request.requestId)
  return {
    ...{ calculations: BigInt(calculations), sales: BigInt(sales), counters: BigInt(counters) },
    completeBy: timestamp(progress && progress.askedAt + forgettingMs),
  }
}

export async function getForgetting(
  adminLedger: ForgetParts['adminLedger'],
  { requestId }: GetForgettingRequest,
): Promise<MessageInitShape<typeof GetForgettingResponseSchema>> {
  new FieldChecks().uuid('request_id', requestId).done()
  const found = await adminLedger.members.findForgetting(requestId)
  if (found === null) throw refusal('FORGETTING_NOT_FOUND', 'no member was forgotten by such a request')
  const { askedAt, completedAt } = found
  return {
    state: completedAt === null ? ForgettingState.PENDING : ForgettingState.COMPLETE,
    askedAt: timestamp(askedAt),
    completeBy: timestamp(askedAt + forgettingMs),
    completedAt: timestamp(completedAt),
  }
}

/** A loyalty id is opaque: any text that a POS may have sent, and a column can hold, can be forgotten. */
function memberFrom({ requestId, memberId, loyaltyId, reason }: ForgetMemberRequest): MemberName {
  const checks = new FieldChecks().uuid('request_id', requestId)
  if (loyaltyId === '') checks.id('member_id', memberId)
  else checks.expect('member_id', memberId === '', 'nothing beside a loyalty_id', memberId)
  new ValueFields(checks).reasonOrEmpty('reason', reason)
  checks.expect('loyalty_id', /^[^\0]{0,64}$/u.test(loyaltyId), '1 to 64 characters', loyaltyId).done()
  return loyaltyId === '' ? { memberId } : { loyaltyId }
}
