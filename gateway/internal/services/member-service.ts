import type { HandlerContext } from '@connectrpc/connect'
import type { TierSetting } from '../../../store/ledger/members.js'
import type { MemberName } from '../../../store/ledger/value.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  type ForgetMemberRequest,
  ForgettingState,
  type GetForgettingRequest,
  type ListMembersRequest,
  MemberService,
  type MergeMembersRequest,
  type SetTierRequest,
} from '../../gen/loyalty/v1/member_service_pb.js'
import type { ClaimSaleRequest, MoveSaleRequest } from '../../gen/loyalty/v1/sale_claim_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { forgettingMs } from '../../use-cases/forget-members.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'
import { ValueFields } from '../messages/value-fields.js'
import { type ExportParts, exportMember } from './export-member.js'
import { findMember, standingRecord } from './find-member.js'
import { upsertMembers } from './upsert-members.js'

export interface MemberParts extends ExportParts {
  readonly commands: Commands
}

export function memberRoutes(parts: MemberParts) {
  const { adminLedger, commands } = parts

  async function shown(name: MemberName) {
    const member = await findMember(adminLedger, name)
    const standing = await adminLedger.members.findStanding(member.memberId)
    return { member, standing: standingRecord(standing, member) }
  }

  return routeOf(MemberService, {
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

    upsertMembers: (request, context) => upsertMembers(commands, request, context),

    async blockMember(request, context) {
      const { requestId, memberId, unblock, reason } = request
      const checks = new FieldChecks().uuid('request_id', requestId).id('member_id', memberId)
      new ValueFields(checks).reasonOrEmpty('reason', reason)
      checks.done()
      await sendCommand(commands.blockMember, [memberId, !unblock], {
        request,
        context,
        fields: { unknown_member: 'member_id' },
      })
      return { member: await findMember(adminLedger, { memberId }) }
    },

    setTier: (request, context) => setTier(parts, request, context),
    mergeMembers: (request, context) => merge(parts, request, context),
    claimSale: (request, context) => claimSale(parts, request, context),
    moveSale: (request, context) => moveSale(parts, request, context),
    forgetMember: (request, context) => forget(parts, request, context),
    exportMember: (request, context) => exportMember(parts, request, context),
    getForgetting: (request) => getForgetting(parts, request),
  })
}

async function setTier({ adminLedger, commands }: MemberParts, request: SetTierRequest, context: HandlerContext) {
  const setting = settingFrom(request)
  await sendCommand(commands.setTier, [setting], { request, context })
  const member = await findMember(adminLedger, setting.member)
  return { standing: standingRecord(await adminLedger.members.findStanding(member.memberId), member) }
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

async function merge({ commands }: MemberParts, request: MergeMembersRequest, context: HandlerContext) {
  const checks = new FieldChecks().uuid('request_id', request.requestId)
  const fields = new ValueFields(checks)
  const [from, into] = [fields.member('from', request.from), fields.member('into', request.into)]
  fields.reasonOrEmpty('reason', request.reason)
  checks.done()
  const reply = await sendCommand(commands.mergeMembers, [{ from, into, isDryRun: request.dryRun }], {
    request,
    context,
    fields: { unknown_member: (place) => (place === 0 ? 'from' : 'into'), same_member: 'into', out_of_range: 'into' },
  })
  const { counters, given } = reply
  // Counters of both members are listed.
  return { ...reply, counters: counters.length / 2, givenTier: given && { tier: given.tierId, until: given.until } }
}

async function forget({ adminLedger, commands }: MemberParts, request: ForgetMemberRequest, context: HandlerContext) {
  const member = forgottenFrom(request)
  const reply = await sendCommand(commands.forgetMember, [member], {
    request,
    context,
    fields: { unknown_member: request.loyaltyId === '' ? 'member_id' : 'loyalty_id' },
  })
  const progress = await adminLedger.members.findForgetting(request.requestId)
  return { ...reply, completeBy: progress && progress.askedAt + forgettingMs }
}

async function getForgetting({ adminLedger }: MemberParts, { requestId }: GetForgettingRequest) {
  new FieldChecks().uuid('request_id', requestId).done()
  const found = await adminLedger.members.findForgetting(requestId)
  if (found === null) throw refusal('FORGETTING_NOT_FOUND', 'no member was forgotten by such a request')
  const { askedAt, completedAt } = found
  return {
    state: completedAt === null ? ForgettingState.PENDING : ForgettingState.COMPLETE,
    ...{ askedAt, completeBy: askedAt + forgettingMs, completedAt },
  }
}

/** A loyalty id is opaque: any text that a POS may have sent, and a column can hold, can be forgotten. */
function forgottenFrom({ requestId, memberId, loyaltyId, reason }: ForgetMemberRequest): MemberName {
  const checks = new FieldChecks().uuid('request_id', requestId)
  if (loyaltyId === '') checks.id('member_id', memberId)
  else checks.expect('member_id', memberId === '', 'nothing beside a loyalty_id', memberId)
  new ValueFields(checks).reasonOrEmpty('reason', reason)
  checks.expect('loyalty_id', /^[^\0]{0,64}$/u.test(loyaltyId), '1 to 64 characters', loyaltyId).done()
  return loyaltyId === '' ? { memberId } : { loyaltyId }
}

async function claimSale(parts: MemberParts, request: ClaimSaleRequest, context: HandlerContext) {
  const claim = await claimFrom(parts, request, 'member', request.member)
  const { given } = await sendCommand(parts.commands.claimSale, [claim, context.signal], { request, context })
  return { given }
}

async function moveSale(parts: MemberParts, request: MoveSaleRequest, context: HandlerContext) {
  const claim = await claimFrom(parts, request, 'to', request.to)
  const reply = await sendCommand(parts.commands.moveSale, [claim, context.signal], {
    request,
    context,
    fields: { unknown_member: 'to', blocked_member: 'to', out_of_range: 'to' },
  })
  return { takenBack: reply.takenBack, givenBack: reply.givenBack, given: reply.given }
}

/** The checked claim; `field` names the member. */
async function claimFrom(
  { adminLedger }: MemberParts,
  request: ClaimSaleRequest | MoveSaleRequest,
  field: string,
  name: MoveSaleRequest['to'],
) {
  const { requestId, calculationId, reason, dryRun: isDryRun } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  const fields = new ValueFields(checks)
  const member = fields.member(field, name)
  fields.reasonOrEmpty('reason', reason)
  checks.done()
  return { member, stored: await findMember(adminLedger, member), calculationId, isDryRun }
}

async function listMembers({ members }: Pick<AdminLedger, 'members'>, request: ListMembersRequest) {
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
    members: rows.map(({ member, loyaltyId }) => ({ member, loyaltyId })),
    nextPageToken,
  }
}
