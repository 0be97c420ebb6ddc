import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectError, HandlerContext } from '@connectrpc/connect'
import type { MemberName } from '../../../store/ledger/value.js'
import type {
  ClaimedValueSchema,
  ClaimSaleRequest,
  ClaimSaleResponseSchema,
  MoveSaleRequest,
  MoveSaleResponseSchema,
} from '../../gen/loyalty/v1/sale_claim_pb.js'
import { type ClaimParts, claimSale } from '../../use-cases/claim-sale.js'
import { refusal, refusedField } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'
import { refusalOfValue } from '../messages/value-refusal.js'
import { findMember } from './find-member.js'
import { messageFromValue } from './return-service.js'

export async function callClaimSale(
  parts: ClaimParts,
  request: ClaimSaleRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ClaimSaleResponseSchema>> {
  const { given } = await claimed(parts, { request, field: 'member', name: request.member }, context)
  return { given: given.map(messageFromGiven) }
}

export async function callMoveSale(
  parts: ClaimParts,
  request: MoveSaleRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof MoveSaleResponseSchema>> {
  const moved = await claimed(parts, { request, field: 'to', name: request.to }, context)
  const { takenBack = [], givenBack = [], given } = moved
  return {
    takenBack: takenBack.map(messageFromValue),
    givenBack: givenBack.map(messageFromValue),
    given: given.map(messageFromGiven),
  }
}

interface Asked {
  readonly request: ClaimSaleRequest | MoveSaleRequest
  readonly field: 'member' | 'to'
  readonly name: MoveSaleRequest['to']
}

type Claimed = Awaited<ReturnType<typeof claimSale>>

async function claimed(
  parts: ClaimParts,
  { request, field, name }: Asked,
  context: HandlerContext,
): Promise<Extract<Claimed, { readonly kind: 'done' }>> {
  const { requestId, calculationId, reason, dryRun: isDryRun } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  const fields = new ValueFields(checks)
  const member: MemberName = fields.member(field, name)
  fields.reasonOrEmpty('reason', reason)
  checks.done()
  const stored = await findMember(parts.adminLedger, member)
  const claim = { member, stored, calculationId, isMove: field === 'to', isDryRun }
  const reply = await sendCommand(request, context, (command) => claimSale(parts, command, claim, context.signal))
  if (reply.kind !== 'done') throw refusalFrom(reply, field, request)
  return reply
}

function messageFromGiven({
  currencyId,
  amount,
}: {
  readonly currencyId: string
  readonly amount: number
}): MessageInitShape<typeof ClaimedValueSchema> {
  return { currencyId, amount: BigInt(amount) }
}

function refusalFrom(
  reply: Exclude<Claimed, { readonly kind: 'done' | 'request_id_conflict' }>,
  field: Asked['field'],
  request: Asked['request'],
): ConnectError {
  switch (reply.kind) {
    case 'unknown_member':
    case 'blocked_member':
    case 'out_of_range':
      return refusalOfValue(reply, field, request)
    case 'unknown_sale':
      return refusedField('SALE_NOT_FOUND', 'calculation_id', 'no sale of this calculation that was charged')
    case 'already_claimed':
      return refusedField('ALREADY_CLAIMED', 'calculation_id', 'this sale was claimed before')
    case 'already_moved':
      return refusedField('ALREADY_CLAIMED', 'calculation_id', "this sale is, or was, the member's")
    case 'has_member':
      return refusedField('SALE_HAS_MEMBER', 'calculation_id', 'a member was found for this sale')
    case 'no_member':
      return refusedField('SALE_HAS_NO_MEMBER', 'calculation_id', 'no member has this sale: ClaimSale gives it to one')
    case 'unknown_calculation':
      return refusedField('CALCULATION_NOT_FOUND', 'calculation_id', 'the basket of this sale never came')
    case 'programme_not_found':
      return refusal('PROGRAMME_NOT_FOUND', 'its programme version is not there')
    case 'body_gone':
      return refusal('CALCULATION_BODY_GONE', 'the basket of this sale is no longer kept')
  }
}
