import type { AdminMembers, Standing, TierReply } from '../../ledger/members.js'
import { readRow } from '../connection/rows.js'
import { adminChanges, adminReads, type Sql, sql, storable } from '../connection/sql.js'
import { momentText, namedBy } from '../value/value-terms.js'

/** What members have reached (4-member-value, section 2), and what people give them. */
export function createTiers(database: Sql): Pick<AdminMembers, 'findStanding' | 'setTier'> {
  return {
    async findStanding(memberId) {
      if (storable(memberId) === null) return { visits: 0, tier: null }
      return await readRow<Standing>(
        database,
        sql`
          select coalesce((select v.visits from member_visits v where v.member_id = ${memberId}), 0) as visits,
            case when t.tier_id is not null then json_build_object(
              'tierId', t.tier_id, 'until', milliseconds(t.until), 'reason', t.reason
            ) end as tier
          from member_tier(${memberId}) t`,
        adminReads,
      )
    },
    async setTier({ actor, call, requestId, digest }, { member, given, reason }) {
      const { memberId, loyaltyId } = namedBy(member)
      const row = await readRow<{ reply: TierReply }>(
        database,
        sql`
          select change_tier(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${memberId}::text,
            ${loyaltyId}::text, ${given?.tierId ?? null}::text,
            ${momentText(given?.until ?? null)}::text::timestamptz, ${reason}
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
  }
}
