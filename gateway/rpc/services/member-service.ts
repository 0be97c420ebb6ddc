import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect'
import type { Cache } from '../../../store/cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { ForgettingReply, TierSetting } from '../../../store/ledger/members.js'
import type { MemberName } from '../../../store/ledger/value.js'
import type { Facts } from '../../cache/facts.js'
import {
  BlockMemberRequestSchema,
  type ForgetMemberRequest,
  ForgetMemberRequestSchema,
  type ForgetMemberResponseSchema,
  type GetMemberResponseSchema,
  MemberService,
  type SetTierRequest,
  SetTierRequestSchema,
  type SetTierResponseSchema,
} from '../../gen/loyalty/v1/member_service_pb.js'
import { venueLimits } from '../../use-cases/forget-members.js'
import { invalidFields, refusal, refusedField } from '../errors.js'
import { commandFrom, requestIdConflict } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { messageFromMember } from '../messages/member-part.js'
import { messageFromStanding } from '../messages/standing.js'
import { ValueFields } from '../messages/value-fields.js'
import { type ClaimParts, claimSale } from './claim-sale.js'
import { findMember } from './find-member.js'
import { listMembers } from './list-members.js'
import { mergeMembers } from './merge-members.js'
import { upsertMembers } from './upsert-members.js'

export interface MemberParts extends ClaimParts {
  readonly cache: Pick<Cache, 'forgetAnswers' | 'forgetCounters'> | null
  readonly facts: Pick<Facts, 'limits'>
}

/** Members: who gets benefits. */
export function memberRoutes(parts: MemberParts): (router: ConnectRouter) => void {
  const { ledger } = parts
  const memberOf = async (name: MemberName) => messageFromMember(await findMember(ledger, name))

  async function shown(name: MemberName): Promise<MessageInitShape<typeof GetMemberResponseSchema>> {
    const member = await findMember(ledger, name)
    const standing = await ledger.members.findStanding(member.memberId)
    return { member: messageFromMember(member), standing: messageFromStanding(standing, member) }
  }

  return (router) => {
    router.service(MemberService, {
      async getMember({ by }) {
        const checks = new FieldChecks()
        // A loyalty id is opaque: what cannot be one is nobody's.
        if (by.case === 'loyaltyId') return await shown({ loyaltyId: by.value })
        if (by.case === 'memberId') checks.id('member_id', by.value)
        else checks.expect('by', false, 'a member_id or a loyalty_id', '')
        checks.done()
        return await shown({ memberId: by.value ?? '' })
      },

      listMembers: (request) => listMembers(ledger, request),

      upsertMembers: (request, context) => upsertMembers(ledger, request, context),

      async blockMember(request, context) {
        const { requestId, memberId, unblock, reason } = request
        const checks = new FieldChecks().uuid('request_id', requestId).id('member_id', memberId)
        new ValueFields(checks).reasonOrEmpty('reason', reason)
        checks.done()
        const command = commandFrom(BlockMemberRequestSchema, request, context)
        const reply = await ledger.members.block(command, memberId, !unblock)
        switch (reply.kind) {
          case 'done':
            return { member: await memberOf({ memberId }) }
          case 'unknown_member':
            throw noMember()
          case 'request_id_conflict':
            throw requestIdConflict()
        }
      },

      setTier: (request, context) => setTier(ledger, request, context),
      mergeMembers: (request, context) => mergeMembers(parts, request, context),
      claimSale: (request, context) => claimSale(parts, request, context),
      forgetMember: (request, context) => forget(parts, request, context),
    })
  }
}

async function setTier(
  ledger: MemberParts['ledger'],
  request: SetTierRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof SetTierResponseSchema>> {
  const setting = settingFrom(request)
  const reply = await ledger.members.setTier(commandFrom(SetTierRequestSchema, request, context), setting)
  switch (reply.kind) {
    case 'done': {
      const { member: name } = setting
      const member =
        'memberId' in name
          ? await ledger.members.findById(name.memberId)
          : await ledger.members.findByLoyaltyId(name.loyaltyId)
      if (member === null) throw noMember()
      return { standing: messageFromStanding(await ledger.members.findStanding(member.memberId), member) }
    }
    case 'unknown_member':
      throw refusedField('MEMBER_NOT_FOUND', 'member', 'no such member')
    case 'unknown_tier':
      throw refusedField('TIER_NOT_FOUND', 'tier', 'the programme in force has no such tier')
    case 'past_end':
      throw invalidFields([{ field: 'until', description: 'expected a moment to come' }])
    case 'request_id_conflict':
      throw requestIdConflict()
  }
}

function settingFrom(request: SetTierRequest): TierSetting {
  const { requestId, tier: tierId } = request
  const checks = new FieldChecks().uuid('request_id', requestId).idOrEmpty('tier', tierId)
  const fields = new ValueFields(checks)
  const member = fields.member('member', request.member)
  const until = fields.moment('until', request.until)
  const reason = fields.reason('reason', request.reason)
  const isGiven = tierId !== ''
  checks
    .expect('until', isGiven === (until !== null), isGiven ? 'a moment to come' : 'nothing without a tier', '')
    .done()
  return { member, given: isGiven ? { tierId, until: until! } : null, reason }
}

async function forget(
  { ledger, cache, facts }: MemberParts,
  request: ForgetMemberRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ForgetMemberResponseSchema>> {
  checkForgetting(request)
  const command = commandFrom(ForgetMemberRequestSchema, request, context)
  const { memberId, loyaltyId } = request
  const reply =
    loyaltyId === ''
      ? await ledger.members.forget(command, memberId, venueLimits(facts))
      : await ledger.members.forgetLoyaltyId(command, loyaltyId, venueLimits(facts))
  if (reply.kind === 'unknown_member') throw noMember()
  if (reply.kind === 'request_id_conflict') throw requestIdConflict()
  await dropAnswers(cache, reply)
  const { calculations, sales, counters } = reply
  return { calculations: BigInt(calculations), sales: BigInt(sales), counters: BigInt(counters) }
}

/** A loyalty id is opaque: whatever a POS may have sent, and a column can hold, can be forgotten. */
function checkForgetting({ requestId, memberId, loyaltyId, reason }: ForgetMemberRequest): void {
  const checks = new FieldChecks().uuid('request_id', requestId)
  if (loyaltyId === '') checks.id('member_id', memberId)
  else checks.expect('member_id', memberId === '', 'nothing beside a loyalty_id', memberId)
  new ValueFields(checks).reasonOrEmpty('reason', reason)
  checks.expect('loyalty_id', /^[^\0]{0,64}$/u.test(loyaltyId), '1 to 64 characters', loyaltyId).done()
}

/** Where Redis is away its answers end by themselves within 15 minutes. */
async function dropAnswers(
  cache: MemberParts['cache'],
  { recent }: Extract<ForgettingReply, { kind: 'done' }>,
): Promise<void> {
  try {
    await cache?.forgetAnswers(recent)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
  }
}

function noMember(): ReturnType<typeof refusal> {
  return refusal('MEMBER_NOT_FOUND', 'no such member')
}
