import { errorCodes } from '../listeners/error-codes.js'
import { type ErrorCode, type Reply, retryAfterS } from '../use-cases/replies.js'

export const statusOfCode = Object.fromEntries(
  Object.entries(errorCodes).map(([code, { status }]) => [code, status]),
) as Readonly<Record<ErrorCode, number>>

/** Statuses under `invalid_request` for faults of HTTP itself, not of the body (wire decisions 3). */
export const httpFaultStatuses = [400, 404, 405, 408, 413, 415, 417, 431] as const
export type HttpFault = (typeof httpFaultStatuses)[number]

/** The content of an error answer. */
export interface Refused {
  readonly code: ErrorCode
  /** Absent: the code's own status. */
  readonly status?: HttpFault
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>> | null
  /** Whole seconds, at least 1; on 429 and 503. */
  readonly retryAfterS?: number
  /** On 405: the methods of the path. */
  readonly allow?: string
  /** The connection ends with this answer. */
  readonly close?: boolean
  /** For the log only: the missing resource, such as `deadline`. */
  readonly cause?: string
}

export function statusOf(refused: Refused): number {
  return refused.status ?? statusOfCode[refused.code]
}

export function refusalHeaders({ retryAfterS, allow }: Refused): Readonly<Record<string, string>> {
  return {
    ...(retryAfterS === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))) }),
    ...(allow === undefined ? {} : { Allow: allow }),
  }
}

/** The contract's error body (contract 2.6). */
export function errorBody(refused: Refused, requestId: string): string {
  const { code, message, details } = refused
  return JSON.stringify({ error: { code, message, ...(details ? { details } : {}), requestId } })
}

export function httpFault(status: HttpFault, message: string, more: Partial<Refused> = {}): Refused {
  return { code: 'invalid_request', status, message, ...more }
}

/** 503: `cause` is for the log; a POS needs only the delay. */
export function unavailable(cause: string, afterS = retryAfterS): Refused {
  return {
    code: 'unavailable',
    message: 'The service cannot answer this in time; try again.',
    retryAfterS: afterS,
    cause,
  }
}

export function refusedFrom(reply: Exclude<Reply, { kind: 'answered' }>): Refused {
  if (reply.kind === 'unavailable') return unavailable(reply.cause, reply.retryAfterS)
  return { code: reply.code, message: reply.message, details: reply.details && { ...reply.details } }
}
