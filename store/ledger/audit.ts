import type { Rows } from './calls.js'

export interface Audit {
  /**
   * Newest first; `subject` null: any. May return fewer rows than asked for: `next` is the record behind which there may be more, null:
   * none.
   */
  list(
    subject: { readonly kind: string; readonly id: string } | null,
    rows: Rows<readonly [auditId: number]>,
    filter?: AuditFilter,
  ): Promise<{ readonly records: readonly AuditFacts[]; readonly next: number | null }>
}

/** Which records; empty and null: any. */
export interface AuditFilter {
  /** How the name of who made it begins. */
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
  readonly subjectKind: 'programme' | 'venue' | 'member' | 'codes' | 'sale' | 'webhook' | 'calculation' | 'proposal'
  readonly subjectId: string
  /** JSON; null: nothing was, or is, there. */
  readonly before: string | null
  readonly after: string | null
  /** Why, where the change itself holds no reason; '' where none was given. */
  readonly reason: string
  readonly cards: readonly { readonly loyaltyId: string; readonly from: string; readonly to: string }[]
}
