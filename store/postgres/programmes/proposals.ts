import type { ApprovalReply, DeclineReply, ProposalFacts, ProposalReply, Proposals } from '../../ledger/proposals.js'
import { findRow, readRow } from '../connection/rows.js'
import { adminChanges, adminReads, join, type Sql, sql } from '../connection/sql.js'

interface ReplyRow<Reply> {
  readonly reply: Reply
}

/** The proposals of a ledger. */
export function createProposals(database: Sql): Proposals {
  return { ...changesOf(database), ...readsOf(database) }
}

function changesOf(database: Sql): Pick<Proposals, 'propose' | 'approve' | 'decline' | 'replaceDocument'> {
  return {
    async propose({ requestId, digest, call, actor }, programme, { expectedVersion, note }) {
      const row = await readRow<ReplyRow<ProposalReply>>(
        database,
        sql`
          select change_proposal(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${expectedVersion}::integer, ${note},
            ${programme.digest}, ${programme.document},
            ${programme.venues}::text::json, ${programme.currencies}::text::json, ${programme.limits}::text::json
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
    async approve({ requestId, digest, call, actor }, proposalId, programme) {
      const row = await readRow<ReplyRow<ApprovalReply>>(
        database,
        sql`
          select change_approval(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${proposalId}::uuid,
            ${programme.document}, ${programme.benefits},
            ${programme.venues}::text::json, ${programme.members}::text::json, ${programme.currencies}::text::json,
            ${programme.limits}::text::json
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
    async decline({ requestId, digest, call, actor, reason = '' }, proposalId) {
      const row = await readRow<ReplyRow<DeclineReply>>(
        database,
        sql`
          select change_decline(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${proposalId}::uuid, ${reason}
          ) as reply from set_config('lps.reason', ${reason}, true)`,
        adminChanges,
      )
      return row.reply
    },
    async replaceDocument(proposalId, document) {
      await database.run(
        sql`update programme_proposal p set document = ${document} where p.proposal_id = ${proposalId}::uuid`,
        adminChanges,
      )
    },
  }
}

function readsOf(database: Sql): Pick<Proposals, 'list' | 'find' | 'findNaming'> {
  return {
    async list(state, { after, limit }) {
      const which = state === null ? sql`true` : sql`p.state = ${state}::text`
      const [atUs, id] = after ?? [Number.MAX_SAFE_INTEGER, lastId]
      return await database.run<ProposalFacts>(
        join(
          [
            sql`select `,
            facts,
            sql` from programme_proposal p where (microseconds(p.proposed_at), p.proposal_id) < (${atUs}::bigint, ${id}::uuid) and `,
            which,
            sql` order by p.proposed_at desc, p.proposal_id desc limit ${limit}::integer`,
          ],
          '',
        ),
        adminReads,
      )
    },
    async find(proposalId, withDocument) {
      const row = await findRow<ProposalFacts & { readonly document: string }>(
        database,
        join(
          [
            sql`select `,
            facts,
            sql`, case when ${withDocument}::boolean then p.document else '' end as document
              from programme_proposal p where p.proposal_id = ${proposalId}::uuid`,
          ],
          '',
        ),
        adminReads,
      )
      if (row === null) return null
      const { document, ...own } = row
      return { facts: own, document }
    },
    async findNaming(ids, after) {
      // One document at a time, for each may be large. Where a text holds escapes, only who reads it can tell.
      return await findRow<{ proposalId: string; document: string | null }>(
        database,
        sql`
          select p.proposal_id as "proposalId", case when position('\\' in p.document) > 0 or exists (
              select from json_array_elements_text(${JSON.stringify(ids)}::text::json) i (id)
              where strpos(p.document, i.id) > 0
            ) then p.document end as document
          from programme_proposal p
          where p.proposal_id > ${after}::uuid
          order by p.proposal_id
          limit 1`,
        adminReads,
      )
    },
  }
}

const facts = sql`p.proposal_id as "proposalId", p.state, p.base_version as "baseVersion", p.note, p.proposed_by as "proposedBy",
  milliseconds(p.proposed_at) as "proposedAt", microseconds(p.proposed_at) as "proposedAtUs", p.decided_by as "decidedBy",
  milliseconds(p.decided_at) as "decidedAt", p.reason, p.version, octet_length(p.document) as "documentBytes"`

/** Behind every UUID. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
