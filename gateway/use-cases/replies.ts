import type { Refusal } from '../../engine/index.js'

/** The contract's error codes (contract 7). Their statuses: `listeners/error-codes.ts`. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_signature'
  | 'stale_timestamp'
  | 'idempotency_conflict'
  | 'venue_not_configured'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable'
  | 'arithmetic_mismatch'
  | 'unknown_currency'
  | 'too_many_lines'

/** Seconds after which a call that met overload or a fault may come again: stores and threads are probed several times a second. */
export const retryAfterS = 1

/** For a return: the thread that prices the rest of its sale may be busy. No card payment waits; clients wait 5 s. In milliseconds. */
export function returnDeadlineMs(deadlineMs: number): number {
  return Math.max(deadlineMs, 3_000)
}

/** A faulty field; of a malformed request, all its faults (wire decisions 3). */
export type RefusalDetails = Refusal['details']

/** The result of a use case: a part of the answer, never thrown. */
export type Reply =
  | {
      readonly kind: 'answered'
      readonly body: Uint8Array
      /** From the idempotency store: `Idempotent-Replayed: true`. */
      readonly replayed: boolean
      /** Outcome word for the log and metrics: a basket status, or the result of a sale or return. */
      readonly outcome: string
    }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly details: RefusalDetails | null
    }
  /** 503; the word for the log names the missing part, such as `deadline` or `ledger timeout`. */
  | { readonly kind: 'unavailable'; readonly cause: string; readonly retryAfterS: number }

export interface Origin {
  readonly loyaltyId: string | null
  readonly venueId: string
  readonly cashRegisterId: string
}

/** One request after checks 1 to 8 (gRPC: 7 and 8). The result of the rate limit may still be pending: see `admitted`. */
export interface Call {
  readonly body: Uint8Array
  readonly idempotencyKey: string
  /** `performance.now()` when the body was complete: the deadline counts from here (wire decisions 9). */
  readonly arrivedAtMs: number
  /** Receives where the basket or sale comes from, as far as it is read: for the log. */
  readonly onRead?: (origin: Origin) => void
  /** Resolves to false where the rate limit turns the request away: nothing may be kept for it. Absent: it has been let in. */
  readonly admitted?: Promise<boolean>
}

/** The use cases behind the partner contract and its addition, returns. They never reject but for a broken invariant (500). */
export interface PartnerUseCases {
  calculateBasket(call: Call): Promise<Reply>
  recordSale(call: Call): Promise<Reply>
  recordReturn(call: Call): Promise<Reply>
}
