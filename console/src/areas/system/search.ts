/** Filters of the audit records, as the address has them: both together, or none. */
export interface AuditSearch {
  /** Such as `member`. */
  readonly kind?: string
  readonly subject?: string
}

/** Filter of the deliveries of a webhook. */
export interface WebhookSearch {
  /** Such as `failed`. */
  readonly state?: string
}
