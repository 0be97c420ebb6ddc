/** Filters of the audit records, as the address has them; every one that is there must hold. */
export interface AuditSearch {
  /** Such as `member`; counts together with `subject`. */
  readonly kind?: string
  readonly subject?: string
  /** How the name of who made it begins. */
  readonly actor?: string
  /** Such as `MemberService/BlockMember`. */
  readonly call?: string
  /** First and last day, `YYYY-MM-DD`. */
  readonly from?: string
  readonly until?: string
}

/** Filter of the deliveries of a webhook. */
export interface WebhookSearch {
  /** Such as `failed`. */
  readonly state?: string
}
