import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { useSyncExternalStore } from 'react'
import { BadRequestSchema, ErrorInfoSchema } from '../../../gateway/gen/google/rpc/error_details_pb.js'
import { consoleHeaders } from './session.js'

const requestIdHeader = 'x-request-id'

/** The connection to the services. @param onSignedOut  called when a call is refused because the session has ended */
export function createTransport(onSignedOut: () => void) {
  const identify: Interceptor = (next) => async (request) => {
    const requestId = newId()
    for (const [name, value] of Object.entries(consoleHeaders)) request.header.set(name, value)
    request.header.set(requestIdHeader, requestId)
    try {
      const response = await next(request)
      noteReach(true)
      return response
    } catch (cause) {
      const error = callError(cause)
      if (!request.signal.aborted) noteReach(!isUnanswered(cause))
      if (!isUnanswered(cause)) error.metadata.set(requestIdHeader, requestId)
      if (error.code === Code.Unauthenticated) onSignedOut()
      throw error
    }
  }
  return createConnectTransport({ baseUrl: '/', interceptors: [identify] })
}

/** A call without any answer, which a browser reports as a TypeError. */
function isUnanswered(cause: unknown): boolean {
  return (cause instanceof ConnectError ? cause.cause : cause) instanceof TypeError
}

/** The error of a call; `Unavailable` without any answer. */
export function callError(cause: unknown): ConnectError {
  const error = ConnectError.from(cause)
  return isUnanswered(cause) ? new ConnectError('', Code.Unavailable) : error
}

export interface ShownError {
  /** The service's reason word, else the name of the code. */
  readonly reason: string
  readonly message: string
  /** The request id, as in the service's log; null: the call did not reach the service. */
  readonly requestId: string | null
  readonly violations: readonly { readonly field: string; readonly description: string }[]
  readonly metadata: Readonly<Record<string, string>>
  readonly isNoPermission: boolean
}

export function readError(cause: unknown): ShownError {
  const error = ConnectError.from(cause)
  const [info] = error.findDetails(ErrorInfoSchema)
  const [badRequest] = error.findDetails(BadRequestSchema)
  return {
    reason: info?.reason ?? Code[error.code] ?? 'UNKNOWN',
    message: error.rawMessage,
    requestId: error.metadata.get(requestIdHeader),
    violations: badRequest?.fieldViolations.map(({ field, description }) => ({ field, description })) ?? [],
    metadata: info?.metadata ?? {},
    isNoPermission: error.code === Code.PermissionDenied,
  }
}

export function isNotFound(cause: unknown): boolean {
  return ConnectError.from(cause).code === Code.NotFound
}

/** A random UUID. `crypto.randomUUID` exists only over TLS and on the computer itself; a console may be served by plain HTTP inside. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

let isAway = false
let returns = 0
const listeners = new Set<() => void>()

export function noteReach(isReached: boolean): void {
  if (isAway === !isReached) return
  isAway = !isReached
  if (isReached) returns += 1
  for (const listener of listeners) listener()
}

export function useIsAway(): boolean {
  return useSyncExternalStore(subscribe, () => isAway)
}

/** The number of times that the service was reached again: waiting calls may then run at once. */
export function useReturns(): number {
  return useSyncExternalStore(subscribe, () => returns)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const firstPauseMs = 1_000
const pauseMsMax = 30_000

/** The pause before the next attempt, in milliseconds: each time twice as long. @param failures  in a row, from 1 */
export function pauseMs(failures: number): number {
  return Math.min(pauseMsMax, firstPauseMs * 2 ** (failures - 1))
}
