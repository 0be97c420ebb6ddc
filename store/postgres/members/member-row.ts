import type { StoredMember } from '../../ledger/members.js'

/** A row of `store_members`. */
export function rowFromMember({ memberId, loyaltyIds, ...rest }: StoredMember) {
  return { member_id: memberId, body: JSON.stringify(rest), loyalty_ids: [...new Set(loyaltyIds)] }
}
