import { Code } from '@connectrpc/connect'
import type { ErrorCode } from '../use-cases/replies.js'

interface Leaving {
  readonly status: number
  /** Code of internal calls, under the same word in capitals; null: no internal call ends with it. */
  readonly rpc: Code | null
}

/** The one table of error codes, for REST and RPC alike (contract 7; wire decisions 3). */
export const errorCodes = {
  invalid_request: { status: 400, rpc: Code.InvalidArgument },
  invalid_signature: { status: 401, rpc: null },
  stale_timestamp: { status: 401, rpc: null },
  idempotency_conflict: { status: 409, rpc: Code.AlreadyExists },
  venue_not_configured: { status: 422, rpc: Code.FailedPrecondition },
  too_many_lines: { status: 422, rpc: Code.InvalidArgument },
  unknown_currency: { status: 422, rpc: Code.InvalidArgument },
  arithmetic_mismatch: { status: 422, rpc: Code.InvalidArgument },
  rate_limited: { status: 429, rpc: Code.ResourceExhausted },
  internal_error: { status: 500, rpc: Code.Internal },
  unavailable: { status: 503, rpc: Code.Unavailable },
} as const satisfies Readonly<Record<ErrorCode, Leaving>>
