import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { ConnectError, HandlerContext } from '@connectrpc/connect'
import type { MergeReply } from '../../../store/ledger/members.js'
import type { MergeMembersRequest, MergeMembersResponseSchema } from '../../gen/loyalty/v1/member_service_pb.js'
import { type MergeParts, mergeMembers } from '../../use-cases/merge-members.js'
import { invalidFields, refusedField } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'
import { refusalOfValue } from '../messages/value-refusal.js'

export async function callMergeMembers(
  parts: MergeParts,
  request: MergeMembersRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof MergeMembersResponseSchema>> {
  const checks = new FieldChecks().uuid('request_id', request.requestId)
  const fields = new ValueFields(checks)
  const [from, into] = [fields.member('from', request.from), fields.member('into', request.into)]
  fields.reasonOrEmpty('reason', request.reason)
  checks.done()
  const reply = await sendCommand(request, context, (command) =>
    mergeMembers(parts, command, { from, into, isDryRun: request.dryRun }),
  )
  if (reply.kind !== 'done') throw refusalFrom(reply, request)
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

function refusalFrom(
  reply: Exclude<MergeReply, { readonly kind: 'done' | 'request_id_conflict' }>,
  request: MergeMembersRequest,
): ConnectError {
  switch (reply.kind) {
    case 'unknown_member':
      return refusalOfValue(reply, reply.place === 0 ? 'from' : 'into', request)
    case 'same_member':
      return invalidFields([{ field: 'into', description: 'expected another member than in from' }])
    case 'out_of_range':
      return refusedField('OUT_OF_RANGE', 'into', `the account of ${reply.currencyId} would pass 2^53 - 1`)
  }
}
