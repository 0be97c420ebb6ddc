import type { HandlerContext } from '@connectrpc/connect'
import { segmentPageMax, type Vouchers } from '../../../store/ledger/rewards.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import {
  type ActivateRewardRequest,
  type CancelActivationRequest,
  type ClaimCodeRequest,
  type ImportCodesRequest,
  type IssueVouchersRequest,
  type ListRewardsRequest,
  type ListSegmentsRequest,
  RewardService,
} from '../../gen/loyalty/v1/reward_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { listRewards } from '../../use-cases/list-rewards.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { refusalFrom } from '../messages/refusals.js'
import { ValueFields } from '../messages/value-fields.js'
import { findMember } from './find-member.js'

const codesMax = 1_000
/** Shorter codes are too easy to guess. */
const codeForm = /^[^\p{Cc}\p{Cs}]{6,64}$/u

export interface RewardParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'members' | 'value' | 'venues'>
  readonly commands: Commands
  readonly facts: Pick<LookupCache, 'costed' | 'arms' | 'venueFacts'>
}

/** Rewards, vouchers, codes and exchanges (4-member-value, section 6). */
export function rewardRoutes(parts: RewardParts) {
  return routeOf(RewardService, {
    listRewards: (request) => list(parts, request),
    listSegments: (request) => listSegments(parts, request),
    issueVouchers: (request, context) => issue(parts, request, context),
    async importCodes(request, context) {
      await importCodes(parts, request, context)
      return {}
    },
    claimCode: (request, context) => claim(parts, request, context),
    async voidCode(request, context) {
      const { requestId, code } = request
      const checks = new FieldChecks().uuid('request_id', requestId)
      checkCode(checks, 'code', code)
      checks.done()
      await sendCommand(parts.commands.voidCode, [code], { request, context })
      return {}
    },
    activateReward: (request, context) => activate(parts, request, context),
    cancelActivation: (request, context) => cancel(parts, request, context),
  })
}

async function list({ adminLedger, facts }: RewardParts, request: ListRewardsRequest) {
  const { venueId } = request
  const checks = new FieldChecks().id('venue_id', venueId)
  const named = new ValueFields(checks).member('member', request.member)
  checks.done()
  const member = await findMember(adminLedger, named)
  const venue = await adminLedger.venues.find(venueId)
  if (venue === null) throw refusal('VENUE_NOT_FOUND', 'no such venue')
  const rewards = await listRewards({ adminLedger, facts }, member, venue)
  if (rewards === null) throw refusalFrom({ kind: 'blocked_member' }, request)
  return {
    rewards: rewards.map(({ costs, ...reward }) => ({ ...reward, ...costs })),
  }
}

async function listSegments({ adminLedger }: RewardParts, { grant }: ListSegmentsRequest) {
  new FieldChecks().idOrEmpty('grant', grant).done()
  return { segments: await adminLedger.members.listSegments(grant) }
}

async function issue({ commands }: RewardParts, request: IssueVouchersRequest, context: HandlerContext) {
  const { requestId, currencyId } = request
  const checks = new FieldChecks().uuid('request_id', requestId).id('currency_id', currencyId)
  const fields = new ValueFields(checks)
  const vouchers = {
    currencyId,
    amount: fields.amount('amount', request.amount),
    expiresAt: fields.dates('', { expiresAt: request.expiresAt }).expiresAt,
    to: receiversFrom(request, checks),
  }
  fields.reasonOrEmpty('reason', request.reason)
  checks.done()
  const receiver = (place: number) => (request.segment === '' ? `members[${place}]` : 'segment')
  const { members, last } = await sendCommand(commands.issueVouchers, [vouchers], {
    request,
    context,
    fields: { unknown_member: receiver, same_member: receiver, out_of_range: receiver },
  })
  return { members, nextAfterMemberId: last }
}

function receiversFrom(
  { members, segment, afterMemberId, grant }: IssueVouchersRequest,
  checks: FieldChecks,
): Vouchers['to'] {
  const isSegment = segment !== ''
  checks.expect('members', isSegment !== members.length > 0, 'either members or a segment', isSegment ? 'both' : '')
  checks.expect('members', members.length <= segmentPageMax, `at most ${segmentPageMax}`, String(members.length))
  checks.idOrEmpty('segment', segment).idOrEmpty('after_member_id', afterMemberId)
  checks.expect('after_member_id', isSegment || afterMemberId === '', 'nothing without a segment', afterMemberId)
  checks.idOrEmpty('grant', grant).expect('grant', isSegment || grant === '', 'nothing without a segment', grant)
  if (isSegment) return { segment, after: afterMemberId, grant: grant || null }
  const fields = new ValueFields(checks)
  return members.slice(0, segmentPageMax).map((name, place) => fields.member(`members[${place}]`, name))
}

async function importCodes({ commands }: RewardParts, request: ImportCodesRequest, context: HandlerContext) {
  const { requestId, currencyId, codes } = request
  const checks = new FieldChecks().uuid('request_id', requestId).id('currency_id', currencyId)
  const fields = new ValueFields(checks)
  const amount = fields.amount('amount', request.amount)
  const { expiresAt } = fields.dates('', { expiresAt: request.expiresAt })
  const isCount = codes.length >= 1 && codes.length <= codesMax
  checks.expect('codes', isCount, `1 to ${codesMax} codes`, String(codes.length))
  if (isCount) checkCodes(checks, codes)
  checks.done()
  await sendCommand(commands.importCodes, [{ currencyId, amount, codes, expiresAt }, request.dryRun], {
    request,
    context,
  })
}

function checkCodes(checks: FieldChecks, codes: readonly string[]): void {
  const seen = new Map<string, number>()
  for (const [place, code] of codes.entries()) {
    const field = `codes[${place}]`
    checkCode(checks, field, code)
    const earlier = seen.get(code)
    checks.expect(field, earlier === undefined, 'a code of its own', `the same as codes[${earlier}]`)
    if (earlier === undefined) seen.set(code, place)
  }
}

/** A code is worth money: no answer repeats it. */
function checkCode(checks: FieldChecks, field: string, code: string): void {
  const received = code === '' ? '' : `${Array.from(code).length} characters`
  checks.expect(field, codeForm.test(code), '6 to 64 characters without control characters', received)
}

async function claim({ commands }: RewardParts, request: ClaimCodeRequest, context: HandlerContext) {
  const { requestId, code } = request
  const checks = new FieldChecks().uuid('request_id', requestId)
  const fields = new ValueFields(checks)
  const member = fields.member('member', request.member)
  checkCode(checks, 'code', code)
  fields.reasonOrEmpty('reason', request.reason)
  checks.done()
  return await sendCommand(commands.claimCode, [{ member, code }], {
    request,
    context,
    fields: { out_of_range: 'code' },
  })
}

async function activate({ commands }: RewardParts, request: ActivateRewardRequest, context: HandlerContext) {
  const { requestId, fromCurrencyId, toCurrencyId, times } = request
  const checks = new FieldChecks().uuid('request_id', requestId)
  const fields = new ValueFields(checks)
  const member = fields.member('member', request.member)
  fields.reasonOrEmpty('reason', request.reason)
  checks.id('from_currency_id', fromCurrencyId).id('to_currency_id', toCurrencyId)
  checks.expect('times', times >= 1, '1 or more', String(times)).done()
  const reply = await sendCommand(commands.activateReward, [{ member, fromCurrencyId, toCurrencyId, times }], {
    request,
    context,
    fields: { out_of_range: 'times', insufficient: 'times' },
  })
  return { ...reply, activationId: reply.activation }
}

async function cancel({ commands }: RewardParts, request: CancelActivationRequest, context: HandlerContext) {
  const { requestId } = request
  const checks = new FieldChecks().uuid('request_id', requestId)
  const fields = new ValueFields(checks)
  const activationId = fields.amount('activation_id', request.activationId)
  fields.reasonOrEmpty('reason', request.reason)
  checks.done()
  return await sendCommand(commands.cancelActivation, [activationId], {
    request,
    context,
    fields: { out_of_range: 'activation_id' },
  })
}
