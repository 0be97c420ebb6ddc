import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect'
import type { TierSetting } from '../../../store/ledger/members.js'
import type { MemberName } from '../../../store/ledger/value.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  type GetMemberResponseSchema,
  type ListMembersRequest,
  type ListMembersResponseSchema,
  MemberService,
  type SetTierRequest,
  type SetTierResponseSchema,
} from '../../gen/loyalty/v1/member_service_pb.js'
import type { ClaimParts } from '../../use-cases/claim-sale.js'
import type { ForgetParts } from '../../use-cases/forget-members.js'
import type { MergeParts } from '../../use-cases/merge-members.js'
import { invalidFields, refusal, refusedField } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { messageFromMember } from '../messages/member-part.js'
import { pageOf } from '../messages/page-token.js'
import { messageFromStanding } from '../messages/standing.js'
import { ValueFields } from '../messages/value-fields.js'
import { callClaimSale, callMoveSale } from './claim-sale.js'
import { type ExportParts, exportMember } from './export-member.js'
import { findMember } from './find-member.js'
import { callForgetMember, getForgetting } from './forget-member.js'
import { callMergeMembers } from './merge-members.js'
import { upsertMembers } from './upsert-members.js'

export type MemberParts = ClaimParts & ExportParts & ForgetParts & MergeParts

export function memberRoutes(parts: MemberParts): (router: ConnectRouter) => void {
  const { adminLedger } = parts

  async function shown(name: MemberName): Promise<MessageInitShape<typeof GetMemberResponseSchema>> {
    const member = await findMember(adminLedger, name)
    const standing = await adminLedger.members.findStanding(member.memberId)
    return { member: messageFromMember(member), standing: messageFromStanding(standing, member) }
  }

  return (router) => {
    router.service(MemberService, {
      async getMember({ by }) {
        const checks = new FieldChecks()
        // A loyalty id is opaque: a text that cannot be one belongs to no member.
        if (by.case === 'loyaltyId') return await shown({ loyaltyId: by.value })
        if (by.case === 'memberId') checks.id('member_id', by.value)
        else checks.expect('by', false, 'a member_id or a loyalty_id', '')
        checks.done()
        return await shown({ memberId: by.value ?? '' })
      },

      listMembers: (request) => listMembers(adminLedger, request),

      upsertMembers: (request, context) => upsertMembers(adminLedger, request, context),

      async blockMember(request, context) {
        const { requestId, memberId, unblock, reason } = request
        const checks = new FieldChecks().uuid('request_id', requestId).id('member_id', memberId)
        new ValueFields(checks).reasonOrEmpty('reason', reason)
        checks.done()
        const reply = await sendCommand(request, context, (command) =>
          adminLedger.members.block(command, memberId, !unblock),
        )
        if (reply.kind === 'unknown_member') throw noMember()
        return { member: messageFromMember(await findMember(adminLedger, { memberId })) }
      },

      setTier: (request, context) => setTier(adminLedger, request, context),
      mergeMembers: (request, context) => callMergeMembers(parts, request, context),
      claimSale: (request, context) => callClaimSale(parts, request, context),
      moveSale: (request, context) => callMoveSale(parts, request, context),
      forgetMember: (request, context) => callForgetMember(parts, request, context),
      exportMember: (request, context) => exportMember(parts, request, context),
      getForgetting: (request) => getForgetting(adminLedger, request),
    })
  }
}

async function setTier(
  adminLedger: MemberParts['adminLedger'],
  request: SetTierRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof SetTierResponseSchema>> {
  const setting = settingFrom(request)
  const reply = await sendCommand(request, context, (command) => adminLedger.members.setTier(command, setting))
  switch (reply.kind) {
    case 'done': {
      const { member: name } = setting
      const member =
        'memberId' in name
          ? await adminLedger.members.findById(name.memberId)
          : await adminLedger.members.findByLoyaltyId(name.loyaltyId)
      if (member === null) throw noMember()
      return { standing: messageFromStanding(await adminLedger.members.findStanding(member.memberId), member) }
    }
    case 'unknown_member':
      throw refusedField('MEMBER_NOT_FOUND', 'member', 'no such member')
    case 'unknown_tier':
      throw refusedField('TIER_NOT_FOUND', 'tier', 'the programme in force has no such tier')
    case 'past_end':
      throw invalidFields([{ field: 'until', description: 'expected a moment to come' }])
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

function noMember(): ReturnType<typeof refusal> {
  return refusal('MEMBER_NOT_FOUND', 'no such member')
}

async function listMembers(
  { members }: Pick<AdminLedger, 'members'>,
  request: ListMembersRequest,
): Promise<MessageInitShape<typeof ListMembersResponseSchema>> {
  const { case: by = 'memberIdPrefix', value: prefix = '' } = request.by
  const field = by === 'memberIdPrefix' ? 'member_id_prefix' : 'loyalty_id_prefix'
  new FieldChecks().expect(field, /^[^\0\p{Cs}]{0,64}$/u.test(prefix), 'at most 64 characters', prefix).done()
  const { rows, nextPageToken } = await pageOf(request, {
    name: 'ListMembers',
    filters: [by, prefix],
    form: ['string'],
    async read({ after, limit }) {
      const page = { after: after?.[0] ?? null, limit }
      return by === 'memberIdPrefix'
        ? (await members.listById(prefix, page)).map((member) => ({ key: member.memberId, loyaltyId: '', member }))
        : (await members.listByLoyaltyId(prefix, page)).map((row) => ({ key: row.loyaltyId, ...row }))
    },
    cursorOf: ({ key }) => [key],
  })
  return {
    members: rows.map(({ member, loyaltyId }) => ({ member: messageFromMember(member), loyaltyId })),
    nextPageToken,
  }
}
