import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { Cache } from '../../../store/cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { ForgettingReply } from '../../../store/ledger/members.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import {
  type ForgetMemberRequest,
  ForgetMemberRequestSchema,
  type ForgetMemberResponseSchema,
  ForgettingState,
  type GetForgettingRequest,
  type GetForgettingResponseSchema,
} from '../../gen/loyalty/v1/member_service_pb.js'
import { forgettingMs, venueLimits } from '../../use-cases/forget-members.js'
import { refusal } from '../errors.js'
import { commandFrom, requestIdConflict } from '../messages/commands.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'

export interface ForgettingParts {
  readonly adminLedger: Pick<AdminLedger, 'members'>
  readonly cache: Pick<Cache, 'forgetAnswers'> | null
  readonly facts: Pick<LookupCache, 'limits'>
}

export async function forgetMember(
  { adminLedger, cache, facts }: ForgettingParts,
  request: ForgetMemberRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ForgetMemberResponseSchema>> {
  checkForgetting(request)
  const command = commandFrom(ForgetMemberRequestSchema, request, context)
  const { requestId, memberId, loyaltyId } = request
  const reply =
    loyaltyId === ''
      ? await adminLedger.members.forget(command, memberId, venueLimits(facts))
      : await adminLedger.members.forgetLoyaltyId(command, loyaltyId, venueLimits(facts))
  if (reply.kind === 'unknown_member') throw refusal('MEMBER_NOT_FOUND', 'no such member')
  if (reply.kind === 'request_id_conflict') throw requestIdConflict()
  await dropAnswers(cache, reply)
  const { calculations, sales, counters } = reply
  const progress = await adminLedger.members.findForgetting(requestId)
  return {
    ...{ calculations: BigInt(calculations), sales: BigInt(sales), counters: BigInt(counters) },
    completeBy: timestamp(progress && progress.askedAt + forgettingMs),
  }
}

export async function getForgetting(
  adminLedger: ForgettingParts['adminLedger'],
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
function checkForgetting({ requestId, memberId, loyaltyId, reason }: ForgetMemberRequest): void {
  const checks = new FieldChecks().uuid('request_id', requestId)
  if (loyaltyId === '') checks.id('member_id', memberId)
  else checks.expect('member_id', memberId === '', 'nothing beside a loyalty_id', memberId)
  new ValueFields(checks).reasonOrEmpty('reason', reason)
  checks.expect('loyalty_id', /^[^\0]{0,64}$/u.test(loyaltyId), '1 to 64 characters', loyaltyId).done()
}

/** While Redis is out of reach its answers expire within 15 minutes. */
async function dropAnswers(
  cache: ForgettingParts['cache'],
  { recent }: Extract<ForgettingReply, { kind: 'done' }>,
): Promise<void> {
  try {
    await cache?.forgetAnswers(recent)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
  }
}
