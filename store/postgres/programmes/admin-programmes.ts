import type {
  AdminProgrammes,
  FaultyPublication,
  FixedFault,
  ProgrammeFacts,
  PublicationReply,
} from '../../ledger/programmes.js'
import { findRow, readRow } from '../connection/rows.js'
import { adminChanges, adminReads, type Sql, type Statement, sql } from '../connection/sql.js'

interface ReplyRow<Reply> {
  readonly reply: Reply
}

/** Programmes, as internal services read and publish them (benefits 1). */
export function createAdminProgrammes(database: Sql): Omit<AdminProgrammes, 'findTextsNaming' | 'replaceTexts'> {
  return {
    async publish({ requestId, digest, call, actor }, programme, expectedVersion) {
      const row = await readRow<ReplyRow<PublicationReply | FaultyPublication>>(
        database,
        sql`
          select change_publication(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${expectedVersion}::integer,
            ${programme.digest}, ${programme.document}, ${programme.benefits},
            ${programme.venues}::text::json, ${programme.members}::text::json, ${programme.currencies}::text::json,
            ${programme.limits}::text::json
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
    async findFaults({ currencies, limits, venues }) {
      const row = await readRow<{ faults: readonly FixedFault[] }>(
        database,
        sql`
          select publication_faults(
            ${currencies}::text::json, ${limits}::text::json, ${venues}::text::json
          ) as faults`,
        adminReads,
      )
      return row.faults
    },
    findCardsOfOthers: ({ members }, areTaken) => readRow(database, cardsOfOthers(members, areTaken), adminReads),
    async rollBack({ requestId, digest, call, actor }, version, expectedVersion) {
      const row = await readRow<ReplyRow<PublicationReply | FaultyPublication | { readonly kind: 'unknown_version' }>>(
        database,
        sql`
          select change_roll_back(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest},
            ${version}::integer, ${expectedVersion}::integer
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
    async list({ after, limit }) {
      return await database.run<ProgrammeFacts>(
        sql`
          select v.version, milliseconds(v.published_at) as "publishedAt", v.published_by as "publishedBy",
            v.rolled_back_to as "rolledBackTo", octet_length(v.document) as "documentBytes", p.proposed_by as "proposedBy"
          from programme_version v
          left join programme_proposal p on p.version = v.version
          where v.version < ${after?.[0] ?? versionMax}::integer
          order by v.version desc
          limit ${limit}::integer`,
        adminReads,
      )
    },
    async find(version, withDocument) {
      const row = await findRow<ProgrammeFacts & { readonly document: string }>(
        database,
        sql`
          select v.version, milliseconds(v.published_at) as "publishedAt", v.published_by as "publishedBy",
            v.rolled_back_to as "rolledBackTo", octet_length(v.document) as "documentBytes",
            p.proposed_by as "proposedBy", case when ${withDocument}::boolean then v.document else '' end as document
          from programme_version v
          left join programme_proposal p on p.version = v.version
          where v.version = coalesce(${version}::integer, (select max(n.version) from programme_version n))`,
        adminReads,
      )
      if (row === null) return null
      const { document, ...facts } = row
      return { facts, document }
    },
  }
}

/** Above every version. */
const versionMax = 2_147_483_647

function cardsOfOthers(members: string, areTaken: boolean): Statement {
  return sql`
    select count(*) as count, coalesce(json_agg(json_build_object(
        'place', n.place, 'item', n.item, 'loyaltyId', n.loyalty_id, 'memberId', n.member_id
      ) order by n.number) filter (where n.number <= 20), '[]') as cards
    from (
      select c.*, row_number() over (order by c.place, c.item) as number from cards_of_others(${members}::text::json) c
      where c.is_taken = ${areTaken}::boolean
    ) n`
}
