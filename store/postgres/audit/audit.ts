import type { Audit, AuditFacts } from '../../ledger/audit.js'
import { adminReads } from '../connection/admin-terms.js'
import { join, type Sql, type Statement, sql } from '../connection/sql.js'

/**
 * A page ends with the record with which what it shows comes to so many bytes: a venue's record holds its price list, before and after,
 * and a page of many would hold up whoever is served beside it, and pass what clients take.
 */
const pageBytes = 1024 * 1024

/** The audit records of a ledger. */
export function createAudit(database: Sql): Audit {
  return {
    async list(subject, { after, limit }) {
      const which = subject === null ? sql`true` : ofSubject(subject)
      const before = after?.[0] ?? Number.MAX_SAFE_INTEGER
      const rows = await database.run<AuditFacts & { readonly found: number }>(
        page(which, before, limit + 1),
        adminReads,
      )
      const records = rows.slice(0, limit).map(({ found: _, ...record }) => record)
      return { records, isLast: records.length === (rows[0]?.found ?? 0) }
    },
  }
}

function ofSubject({ kind, id }: { readonly kind: string; readonly id: string }): Statement {
  return sql`a.subject_kind = ${kind}::text::change_kind and a.subject_id = ${id}`
}

function page(which: Statement, before: number, limit: number): Statement {
  return join(
    [
      sql`
    select p.audit_id as "auditId", milliseconds(p.at) as at, p.actor, p.call, coalesce(p.request_id::text, '') as "requestId",
      p.subject_kind as "subjectKind", p.subject_id as "subjectId", p.before, p.after, coalesce(p.reason, '') as reason,
      p.found::integer as found
    from (
      select r.*, count(*) over () as found, coalesce(sum(coalesce(octet_length(r.before), 0) + coalesce(octet_length(r.after), 0))
        over (order by r.audit_id desc rows between unbounded preceding and 1 preceding), 0) as bytes_ahead
      from (
        select a.* from audit_record a
        where `,
      which,
      sql` and a.audit_id < ${before}::bigint
        order by a.audit_id desc
        limit ${limit}::integer
      ) r
    ) p
    where p.bytes_ahead < ${pageBytes}::bigint
    order by p.audit_id desc`,
    ],
    '',
  )
}
