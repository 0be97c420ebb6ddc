import type { ApprovalReply, DeclineReply, ProposalFacts, ProposalReply, Proposals } from '../../ledger/programmes.js'
import { change } from '../connection/changes.js'
import { findRow } from '../connection/rows.js'
import { adminChanges, adminReads, join, type Sql, sql } from '../connection/sql.js'

export function createProposals(database: Sql): Proposals {
  return { ...changesOf(database), ...readsOf(database) }
}

function changesOf(database: Sql): Pick<Proposals, 'propose' | 'approve' | 'decline' | 'replaceDocument'> {
  return {
    async propose(command, programme, { expectedVersion, note }) {
      return await change<ProposalReply>(
        database,
        command,
        'change_proposal',
        sql`
          ${expectedVersion}::integer, ${note}, ${programme.digest}, ${programme.document},
          ${programme.venues}::text::json, ${programme.currencies}::text::json, ${programme.limits}::text::json,
          ${programme.experiments}::text::json`,
      )
    },
    async approve(command, proposalId, programme) {
      return await change<ApprovalReply>(
        database,
        command,
        'change_approval',
        sql`
          ${proposalId}::uuid, ${programme.document}, ${programme.benefits}, ${programme.venues}::text::json,
          ${programme.members}::text::json, ${programme.currencies}::text::json, ${programme.limits}::text::json,
          ${programme.experiments}::text::json, ${programme.digests}::text::json`,
      )
    },
    async decline(command, proposalId) {
      const { reason = '' } = command
      return await change<DeclineReply>(database, command, 'change_decline', sql`${proposalId}::uuid, ${reason}`)
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
      // One document at a time, for each may be large. In a text with escapes, only a parser finds the ids.
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
