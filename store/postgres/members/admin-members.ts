import type { AdminMembers } from '../../ledger/members.js'
import { findRow, readRow } from '../connection/rows.js'
import { adminChanges, adminReads, type Sql, sql, storable } from '../connection/sql.js'
import type { LookUps } from '../look-ups.js'
import { createPosMembers, memberFromRow } from './pos-members.js'

type Members = Pick<AdminMembers, 'findById' | 'findByLoyaltyId' | 'store' | 'block'>
type Reply<Method extends 'store' | 'block'> = { readonly reply: Awaited<ReturnType<Members[Method]>> }

/** Members, as internal services read and change them (benefits 1). */
export function createAdminMembers(database: Sql, lookUps: LookUps): Members {
  return {
    findByLoyaltyId: createPosMembers(lookUps).lookUp,
    async findById(memberId) {
      if (storable(memberId) === null) return null
      const row = await findRow<{ body: string; loyaltyIds: readonly string[] }>(
        database,
        sql`
          select m.body, (
            select coalesce(json_agg(l.loyalty_id order by l.loyalty_id), '[]')
            from member_loyalty_id l where l.member_id = m.member_id
          ) as "loyaltyIds"
          from member m where m.member_id = ${memberId}`,
        adminReads,
      )
      if (row === null) return null
      return memberFromRow({ memberId, ...row })
    },
    async store({ requestId, digest, call, actor }, members, { moveCards = false, isDryRun = false } = {}) {
      const rows = members.map(({ memberId, loyaltyIds, ...profile }) => ({
        member_id: memberId,
        profile: JSON.stringify(profile),
        loyalty_ids: loyaltyIds,
      }))
      const row = await readRow<Reply<'store'>>(
        database,
        sql`
          select upsert_members(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest},
            ${JSON.stringify(rows)}::text::json, ${moveCards}::boolean, ${isDryRun}::boolean
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
    async block({ requestId, digest, call, actor, reason = '' }, memberId, blocked) {
      const row = await readRow<Reply<'block'>>(
        database,
        sql`
          select change_block(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${memberId}, ${blocked}::boolean
          ) as reply from set_config('lps.reason', ${reason}, true)`,
        adminChanges,
      )
      return row.reply
    },
  }
}
