import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect'
import type { TierSetting } from '../../../store/ledger/members.js'
import type { MemberName } from '../../../store/ledger/value.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  type ForgetMemberRequest,
  type ForgetMemberResponseSchema,
  ForgettingState,
  type GetForgettingRequest,
  type GetForgettingResponseSchema,
  type GetMemberResponseSchema,
  type ListMembersRequest,
  type ListMembersResponseSchema,
  MemberService,
  type MergeMembersRequest,
  type MergeMembersResponseSchema,
  type SetTierRequest,
  type SetTierResponseSchema,
} from '../../gen/loyalty/v1/member_service_pb.js'
import type {
  ClaimSaleRequest,
  ClaimSaleResponseSchema,
  MoveSaleRequest,
  MoveSaleResponseSchema,
} from '../../gen/loyalty/v1/sale_claim_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { forgettingMs } from '../../use-cases/forget-members.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { messageFromMember } from '../messages/member-part.js'
import { pageOf } from '../messages/page-token.js'
import { messageFromStanding } from '../messages/standing.js'
import { ValueFields } from '../messages/value-fields.js'
import { type ExportParts, exportMember } from './export-member.js'
import { findMember } from './find-member.js'
import { messageFromValue } from './return-service.js'
import { upsertMembers } from './upsert-members.js'

export interface MemberParts extends ExportParts {
  readonly commands: Commands
}

export function memberRoutes(parts: MemberParts): (router: ConnectRouter) => void {
  const { adminLedger, commands } = parts

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
        return { member: messageFromMember(await findMember(adminLedger, { memberId })) }
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
}

async function setTier(
  { adminLedger, commands }: MemberParts,
  request: SetTierRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof SetTierResponseSchema>> {
  const setting = settingFrom(request)
  await sendCommand(commands.setTier, [setting], { request, context })
  const member = await findMember(adminLedger, setting.member)
  return { standing: messageFromStanding(await adminLedger.members.findStanding(member.memberId), member) }
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

async function merge(
  { commands }: MemberParts,
  request: MergeMembersRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof MergeMembersResponseSchema>> {
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
  const { accounts, calculations, loyaltyIds, counters, visits, given } = reply
  return {
    accounts: accounts.map(({ currencyId, amount, debt, paid, completed }) => ({
      currencyId,
      amount: BigInt(amount),
      debt: BigInt(debt),
      paid: BigInt(paid),
      completed: BigInt(completed),
    })),
    calculations: BigInt(calculations),
    loyaltyIds,
    // Counters of both members are listed.
    counters: counters.length / 2,
    visits: BigInt(visits),
    ...(given === null ? {} : { givenTier: { tier: given.tierId, until: timestampFromMs(given.until) } }),
  }
}

async function forget(
  { adminLedger, commands }: MemberParts,
  request: ForgetMemberRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ForgetMemberResponseSchema>> {
  const member = forgottenFrom(request)
  const { calculations, sales, counters } = await sendCommand(commands.forgetMember, [member], {
    request,
    context,
    fields: { unknown_member: request.loyaltyId === '' ? 'member_id' : 'loyalty_id' },
  })
  const progress = await adminLedger.members.findForgetting(request.requestId)
  return {
    ...{ calculations: BigInt(calculations), sales: BigInt(sales), counters: BigInt(counters) },
    completeBy: timestamp(progress && progress.askedAt + forgettingMs),
  }
}

async function getForgetting(
  { adminLedger }: MemberParts,
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
function forgottenFrom({ requestId, memberId, loyaltyId, reason }: ForgetMemberRequest): MemberName {
  const checks = new FieldChecks().uuid('request_id', requestId)
  if (loyaltyId === '') checks.id('member_id', memberId)
  else checks.expect('member_id', memberId === '', 'nothing beside a loyalty_id', memberId)
  new ValueFields(checks).reasonOrEmpty('reason', reason)
  checks.expect('loyalty_id', /^[^\0]{0,64}$/u.test(loyaltyId), '1 to 64 characters', loyaltyId).done()
  return loyaltyId === '' ? { memberId } : { loyaltyId }
}

async function claimSale(
  parts: MemberParts,
  request: ClaimSaleRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ClaimSaleResponseSchema>> {
  const claim = await claimFrom(parts, request, 'member', request.member)
  const { given } = await sendCommand(parts.commands.claimSale, [claim, context.signal], { request, context })
  return { given: given.map(messageFromGiven) }
}

async function moveSale(
  parts: MemberParts,
  request: MoveSaleRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof MoveSaleResponseSchema>> {
  const claim = await claimFrom(parts, request, 'to', request.to)
  const reply = await sendCommand(parts.commands.moveSale, [claim, context.signal], {
    request,
    context,
    fields: { unknown_member: 'to', blocked_member: 'to', out_of_range: 'to' },
  })
  const { takenBack = [], givenBack = [], given } = reply
  return {
    takenBack: takenBack.map(messageFromValue),
    givenBack: givenBack.map(messageFromValue),
    given: given.map(messageFromGiven),
  }
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

function messageFromGiven({ currencyId, amount }: { readonly currencyId: string; readonly amount: number }) {
  return { currencyId, amount: BigInt(amount) }
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
