import type { AdminMembers, MergeReply } from '../../ledger/members.js'
import { findRow, readRow } from '../connection/rows.js'
import { adminChanges, adminReads, type Sql, sql } from '../connection/sql.js'
import { namedBy } from '../value/value-terms.js'

/** Members merged into others (4-member-value, section 6). */
export function createMerging(database: Sql): Pick<AdminMembers, 'merge' | 'findMergedInto'> {
  return {
    async merge({ requestId, digest, call, actor, reason = '' }, { from, into, venueLimits, isDryRun }) {
      const [gone, stays] = [namedBy(from), namedBy(into)]
      const row = await readRow<{ reply: MergeReply }>(
        database,
        sql`
          select change_merge(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest},
            ${gone.memberId}::text, ${gone.loyaltyId}::text, ${stays.memberId}::text, ${stays.loyaltyId}::text,
            array(select json_array_elements_text(${JSON.stringify(venueLimits)}::text::json)), ${isDryRun}::boolean
          ) as reply from set_config('lps.reason', ${reason}, true)`,
        adminChanges,
      )
      return row.reply
    },
    async findMergedInto(memberId) {
      const row = await findRow<{ into: string }>(
        database,
        sql`select g.into_id as "into" from merged_member g where g.member_id = ${memberId}`,
        adminReads,
      )
      return row?.into ?? null
    },
  }
}
