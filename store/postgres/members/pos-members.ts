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
    async lookUpWithHints(loyaltyId) {
      const row = storable(loyaltyId) === null ? null : await lookUps.find('hinted', loyaltyId)
      return row && { ...bodyOf(row), memberId: row.memberId, hints: row.hints }
    },
  }
}

/** The member of a row. */
export function memberFromRow(row: MemberRow): StoredMember {
  return { ...bodyOf(row), memberId: row.memberId, loyaltyIds: row.loyaltyIds }
}

function bodyOf({ body }: Pick<MemberRow, 'body'>) {
  return JSON.parse(body) as Omit<StoredMember, 'memberId' | 'loyaltyIds'>
}
