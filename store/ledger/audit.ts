import type { Rows } from './calls.js'

export interface Audit {
  /** Newest first; may return fewer rows than asked for. `next`: the record behind which there may be more; null: none. */
  list(
    subject: AuditSubject | null,
    rows: Rows<readonly [auditId: number]>,
    filter?: AuditFilter,
  ): Promise<{ readonly records: readonly AuditFacts[]; readonly next: number | null }>
}

export interface AuditSubject {
  readonly kind: string
  readonly id: string
  /** Also the records of members that were merged into it. */
  readonly withMerged?: boolean
}

export interface AuditFilter {
  /** Prefix of the actor's name. */
  readonly actor: string
  readonly call: string
  /** Milliseconds since the epoch: at or after, and before. */
  readonly from: number | null
  readonly until: number | null
}

export interface AuditFacts {
  readonly auditId: number
  readonly at: number
  readonly actor: string
  readonly call: string
  readonly requestId: string
  readonly subjectKind:
    | 'programme'
    | 'venue'
    | 'member'
    | 'codes'
    | 'sale'
    | 'webhook'
    | 'calculation'
    | 'proposal'
    | 'draft'
    | 'view'
  readonly subjectId: string
  /** JSON; null: the subject did not, or does not, exist. */
  readonly before: string | null
  readonly after: string | null
  /** The reason, where the change itself holds none; '' where none was given. */
  readonly reason: string
  readonly cards: readonly { readonly loyaltyId: string; readonly from: string; readonly to: string }[]
}
