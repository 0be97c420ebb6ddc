import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { AdminLedger } from '../../../store/ledger.js'
import type {
  ClaimedValueSchema,
  ClaimSaleRequest,
  ClaimSaleResponseSchema,
  MoveSaleRequest,
  MoveSaleResponseSchema,
} from '../../gen/loyalty/v1/sale_claim_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'
import { findMember } from './find-member.js'
import { messageFromValue } from './return-service.js'

export async function callClaimSale(
  parts: ClaimParts,
  request: ClaimSaleRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ClaimSaleResponseSchema>> {
  const claim = await claimFrom(parts, request, 'member', request.member)
  const { given } = await sendCommand(parts.commands.claimSale, [claim, context.signal], { request, context })
  return { given: given.map(messageFromGiven) }
}

export async function callMoveSale(
  parts: ClaimParts,
  request: MoveSaleRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof MoveSaleResponseSchema>> {
  const claim = await claimFrom(parts, request, 'to', request.to)
  const {
    takenBack = [],
    givenBack = [],
    given,
  } = await sendCommand(parts.commands.moveSale, [claim, context.signal], {
    request,
    context,
    fields: {
      unknown_member: 'to',
      blocked_member: 'to',
      out_of_range: 'to',
    },
  })
  return {
    takenBack: takenBack.map(messageFromValue),
    givenBack: givenBack.map(messageFromValue),
    given: given.map(messageFromGiven),
  }
}

interface ClaimParts {
  readonly adminLedger: Pick<AdminLedger, 'members'>
  readonly commands: Commands
}

/** The checked claim; `field` names the member. */
async function claimFrom(
  { adminLedger }: ClaimParts,
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

function messageFromGiven({
  currencyId,
  amount,
}: {
  readonly currencyId: string
  readonly amount: number
}): MessageInitShape<typeof ClaimedValueSchema> {
  return { currencyId, amount: BigInt(amount) }
}
