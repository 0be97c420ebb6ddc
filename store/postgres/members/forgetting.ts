import type { AdminMembers, Erasure, ForgettingProgress, MemberIds } from '../../ledger/members.js'
import { change } from '../connection/changes.js'
import { adminChanges, adminReads, findRow, readRow, type Sql, type Statement, sql } from '../connection/sql.js'

type Forgetting = Pick<
  AdminMembers,
  'forget' | 'forgetLoyaltyId' | 'findForgotten' | 'findErasure' | 'finishErasure' | 'findForgetting'
>

export function createForgetting(database: Sql): Forgetting {
  return {
    forget: (command, memberId, venueLimits) =>
      change(database, command, 'change_forgetting', [memberId, null, venueLimits]),
    forgetLoyaltyId: (command, loyaltyId, venueLimits) =>
      change(database, command, 'change_forgetting', [null, loyaltyId, venueLimits]),
    async findForgotten(named) {
      return await readRow<MemberIds>(database, forgottenAmong(named), adminChanges)
    },
    async findErasure(ageMs) {
      return await findRow<Erasure>(
        database,
        sql`
          select e.request_id::text as "requestId", e.member_id as "memberId", to_json(e.loyalty_ids) as "loyaltyIds",
            e.name_seed::text as "nameSeed"
          from erasure e
          where e.asked_at <= statement_timestamp() - make_interval(secs => ${ageMs / 1_000}::float8)
          order by e.asked_at
          limit 1`,
        adminReads,
      )
    },
    async finishErasure({ requestId, memberId }, venueLimits) {
      await database.run(
        sql`
          select complete_erasure(
            ${requestId}::uuid, ${memberId}, array(select json_array_elements_text(${JSON.stringify(venueLimits)}::text::json))
          )`,
        adminChanges,
      )
    },
    async findForgetting(requestId) {
      return await findRow<ForgettingProgress>(
        database,
        sql`
          select milliseconds(f.asked_at) as "askedAt", milliseconds(f.completed_at) as "completedAt"
          from forgetting f where f.request_id = ${requestId}::uuid`,
        adminReads,
      )
    },
  }
}

function forgottenAmong({ memberIds, loyaltyIds }: MemberIds): Statement {
  return sql`
    select (
        select coalesce(json_agg(f.id), '[]') from forgotten_among('member', ${JSON.stringify(memberIds)}::text::json) f (id)
      ) as "memberIds", (
        select coalesce(json_agg(f.id), '[]') from forgotten_among('loyalty', ${JSON.stringify(loyaltyIds)}::text::json) f (id)
      ) as "loyaltyIds"`
}
