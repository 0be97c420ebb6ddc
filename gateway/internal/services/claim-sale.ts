import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectError, HandlerContext } from '@connectrpc/connect'
import type { SaleClaimReply } from '../../../store/ledger/sales.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LowPriority } from '../../background/low-priority.js'
import {
  type ClaimSaleRequest,
  ClaimSaleRequestSchema,
  type ClaimSaleResponseSchema,
} from '../../gen/loyalty/v1/member_service_pb.js'
import { countClaim } from '../../use-cases/claim-sale.js'
import { refusal, refusedField } from '../errors.js'
import { commandFrom } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'
import { refusalOfValue } from '../messages/value-refusal.js'
import { findMember } from './find-member.js'

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
  const { requestId, calculationId } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  const fields = new ValueFields(checks)
  const name = fields.member('member', request.member)
  fields.reasonOrEmpty('reason', request.reason)
  checks.done()
  const { adminLedger } = parts
  const member = await findMember(adminLedger, name)
  const found = await adminLedger.sales.find(calculationId)
  const command = commandFrom(ClaimSaleRequestSchema, request, context)
  const claim = async () => {
    const counted = found === null ? 'unknown' : await countClaim(parts, found.sale, member, context.signal)
    if (counted === null) throw refusal('PROGRAMME_NOT_FOUND', 'its programme version is not there')
    return await adminLedger.sales.claim(command, { member: name, calculationId, counted, isDryRun: request.dryRun })
  }
  let reply = await claim()
  while (reply.kind === 'changed') reply = await claim()
  if (reply.kind !== 'done') throw refusalFrom(reply, request)
  return { given: reply.given.map(({ currencyId, amount }) => ({ currencyId, amount: BigInt(amount) })) }
}

function refusalFrom(
  reply: Exclude<SaleClaimReply, { readonly kind: 'done' | 'changed' }>,
  request: ClaimSaleRequest,
): ConnectError {
  switch (reply.kind) {
    case 'unknown_member':
    case 'blocked_member':
    case 'request_id_conflict':
      return refusalOfValue(reply, 'member', request)
    case 'unknown_sale':
      return refusedField('SALE_NOT_FOUND', 'calculation_id', 'no sale of this calculation that was charged')
    case 'already_claimed':
      return refusedField('ALREADY_CLAIMED', 'calculation_id', 'this sale was claimed before')
    case 'has_member':
      return refusedField('SALE_HAS_MEMBER', 'calculation_id', 'a member was found for this sale')
    case 'unknown_calculation':
      return refusedField('CALCULATION_NOT_FOUND', 'calculation_id', 'the basket of this sale never came')
    case 'body_gone':
      return refusal('CALCULATION_BODY_GONE', 'the basket of this sale is no longer kept')
  }
}
