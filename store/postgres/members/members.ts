import type {
  AdminMembers,
  Erasure,
  ForgettingProgress,
  MemberHints,
  MemberIds,
  MergeReply,
  PosMembers,
  Standing,
  StoredMember,
  TierReply,
} from '../../ledger/members.js'
import { change, momentText, namedBy, withoutReason } from '../connection/changes.js'
import {
  adminChanges,
  adminReads,
  findRow,
  readRow,
  type Sql,
  type Statement,
  sql,
  storable,
} from '../connection/sql.js'
import type { LookUps, MemberRow } from '../look-ups.js'

const segmentsMax = 500

type Reply<Method extends 'store' | 'block' | 'note'> = Awaited<ReturnType<AdminMembers[Method]>>

export function createAdminMembers(database: Sql, lookUps: LookUps): AdminMembers {
  return {
    ...createMemberLists(database),
    ...createStandings(database),
    ...createForgetting(database),
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
    async store(command, members, { moveCards = false, isDryRun = false } = {}) {
      const rows = members.map(({ memberId, loyaltyIds, ...profile }) => ({
        member_id: memberId,
        profile: JSON.stringify(profile),
        loyalty_ids: loyaltyIds,
      }))
      return await change<Reply<'store'>>(database, command, 'upsert_members', [
        JSON.stringify(rows),
        moveCards,
        isDryRun,
      ])
    },
    async note(command, member) {
      const { memberId, loyaltyId } = namedBy(member)
      return await change<Reply<'note'>>(database, command, 'change_note', [memberId, loyaltyId])
    },
    async block(command, memberId, blocked) {
      return await change<Reply<'block'>>(database, command, 'change_block', [memberId, blocked])
    },
  }
}

function createMemberLists(database: Sql): Pick<AdminMembers, 'listById' | 'listByLoyaltyId' | 'listSegments'> {
  return {
    async listSegments(grant) {
      const rows = await database.run<{ id: string; members: number; granted: number }>(
        sql`
          select s.id, count(*)::integer as members, count(g.member_id)::integer as granted
          from member m cross join lateral segments_of(m.body) s (id)
          left join voucher_grant g on g.grant_id = ${grant} and g.member_id = m.member_id
          group by s.id order by members desc, s.id collate "C" limit ${segmentsMax}::integer`,
        adminReads,
      )
      return rows.map(({ id, ...counts }) => ({ segmentId: JSON.parse(id) as string, ...counts }))
    },
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

/** By bytes behind every text of up to 64 characters that begins so: ids hold no character beyond this one. */
function behind(prefix: string): string {
  return `${prefix}${'\u{10ffff}'.repeat(64)}`
}

function createStandings(
  database: Sql,
): Pick<AdminMembers, 'findStanding' | 'findHints' | 'noteExport' | 'setTier' | 'merge' | 'findMergedInto'> {
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
    async findHints(memberId) {
      const { hints } = await readRow<{ hints: MemberHints }>(
        database,
        sql`select member_hints(${storable(memberId)}) as hints`,
        adminReads,
      )
      return hints
    },
    async noteExport({ requestId, call, actor }, memberId) {
      const { former } = await readRow<{ former: Awaited<ReturnType<AdminMembers['noteExport']>> }>(
        database,
        sql`
          select note_export(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${memberId}
          ) as former`,
        adminChanges,
      )
      return former
    },
    async setTier(command, { member, given, reason }) {
      const { memberId, loyaltyId } = namedBy(member)
      return await change<TierReply>(database, withoutReason(command), 'change_tier', [
        memberId,
        loyaltyId,
        given?.tierId ?? null,
        momentText(given?.until ?? null),
        reason,
      ])
    },
    async merge(command, { from, into, venueLimits, isDryRun }) {
      const [gone, stays] = [namedBy(from), namedBy(into)]
      return await change<MergeReply>(database, command, 'change_merge', [
        gone.memberId,
        gone.loyaltyId,
        stays.memberId,
        stays.loyaltyId,
        venueLimits,
        isDryRun,
      ])
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

function memberFromRow(row: MemberRow): StoredMember {
  return { ...bodyOf(row), memberId: row.memberId, loyaltyIds: row.loyaltyIds }
}

function bodyOf({ body }: Pick<MemberRow, 'body'>) {
  return JSON.parse(body) as Omit<StoredMember, 'memberId' | 'loyaltyIds'>
}

export function rowFromMember({ memberId, loyaltyIds, ...rest }: StoredMember) {
  return { member_id: memberId, body: JSON.stringify(rest), loyalty_ids: [...new Set(loyaltyIds)] }
}

type Forgetting = Pick<
  AdminMembers,
  'forget' | 'forgetLoyaltyId' | 'findForgotten' | 'findErasure' | 'finishErasure' | 'findForgetting'
>

function createForgetting(database: Sql): Forgetting {
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
