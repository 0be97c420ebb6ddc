import type { ErrorCode } from '../use-cases/replies.js'

/** The one table of codes and their statuses (contract 7; wire decisions 3). */
export const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  invalid_signature: 401,
  stale_timestamp: 401,
  idempotency_conflict: 409,
  venue_not_configured: 422,
  too_many_lines: 422,
  unknown_currency: 422,
  arithmetic_mismatch: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
}

/** Statuses that go out under `invalid_request` for what HTTP itself, not the body, got wrong (wire decisions 3). */
export const httpFaultStatuses = [400, 404, 405, 408, 413, 415, 417, 431] as const
export type HttpFault = (typeof httpFaultStatuses)[number]

/** Why a request is not answered with a 200: everything that its error answer says. */
export interface Refused {
  readonly code: ErrorCode
  /** Where it is not the code's own status. */
  readonly status?: HttpFault
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>> | null
  /** Whole seconds, at least 1; on 429 and 503. */
  readonly retryAfterS?: number
  /** On 405: the methods the path knows. */
  readonly allow?: string
  /** The connection ends with this answer. */
  readonly close?: boolean
  /** For the log only: what was missing, such as `deadline`. */
  readonly cause?: string
}

/** What the gateway tells of one error code, status included. */
export function statusOf(refused: Refused): number {
  return refused.status ?? statusOfCode[refused.code]
}

/** The contract's error body (contract 2.6). */
export function errorBody(refused: Refused, requestId: string): string {
  const { code, message, details } = refused
  return JSON.stringify({ error: { code, message, ...(details ? { details } : {}), requestId } })
}

/** A fault of HTTP itself: `invalid_request` under a status of its own. */
export function httpFault(status: HttpFault, message: string, more: Partial<Refused> = {}): Refused {
  return { code: 'invalid_request', status, message, ...more }
}

/** 503: `cause` is for the log, the POS is told nothing that it could act upon but when to come back. */
export function unavailable(cause: string, retryAfterS = 1): Refused {
  return { code: 'unavailable', message: 'The service cannot answer this in time; try again.', retryAfterS, cause }
}
