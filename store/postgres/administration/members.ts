import type { Administration } from '../../administration.js'
import type { StoredMember } from '../../index.js'
import { findRow, readRow } from '../connection/rows.js'
import { type Sql, sql, storable } from '../connection/sql.js'
import { inspectTerms } from '../inspection/terms.js'
import { rowFromMember } from '../programmes/programmes.js'
import { changeTerms } from './terms.js'

type Members = Pick<Administration, 'findMemberById' | 'storeMembers' | 'blockMember'>
type Reply<Method extends keyof Members> = { readonly reply: Awaited<ReturnType<Members[Method]>> }

/** The members of a ledger, changed by internal services (benefits 1). */
export function createMemberAdministration(database: Sql): Members {
  return {
    async findMemberById(memberId) {
      if (storable(memberId) === null) return null
      const row = await findRow<{ body: string; loyaltyIds: readonly string[] }>(
        database,
        sql`
          select m.body, (
            select coalesce(json_agg(l.loyalty_id order by l.loyalty_id), '[]')
            from member_loyalty_id l where l.member_id = m.member_id
          ) as "loyaltyIds"
          from member m where m.member_id = ${memberId}`,
        inspectTerms,
      )
      if (row === null) return null
      const { tier, segments, blocked } = JSON.parse(row.body) as StoredMember
      return { memberId, loyaltyIds: row.loyaltyIds, tier, segments, blocked }
    },
    async storeMembers({ requestId, digest, call, actor }, members) {
      const rows = members.map((member) => {
        const letIn = rowFromMember({ ...member, blocked: false })
        return { ...letIn, body_blocked: rowFromMember({ ...member, blocked: true }).body, blocked: member.blocked }
      })
      const row = await readRow<Reply<'storeMembers'>>(
        database,
        sql`
          select order_members(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest},
            ${JSON.stringify(rows)}::text::json
          ) as reply`,
        changeTerms,
      )
      return row.reply
    },
    async blockMember({ requestId, digest, call, actor }, memberId, blocked) {
      const row = await readRow<Reply<'blockMember'>>(
        database,
        sql`
          select order_block(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${memberId}, ${blocked}::boolean
          ) as reply`,
        changeTerms,
      )
      return row.reply
    },
  }
}
