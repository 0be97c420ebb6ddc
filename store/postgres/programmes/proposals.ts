import type {
  ApprovalReply,
  DeclineReply,
  DueProposal,
  ProposalFacts,
  ProposalReply,
  Proposals,
  Schedule,
} from '../../ledger/programmes.js'
import { change, momentText } from '../connection/changes.js'
import { adminChanges, adminReads, findRow, join, readRow, type Sql, type Statement, sql } from '../connection/sql.js'
import { programmeArgs } from './prepare-programme.js'

export function createProposals(database: Sql): Proposals {
  return { ...changesOf(database), ...readsOf(database) }
}

type Change = 'propose' | 'schedule' | 'takeDue' | 'publishDue' | 'fail' | 'approve' | 'decline' | 'replaceDocument'

function changesOf(database: Sql): Pick<Proposals, Change> {
  return {
    async propose(command, programme, { expectedVersion, note, schedule }) {
      return await change<ProposalReply>(database, command, 'change_proposal', [
        expectedVersion,
        note,
        programme.digest,
        programme.document,
        programme.venues,
        programme.currencies,
        programme.limits,
        programme.experiments,
        schedule ? scheduleJson(schedule) : null,
      ])
    },
    async schedule(command, proposalId, schedule) {
      return await change(database, command, 'change_schedule', [proposalId, scheduleJson(schedule)])
    },
    async takeDue(leaseMs) {
      return await findRow<DueProposal>(
        database,
        sql`
          select p.proposal_id as "proposalId", p.document, p.base_version as "baseVersion",
            to_json(p.acknowledgements) as acknowledgements, is_same_actor(p.proposed_by, p.decided_by) as "isOwn"
          from take_due_proposal(${leaseMs}::integer * interval '1 millisecond') p`,
        adminChanges,
      )
    },
    async publishDue(proposalId, programme, expectedVersion) {
      const row = await readRow<{ reply: Awaited<ReturnType<Proposals['publishDue']>> }>(
        database,
        sql`
          select publish_scheduled(
            ${proposalId}::uuid, ${expectedVersion}::integer, ${programme.digest}, ${programme.document}, ${programme.benefits},
            ${programme.venues}::text::json, ${programme.members}::text::json, ${programme.currencies}::text::json,
            ${programme.limits}::text::json, ${programme.experiments}::text::json, ${programme.digests}::text::json
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
    async fail(proposalId, failure, reason) {
      await database.run(sql`select fail_scheduled(${proposalId}::uuid, ${failure}, ${reason})`, adminChanges)
    },
    async approve(command, proposalId, programme) {
      return await change<ApprovalReply>(database, command, 'change_approval', [
        proposalId,
        ...programmeArgs(programme),
      ])
    },
    async decline(command, proposalId) {
      const { reason = '' } = command
      return await change<DeclineReply>(database, command, 'change_decline', [proposalId, reason])
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
      const which = sql` as document
        from programme_proposal p where p.proposal_id > ${after}::uuid order by p.proposal_id limit 1`
      return await findRow<{ proposalId: string; document: string | null }>(
        database,
        join([sql`select p.proposal_id as "proposalId", `, naming('p', ids), which], ''),
        adminReads,
      )
    },
  }
}

const facts = sql`p.proposal_id as "proposalId", p.state, p.base_version as "baseVersion", p.note, p.proposed_by as "proposedBy",
  milliseconds(p.proposed_at) as "proposedAt", microseconds(p.proposed_at) as "proposedAtUs", p.decided_by as "decidedBy",
  milliseconds(p.decided_at) as "decidedAt", p.reason, p.failure,
  milliseconds(p.publish_at) as "publishAt", p.time_zone as "timeZone", p.version, octet_length(p.document) as "documentBytes"`

/** null: it holds none of these ids. One document at a time, as each may be large; with escapes, only a parser finds the ids. */
export function naming(row: 'p' | 'd', ids: readonly string[]): Statement {
  const column = { text: `${row}.document`, values: [] }
  return join(
    [
      sql`case when position('\\' in `,
      column,
      sql`) > 0 or exists (
        select from json_array_elements_text(${JSON.stringify(ids)}::text::json) i (id) where strpos(`,
      column,
      sql`, i.id) > 0) then `,
      column,
      sql` end`,
    ],
    '',
  )
}

function scheduleJson({ atMs, timeZone, acknowledgements }: Schedule): string {
  return JSON.stringify({ at: momentText(atMs), timeZone, acknowledgements })
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
