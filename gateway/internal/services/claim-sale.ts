import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectError, HandlerContext } from '@connectrpc/connect'
import type { InspectedSale, SaleClaimReply, SaleMoveReply } from '../../../store/ledger/sales.js'
import type { MemberName } from '../../../store/ledger/value.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LowPriority } from '../../background/low-priority.js'
import {
  type ClaimedValueSchema,
  type ClaimSaleRequest,
  ClaimSaleRequestSchema,
  type ClaimSaleResponseSchema,
  type MoveSaleRequest,
  MoveSaleRequestSchema,
  type MoveSaleResponseSchema,
} from '../../gen/loyalty/v1/member_service_pb.js'
import { countClaim, countMove } from '../../use-cases/claim-sale.js'
import { refusal, refusedField } from '../errors.js'
import { commandFrom } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'
import { refusalOfValue } from '../messages/value-refusal.js'
import { findMember } from './find-member.js'
import { messageFromValue } from './return-service.js'

export interface ClaimParts {
  readonly adminLedger: Pick<AdminLedger, 'members' | 'sales' | 'calculations' | 'programmes' | 'returns'>
  readonly lowPriority: Pick<LowPriority, 'run'>
}

/** ClaimSale. The ledger decides; the engine counts the earnings before. */
export async function claimSale(
  parts: ClaimParts,
  request: ClaimSaleRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ClaimSaleResponseSchema>> {
  const { calculationId, dryRun: isDryRun } = request
  const member = memberFrom('member', request.member, request)
  const stored = await findMember(parts.adminLedger, member)
  const command = commandFrom(ClaimSaleRequestSchema, request, context)
  const reply = await counting(
    parts,
    calculationId,
    (sale) => countClaim(parts, sale, stored, context.signal),
    (counted) => parts.adminLedger.sales.claim(command, { member, calculationId, counted, isDryRun }),
  )
  if (reply.kind !== 'done') throw refusalFrom(reply, 'member', request)
  return { given: reply.given.map(messageFromGiven) }
}

/** MoveSale, as ClaimSale: with the return of everything for the member that had the sale. */
export async function moveSale(
  parts: ClaimParts,
  request: MoveSaleRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof MoveSaleResponseSchema>> {
  const { calculationId, dryRun: isDryRun } = request
  const member = memberFrom('to', request.to, request)
  const stored = await findMember(parts.adminLedger, member)
  const command = commandFrom(MoveSaleRequestSchema, request, context)
  const reply = await counting(
    parts,
    calculationId,
    (sale) => countMove(parts, sale, stored, context.signal),
    (counted) => parts.adminLedger.sales.move(command, { member, calculationId, counted, isDryRun }),
  )
  if (reply.kind !== 'done') throw refusalFrom(reply, 'to', request)
  return {
    takenBack: reply.takenBack.map(messageFromValue),
    givenBack: reply.givenBack.map(messageFromValue),
    given: reply.given.map(messageFromGiven),
  }
}

type Asked = ClaimSaleRequest | MoveSaleRequest

function memberFrom(
  field: 'member' | 'to',
  name: MoveSaleRequest['to'],
  { requestId, calculationId, reason }: Asked,
): MemberName {
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  const fields = new ValueFields(checks)
  const member = fields.member(field, name)
  fields.reasonOrEmpty('reason', reason)
  checks.done()
  return member
}

/** Again where returns came in between. */
async function counting<Count, Reply extends { readonly kind: string }>(
  { adminLedger }: ClaimParts,
  calculationId: string,
  count: (sale: InspectedSale) => Promise<Count | 'unknown' | null>,
  send: (counted: Count | 'unknown') => Promise<Reply>,
): Promise<Exclude<Reply, { readonly kind: 'changed' }>> {
  const found = await adminLedger.sales.find(calculationId)
  for (;;) {
    const counted = found === null ? 'unknown' : await count(found.sale)
    if (counted === null) throw refusal('PROGRAMME_NOT_FOUND', 'its programme version is not there')
    const reply = await send(counted)
    if (reply.kind !== 'changed') return reply as Exclude<Reply, { readonly kind: 'changed' }>
  }
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
  reply: Exclude<SaleClaimReply | SaleMoveReply, { readonly kind: 'done' | 'changed' }>,
  field: 'member' | 'to',
  request: Asked,
): ConnectError {
  switch (reply.kind) {
    case 'unknown_member':
    case 'blocked_member':
    case 'request_id_conflict':
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
    case 'body_gone':
      return refusal('CALCULATION_BODY_GONE', 'the basket of this sale is no longer kept')
  }
}
