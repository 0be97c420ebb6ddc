import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { ConnectError, HandlerContext } from '@connectrpc/connect'
import type { Cache } from '../../../store/cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { MergeReply } from '../../../store/ledger/members.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import {
  type MergeMembersRequest,
  MergeMembersRequestSchema,
  type MergeMembersResponseSchema,
} from '../../gen/loyalty/v1/member_service_pb.js'
import { venueLimits } from '../../use-cases/forget-members.js'
import { invalidFields, refusedField } from '../errors.js'
import { commandFrom } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'
import { refusalOfValue } from '../messages/value-refusal.js'

export interface MergingParts {
  readonly adminLedger: Pick<AdminLedger, 'members'>
  readonly cache: Pick<Cache, 'forgetCounters'> | null
  readonly facts: Pick<LookupCache, 'limits'>
}

export async function mergeMembers(
  { adminLedger, cache, facts }: MergingParts,
  request: MergeMembersRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof MergeMembersResponseSchema>> {
  const checks = new FieldChecks().uuid('request_id', request.requestId)
  const fields = new ValueFields(checks)
  const merge = {
    from: fields.member('from', request.from),
    into: fields.member('into', request.into),
    venueLimits: venueLimits(facts),
    isDryRun: request.dryRun,
  }
  fields.reasonOrEmpty('reason', request.reason)
  checks.done()
  const reply = await adminLedger.members.merge(commandFrom(MergeMembersRequestSchema, request, context), merge)
  if (reply.kind !== 'done') throw refusalFrom(reply, request)
  if (!request.dryRun) await forgetCounters(cache, reply)
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

/** The next call that needs them loads them from the ledger. While Redis is out of reach, the ledger refuses baskets beyond a limit. */
async function forgetCounters(
  cache: MergingParts['cache'],
  { counters }: Extract<MergeReply, { kind: 'done' }>,
): Promise<void> {
  if (cache === null || counters.length === 0) return
  try {
    await cache.forgetCounters(counters)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
  }
}

function refusalFrom(
  reply: Exclude<MergeReply, { readonly kind: 'done' }>,
  request: MergeMembersRequest,
): ConnectError {
  switch (reply.kind) {
    case 'unknown_member':
      return refusalOfValue(reply, reply.place === 0 ? 'from' : 'into', request)
    case 'same_member':
      return invalidFields([{ field: 'into', description: 'expected another member than in from' }])
    case 'out_of_range':
      return refusedField('OUT_OF_RANGE', 'into', `the account of ${reply.currencyId} would pass 2^53 - 1`)
    case 'request_id_conflict':
      return refusalOfValue(reply, '', request)
  }
}
