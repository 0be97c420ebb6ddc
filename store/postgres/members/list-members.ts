import type { AdminMembers } from '../../ledger/members.js'
import { adminReads, type Sql, sql, storable } from '../connection/sql.js'
import { memberFromRow } from './pos-members.js'

/** Members by how an id begins. */
export function createMemberLists(database: Sql): Pick<AdminMembers, 'listById' | 'listByLoyaltyId'> {
  return {
    async listById(prefix, { after, limit }) {
      if (storable(prefix) === null) return []
      const rows = await database.run<MemberRow>(
        sql`
          select m.member_id as "memberId", m.body, (
            select coalesce(json_agg(l.loyalty_id order by l.loyalty_id), '[]')
            from member_loyalty_id l where l.member_id = m.member_id
          ) as "loyaltyIds"
          from member m
          where m.member_id > ${after ?? ''} and m.member_id >= ${prefix} and m.member_id < ${behind(prefix)}
          order by m.member_id limit ${limit}::integer`,
        adminReads,
      )
      return rows.map(memberFromRow)
    },
    async listByLoyaltyId(prefix, { after, limit }) {
      if (storable(prefix) === null) return []
      const rows = await database.run<MemberRow & { readonly loyaltyId: string }>(
        sql`
          select i.loyalty_id as "loyaltyId", m.member_id as "memberId", m.body, (
            select coalesce(json_agg(l.loyalty_id order by l.loyalty_id), '[]')
            from member_loyalty_id l where l.member_id = m.member_id
          ) as "loyaltyIds"
          from member_loyalty_id i join member m on m.member_id = i.member_id
          where i.loyalty_id > ${after ?? ''} and i.loyalty_id >= ${prefix} and i.loyalty_id < ${behind(prefix)}
          order by i.loyalty_id limit ${limit}::integer`,
        adminReads,
      )
      return rows.map(({ loyaltyId, ...row }) => ({ loyaltyId, member: memberFromRow(row) }))
    },
  }
}

interface MemberRow {
  readonly memberId: string
  readonly body: string
  readonly loyaltyIds: readonly string[]
}

/** By bytes behind every text of up to 64 characters that begins so: ids hold no character beyond this one. */
function behind(prefix: string): string {
  return `${prefix}${'\u{10ffff}'.repeat(64)}`
}
