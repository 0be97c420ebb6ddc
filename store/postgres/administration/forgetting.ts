import type { Administration, ForgettingReply, MemberIds, Order, ProgrammeTexts } from '../../administration.js'
import { findRow, readRow } from '../connection/rows.js'
import { type Sql, type Statement, sql } from '../connection/sql.js'
import { inspectTerms } from '../inspection/terms.js'
import { changeTerms } from './terms.js'

type Forgetting = Pick<
  Administration,
  | 'forgetMember'
  | 'forgetLoyaltyId'
  | 'findForgotten'
  | 'findErasure'
  | 'findTextsNaming'
  | 'replaceTexts'
  | 'finishErasure'
>

/** Members forgotten for good: identifiers go, sums stay. */
export function createForgetting(database: Sql): Forgetting {
  return {
    async forgetMember(order, memberId, venueLimits) {
      const row = await readRow<{ reply: ForgettingReply | { readonly kind: 'unknown_member' } }>(
        database,
        memberForgotten(order, memberId, venueLimits),
        changeTerms,
      )
      return row.reply
    },
    async forgetLoyaltyId(order, loyaltyId, venueLimits) {
      const row = await readRow<{ reply: ForgettingReply }>(
        database,
        loyaltyIdForgotten(order, loyaltyId, venueLimits),
        changeTerms,
      )
      return row.reply
    },
    async findForgotten(named) {
      return await readRow<MemberIds>(database, forgottenAmong(named), changeTerms)
    },
    async findErasure(ageMs) {
      const row = await findRow<{ memberId: string; loyaltyIds: readonly string[] }>(
        database,
        sql`
          select e.member_id as "memberId", to_json(e.loyalty_ids) as "loyaltyIds" from erasure e
          where e.asked_at <= statement_timestamp() - make_interval(secs => ${ageMs / 1_000}::float8)
          order by e.asked_at
          limit 1`,
        inspectTerms,
      )
      return row
    },
    async findTextsNaming(version, ids) {
      // Where a text holds escapes, only who reads it can tell.
      const row = await findRow<ProgrammeTexts>(
        database,
        sql`
          select v.document, v.benefits from programme_version v
          where v.version = ${version}::integer
            and (position('\\' in v.document) > 0 or exists (
              select from json_array_elements_text(${JSON.stringify(ids)}::text::json) i (id)
              where strpos(v.document, i.id) > 0
            ))`,
        inspectTerms,
      )
      return row
    },
    async replaceTexts(version, { document, benefits }) {
      await database.run(
        sql`
          update programme_version v set document = ${document}, benefits = ${benefits}
          where v.version = ${version}::integer`,
        changeTerms,
      )
    },
    async finishErasure(memberId, venueLimits) {
      await database.run(
        sql`
          select finish_erasure(
            ${memberId}, array(select json_array_elements_text(${JSON.stringify(venueLimits)}::text::json))
          )`,
        changeTerms,
      )
    },
  }
}

function memberForgotten(
  { requestId, digest, call, actor }: Order,
  memberId: string,
  venueLimits: readonly string[],
): Statement {
  return sql`
    select order_forgetting(
      row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${memberId},
      array(select json_array_elements_text(${JSON.stringify(venueLimits)}::text::json))
    ) as reply`
}

function loyaltyIdForgotten(
  { requestId, digest, call, actor }: Order,
  loyaltyId: string,
  venueLimits: readonly string[],
): Statement {
  return sql`
    select order_forgetting_loyalty_id(
      row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${loyaltyId},
      array(select json_array_elements_text(${JSON.stringify(venueLimits)}::text::json))
    ) as reply`
}

function forgottenAmong({ memberIds, loyaltyIds }: MemberIds): Statement {
  return sql`
    select (
        select coalesce(json_agg(f.id), '[]') from forgotten_among('member', ${JSON.stringify(memberIds)}::text::json) f (id)
      ) as "memberIds", (
        select coalesce(json_agg(f.id), '[]') from forgotten_among('loyalty', ${JSON.stringify(loyaltyIds)}::text::json) f (id)
      ) as "loyaltyIds"`
}
