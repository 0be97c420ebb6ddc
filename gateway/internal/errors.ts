import { Code, ConnectError } from '@connectrpc/connect'
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from '../gen/google/rpc/error_details_pb.js'
import { errorCodes } from '../listeners/error-codes.js'

/** Reason words and their codes; docs/api.md has the same table. Reasons of use cases have their codes in `errorCodes`. */
export const codeOfReason = {
  INVALID_REQUEST: errorCodes.invalid_request.rpc,
  PAGE_TOKEN_INVALID: Code.InvalidArgument,
  PROGRAMME_FAULTY: Code.InvalidArgument,
  TOO_MANY_LINES: errorCodes.too_many_lines.rpc,
  UNKNOWN_CURRENCY: errorCodes.unknown_currency.rpc,
  ARITHMETIC_MISMATCH: errorCodes.arithmetic_mismatch.rpc,
  VENUE_NOT_CONFIGURED: errorCodes.venue_not_configured.rpc,
  CALCULATION_BODY_GONE: Code.FailedPrecondition,
  CALCULATION_NOT_FOUND: Code.NotFound,
  CALCULATION_NOT_OPEN: Code.FailedPrecondition,
  SALE_NOT_FOUND: Code.NotFound,
  NOTHING_TO_SETTLE: Code.FailedPrecondition,
  PROGRAMME_NOT_FOUND: Code.NotFound,
  PROPOSAL_NOT_FOUND: Code.NotFound,
  EXPERIMENT_NOT_FOUND: Code.NotFound,
  VIEW_NOT_FOUND: Code.NotFound,
  TOO_MANY_VIEWS: Code.ResourceExhausted,
  DRAFT_NOT_FOUND: Code.NotFound,
  DRAFT_CHANGED: Code.Aborted,
  TOO_MANY_DRAFTS: Code.ResourceExhausted,
  PROPOSAL_NOT_OPEN: Code.FailedPrecondition,
  OWN_PROPOSAL: Code.FailedPrecondition,
  REVIEW_REQUIRED: Code.FailedPrecondition,
  WORST_UNACKNOWLEDGED: Code.FailedPrecondition,
  MEMBER_NOT_FOUND: Code.NotFound,
  FORGETTING_NOT_FOUND: Code.NotFound,
  VENUE_NOT_FOUND: Code.NotFound,
  LIMIT_NOT_FOUND: Code.NotFound,
  CURRENCY_NOT_FOUND: Code.NotFound,
  TIER_NOT_FOUND: Code.NotFound,
  INSUFFICIENT_VALUE: Code.FailedPrecondition,
  OUT_OF_RANGE: Code.OutOfRange,
  ALREADY_IMPORTED: Code.AlreadyExists,
  CARD_TAKEN: Code.AlreadyExists,
  SALE_HAS_MEMBER: Code.FailedPrecondition,
  SALE_HAS_NO_MEMBER: Code.FailedPrecondition,
  ALREADY_CLAIMED: Code.AlreadyExists,
  CODE_NOT_FOUND: Code.NotFound,
  CODE_NOT_OPEN: Code.FailedPrecondition,
  EXCHANGE_NOT_FOUND: Code.NotFound,
  ACTIVATION_NOT_FOUND: Code.NotFound,
  NOTHING_UNUSED: Code.FailedPrecondition,
  MEMBER_BLOCKED: Code.FailedPrecondition,
  TOO_MANY_WRONG_CODES: Code.ResourceExhausted,
  EVENTS_GONE: Code.OutOfRange,
  EVENT_NOT_FOUND: Code.NotFound,
  WEBHOOK_NOT_FOUND: Code.NotFound,
  TOO_MANY_WEBHOOKS: Code.ResourceExhausted,
  WEBHOOK_DISABLED: Code.FailedPrecondition,
  TOO_MANY_WATCHERS: Code.ResourceExhausted,
  WATCHER_TOO_SLOW: Code.ResourceExhausted,
  IDEMPOTENCY_CONFLICT: errorCodes.idempotency_conflict.rpc,
  REQUEST_ID_CONFLICT: Code.AlreadyExists,
  REPORT_TOO_LARGE: Code.OutOfRange,
  VERSION_MISMATCH: Code.Aborted,
  UNAUTHENTICATED: Code.Unauthenticated,
  PERMISSION_DENIED: Code.PermissionDenied,
  UNIMPLEMENTED: Code.Unimplemented,
  RATE_LIMITED: errorCodes.rate_limited.rpc,
  MESSAGE_TOO_LARGE: Code.ResourceExhausted,
  TOO_MANY_CALLS: Code.ResourceExhausted,
  DEADLINE_EXCEEDED: Code.DeadlineExceeded,
  UNAVAILABLE: errorCodes.unavailable.rpc,
  INTERNAL_ERROR: errorCodes.internal_error.rpc,
} as const satisfies Readonly<Record<string, Code>>

export type Reason = keyof typeof codeOfReason

type OutgoingDetail = NonNullable<ConstructorParameters<typeof ConnectError>[3]>[number]

/** The domain of every reason word (google.rpc.ErrorInfo). */
const errorDomain = 'loyalty.v1'

export interface FieldViolation {
  /** Path in the request's own names, such as `members[3].loyalty_ids[0]`. */
  readonly field: string
  readonly description: string
}

export interface RefusalMore {
  readonly violations?: readonly FieldViolation[]
  readonly metadata?: Readonly<Record<string, string>>
  /** Whole seconds, at least 1. */
  readonly retryAfterS?: number
  readonly cause?: unknown
}

/**
 * The error of a call: its canonical code, the reason word as google.rpc.ErrorInfo, field violations as google.rpc.BadRequest, and where
 * a retry helps google.rpc.RetryInfo.
 */
export function refusal(reason: Reason, message: string, more: RefusalMore = {}): ConnectError {
  const { violations = [], metadata = {}, retryAfterS, cause } = more
  const details: OutgoingDetail[] = [
    { desc: ErrorInfoSchema, value: { reason, domain: errorDomain, metadata: { ...metadata } } },
  ]
  if (violations.length > 0) {
    const fieldViolations = violations.map(({ field, description }) => ({ field, description }))
    details.push({ desc: BadRequestSchema, value: { fieldViolations } })
  }
  if (retryAfterS !== undefined) {
    details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(retryAfterS) } } })
  }
  return new ConnectError(message, codeOfReason[reason], undefined, details, cause)
}

/** The reason word of one of our errors; null: it has none. */
export function reasonOf(error: ConnectError): string | null {
  for (const detail of error.details) {
    if ('desc' in detail && detail.desc === ErrorInfoSchema) return (detail.value as { readonly reason: string }).reason
  }
  return null
}

export function invalidFields(violations: readonly FieldViolation[]): ConnectError {
  const [first] = violations
  return refusal('INVALID_REQUEST', `${first?.field}: ${first?.description}`, { violations })
}
