import type { Rows } from './rows.js'

/** The audit records of changes. */
export interface Audit {
  /** Newest first; `subject` null: any. Fewer rows than asked for where they hold much: `isLast` says whether there are more. */
  list(
    subject: { readonly kind: string; readonly id: string } | null,
    rows: Rows<readonly [auditId: number]>,
  ): Promise<{ readonly records: readonly AuditFacts[]; readonly isLast: boolean }>
}

export interface AuditFacts {
  readonly auditId: number
  readonly at: number
  readonly actor: string
  readonly call: string
  /** Empty: none. */
  readonly requestId: string
  readonly subjectKind: 'programme' | 'venue' | 'member' | 'codes' | 'sale' | 'webhook' | 'calculation'
  readonly subjectId: string
  /** JSON; null: nothing was, or is, there. */
  readonly before: string | null
  readonly after: string | null
  /** Why, where the change itself holds no reason; '' where none was given. */
  readonly reason: string
}
