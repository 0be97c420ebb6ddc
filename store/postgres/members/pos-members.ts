import type { PosMembers, StoredMember } from '../../ledger/members.js'
import { storable } from '../connection/sql.js'
import type { LookUps, MemberRow } from '../look-ups.js'

export function createPosMembers(lookUps: LookUps): PosMembers {
  return {
    async lookUp(loyaltyId) {
      const row = storable(loyaltyId) === null ? null : await lookUps.find('member', loyaltyId)
      return row ? memberFromRow(row) : null
    },
    async lookUpWithHints(loyaltyId) {
      const row = storable(loyaltyId) === null ? null : await lookUps.find('hinted', loyaltyId)
      return row && { ...bodyOf(row), memberId: row.memberId, hints: row.hints }
    },
  }
}

export function memberFromRow(row: MemberRow): StoredMember {
  return { ...bodyOf(row), memberId: row.memberId, loyaltyIds: row.loyaltyIds }
}

function bodyOf({ body }: Pick<MemberRow, 'body'>) {
  return JSON.parse(body) as Omit<StoredMember, 'memberId' | 'loyaltyIds'>
}

export function rowFromMember({ memberId, loyaltyIds, ...rest }: StoredMember) {
  return { member_id: memberId, body: JSON.stringify(rest), loyalty_ids: [...new Set(loyaltyIds)] }
}
