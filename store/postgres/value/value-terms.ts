import type { MemberName } from '../../ledger/value.js'
import { storable } from '../connection/sql.js'

/** A loyalty id that Postgres cannot hold is nobody's, as null is. */
export function namedBy(member: MemberName): { readonly memberId: string | null; readonly loyaltyId: string | null } {
  return 'memberId' in member
    ? { memberId: member.memberId, loyaltyId: null }
    : { memberId: null, loyaltyId: storable(member.loyaltyId) }
}

/** As Postgres reads it. */
export function momentText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
