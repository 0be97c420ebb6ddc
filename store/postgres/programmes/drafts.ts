import type { DraftFacts, DraftReply, Drafts } from '../../ledger/programmes.js'
import { change } from '../connection/changes.js'
import { adminChanges, adminReads, findRow, join, type Sql, sql } from '../connection/sql.js'
import { naming } from './proposals.js'

export function createDrafts(database: Sql): Drafts {
  return {
    async store(command, { draftId, name, document, baseVersion }, { expected, max }) {
      return await change<DraftReply | { readonly kind: 'too_many_drafts' }>(database, command, 'change_draft', [
        draftId,
        name,
        document,
        baseVersion,
        expected,
        max,
      ])
    },
    async remove(command, draftId, expected) {
      return await change<DraftReply>(database, command, 'change_draft_deletion', [draftId, expected])
    },
    async list() {
      const order = sql` from programme_draft d order by d.changed_at desc, d.draft_id`
      return await database.run<DraftFacts>(join([sql`select `, facts, order], ''), adminReads)
    },
    async find(draftId, withDocument) {
      const document = sql`, case when ${withDocument}::boolean then d.document else '' end as document`
      const which = sql` from programme_draft d where d.draft_id = ${draftId}::uuid`
      const row = await findRow<DraftFacts & { readonly document: string }>(
        database,
        join([sql`select `, facts, document, which], ''),
        adminChanges,
      )
      if (row === null) return null
      const { document: text, ...own } = row
      return { facts: own, document: text }
    },
    async findNaming(ids, after) {
      const which = sql` as document from programme_draft d where d.draft_id > ${after}::uuid order by d.draft_id limit 1`
      return await findRow<{ draftId: string; document: string | null }>(
        database,
        join([sql`select d.draft_id as "draftId", `, naming('d', ids), which], ''),
        adminChanges,
      )
    },
    async replaceDocument(draftId, before, document) {
      const replaced = await database.run(
        sql`
          update programme_draft d set document = ${document}, revision = d.revision + 1
          where d.draft_id = ${draftId}::uuid and d.document = ${before}
          returning d.draft_id`,
        adminChanges,
      )
      return replaced.length > 0
    },
  }
}

const facts = sql`d.draft_id as "draftId", d.name, d.base_version as "baseVersion", d.revision, d.begun_by as "begunBy",
  milliseconds(d.begun_at) as "begunAt", d.changed_by as "changedBy", milliseconds(d.changed_at) as "changedAt",
  octet_length(d.document) as "documentBytes"`
