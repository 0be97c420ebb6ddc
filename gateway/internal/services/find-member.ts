import type { Standing, StoredMember } from '../../../store/ledger/members.js'
import type { MemberName } from '../../../store/ledger/value.js'
import type { AdminLedger } from '../../../store/ledger.js'
import { refusal } from '../errors.js'

/** Throws MEMBER_NOT_FOUND, with the member that it was merged into. */
export async function findMember({ members }: Pick<AdminLedger, 'members'>, name: MemberName): Promise<StoredMember> {
  const isById = 'memberId' in name
  const member = isById ? await members.findById(name.memberId) : await members.findByLoyaltyId(name.loyaltyId)
  if (member !== null) return member
  const into = isById ? await members.findMergedInto(name.memberId) : null
  if (into === null) throw refusal('MEMBER_NOT_FOUND', 'no such member')
  throw refusal('MEMBER_NOT_FOUND', `merged into ${into}`, { metadata: { merged_into: into } })
}

/** A member's tier and visits; without an earned or set tier, the one stored with it. */
export function standingRecord({ tier, visits }: Standing, stored: Pick<StoredMember, 'tier'>) {
  if (tier === null) return { visits, tier: stored.tier, tierSource: stored.tier === null ? null : 'stored' }
  const { tierId, until, reason } = tier
  return { visits, tier: tierId, tierSource: reason === null ? 'earned' : 'set', tierUntil: until, tierReason: reason }
}
