import type { Cache } from '../../store/cache.js'
import { ignoreStoreFault } from '../../store/fault.js'
import type { Command } from '../../store/ledger/calls.js'
import type { Merge, MergeReply } from '../../store/ledger/members.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import { venueLimits } from './forget-members.js'

export interface MergeParts {
  readonly adminLedger: Pick<AdminLedger, 'members'>
  readonly cache: Pick<Cache, 'forgetCounters'> | null
  readonly facts: Pick<LookupCache, 'limits'>
}

/** Merges a member into another, or lists what would move (4-member-value 6 and 9). */
export async function mergeMembers(
  { adminLedger, cache, facts }: MergeParts,
  command: Command,
  merge: Omit<Merge, 'venueLimits'>,
): Promise<MergeReply> {
  const reply = await adminLedger.members.merge(command, { ...merge, venueLimits: venueLimits(facts) })
  // The next call that needs them asks the ledger. While Redis is out of reach, that refuses baskets beyond a limit.
  if (reply.kind === 'done' && !merge.isDryRun) await cache?.forgetCounters(reply.counters).catch(ignoreStoreFault)
  return reply
}
