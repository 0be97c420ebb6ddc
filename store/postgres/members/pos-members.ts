import type { PosMembers, StoredMember } from '../../ledger/members.js'
import { storable } from '../connection/sql.js'
import type { LookUps, MemberRow } from '../look-ups.js'

/** Members, as POS calls need them (benefits 1). */
export function createPosMembers(lookUps: LookUps): PosMembers {
  return {
    async lookUp(loyaltyId) {
      const row = storable(loyaltyId) === null ? null : await lookUps.find('member', loyaltyId)
      return row ? memberFromRow(row) : null
    },
    async findHints(loyaltyId) {
      const row = storable(loyaltyId) === null ? null : await lookUps.find('hints', loyaltyId)
      return row && { memberId: row.memberId, ...row.hints }
    },
  }
}

function memberFromRow({ memberId, body, loyaltyIds }: MemberRow): StoredMember {
  return { ...(JSON.parse(body) as Omit<StoredMember, 'memberId' | 'loyaltyIds'>), memberId, loyaltyIds }
}
