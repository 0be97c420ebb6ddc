import type { MemberFacts } from '../../engine/core/base/basket.js'
import type { StoredMember } from '../../store/ledger/members.js'
import type { AdminLedger } from '../../store/ledger.js'
import { memberFacts } from '../cache/members.js'

/**
 * What the engine needs of a member, with its tier and visits as the ledger has them now, and without balances: nothing is spent. null:
 * it is blocked.
 */
export async function standingMember(
  adminLedger: { readonly members: Pick<AdminLedger['members'], 'findStanding'> },
  stored: StoredMember,
): Promise<MemberFacts | null> {
  const facts = memberFacts(stored)
  if (facts === null) return null
  const { visits, tier } = await adminLedger.members.findStanding(stored.memberId)
  return { ...facts, visits, tier: tier?.tierId ?? facts.tier }
}
