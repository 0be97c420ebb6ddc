import type { Administration, AuditFacts } from '../../administration.js'
import { inspectTerms } from '../inspection/terms.js'
import { type Sql, type Statement, sql } from '../sql.js'

/** The audit records of a ledger. */
export function createAudit(database: Sql): Pick<Administration, 'listAudit'> {
  return {
    async listAudit(subject, { after, limit }) {
      const before = after?.[0] ?? Number.MAX_SAFE_INTEGER
      return await database.run<AuditFacts>(
        subject === null ? newest(before, limit) : ofSubject(subject, before, limit),
        inspectTerms,
      )
    },
  }
}

function newest(before: number, limit: number): Statement {
  return sql`
    select a.audit_id as "auditId", milliseconds(a.at) as at, a.actor, a.call, coalesce(a.request_id::text, '') as "requestId",
      a.subject_kind as "subjectKind", a.subject_id as "subjectId", a.before, a.after
    from audit_record a
    where a.audit_id < ${before}::bigint
    order by a.audit_id desc
    limit ${limit}::integer`
}

function ofSubject(
  { kind, id }: { readonly kind: string; readonly id: string },
  before: number,
  limit: number,
): Statement {
  return sql`
    select a.audit_id as "auditId", milliseconds(a.at) as at, a.actor, a.call, coalesce(a.request_id::text, '') as "requestId",
      a.subject_kind as "subjectKind", a.subject_id as "subjectId", a.before, a.after
    from audit_record a
    where a.subject_kind = ${kind}::text::change_kind and a.subject_id = ${id} and a.audit_id < ${before}::bigint
    order by a.audit_id desc
    limit ${limit}::integer`
}
