import type { Audit, AuditFacts, AuditFilter, AuditSubject } from '../../ledger/audit.js'
import { adminReads, join, type Sql, type Statement, sql, storable } from '../connection/sql.js'

/** A page ends with the record that reaches this size: a venue's record holds its price list twice. */
const pageBytes = 1024 * 1024
/** Records that a filtered page reads at most: no index covers their actor or time. */
const lookedMax = 20_000

interface Row extends AuditFacts {
  readonly looked: number
  readonly lookedTo: number | null
  readonly isBefore: boolean | null
  readonly found: number | null
}

export function createAudit(database: Sql): Audit {
  return {
    async list(subject, { after, limit }, filter = anybody) {
      if ([filter.actor, filter.call].some((text) => storable(text) === null)) return { records: [], next: null }
      const rows = await database.run<Row>(
        page(subject, filter, { before: after?.[0] ?? Number.MAX_SAFE_INTEGER, limit }),
        adminReads,
      )
      const matching = rows.filter(({ auditId }) => auditId !== null).slice(0, limit)
      const records = matching.map(({ looked: _, lookedTo, isBefore, found, ...record }) => record)
      return { records, next: nextAfter(rows[0], records, lookBound(filter, limit)) }
    },
  }
}

const anybody: AuditFilter = { actor: '', call: '', from: null, until: null }

/** The record behind which the next page begins; null: there is none. */
function nextAfter(row: Row | undefined, records: readonly AuditFacts[], bound: number): number | null {
  if (row === undefined) return null
  if ((row.found ?? 0) > records.length) return records.at(-1)?.auditId ?? null
  return row.looked === bound && row.isBefore !== true ? row.lookedTo : null
}

function lookBound({ actor, call, from, until }: AuditFilter, limit: number): number {
  return actor === '' && call === '' && from === null && until === null ? limit + 1 : lookedMax
}

function page(
  subject: AuditSubject | null,
  filter: AuditFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Statement {
  const { actor, call } = filter
  const [from, until] = [filter.from ?? 0, filter.until ?? 10_000_000_000_000]
  return join(
    [
      sql`
    with looked as materialized (
      select a.audit_id, a.at, a.actor, a.call, a.before, a.after from audit_record a
      where`,
      subject === null ? sql`true` : ofSubject(subject),
      sql`and a.audit_id < ${before}::bigint
      order by a.audit_id desc
      limit ${lookBound(filter, limit)}::integer
    ), found as (
      select r.audit_id, count(*) over () as found,
        coalesce(sum(coalesce(octet_length(r.before), 0) + coalesce(octet_length(r.after), 0))
          over (order by r.audit_id desc rows between unbounded preceding and 1 preceding), 0) as bytes_ahead
      from (
        select l.* from looked l
        where starts_with(l.actor, ${actor}) and (${call}::text = '' or l.call = ${call})
          and l.at >= to_timestamp(${from}::float8 / 1000) and l.at < to_timestamp(${until}::float8 / 1000)
        order by l.audit_id desc
        limit ${limit + 1}::integer
      ) r
    )
    select p.audit_id as "auditId", milliseconds(p.at) as at, p.actor, p.call, coalesce(p.request_id::text, '') as "requestId",
      p.subject_kind as "subjectKind", p.subject_id as "subjectId", p.before, p.after, coalesce(p.reason, '') as reason,
      case when p.subject_kind = 'member' then audit_cards(p.request_id, p.subject_id, p.before, p.after) else '[]' end as cards,
      f.found::integer as found, s.looked::integer as looked, s.looked_to as "lookedTo",
      s.since < to_timestamp(${from}::float8 / 1000) as "isBefore"
    from (select count(*) as looked, min(l.audit_id) as looked_to, min(l.at) as since from looked l) s
    left join found f on f.bytes_ahead < ${pageBytes}::bigint
    left join audit_record p on p.audit_id = f.audit_id
    order by p.audit_id desc`,
    ],
    ' ',
  )
}

function ofSubject({ kind, id, withMerged = false }: AuditSubject): Statement {
  const ids = withMerged
    ? sql`any (array(select ${id} union all select g.member_id from merged_member g where g.into_id = ${id}))`
    : sql`${id}`
  return join([sql`a.subject_kind = ${kind}::text::change_kind and a.subject_id = `, ids], '')
}
