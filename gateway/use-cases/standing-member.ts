import type { MemberFacts } from '../../engine/core/base/basket.js'
import type { StoredMember } from '../../store/ledger/members.js'
import type { AdminLedger } from '../../store/ledger.js'
import { hintedMember, memberFacts } from '../cache/members.js'

/** A member's present facts for the engine, from the ledger. null: it is blocked. */
export async function standingMember(
  adminLedger: { readonly members: Pick<AdminLedger['members'], 'findHints'> },
  stored: StoredMember,
): Promise<MemberFacts | null> {
  const facts = memberFacts(stored)
  return facts === null ? null : hintedMember(facts, await adminLedger.members.findHints(stored.memberId))
}
