import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { type ConnectError, type ConnectRouter, createContextKey, type HandlerContext } from '@connectrpc/connect'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import type { Caller } from './authentication.js'
import { refusal } from './errors.js'

/** What a call needs before its body is read. */
export interface Access {
  /** `open`: no token at all. */
  readonly role: 'open' | 'reader' | 'admin'
  readonly streams: boolean
}

/**
 * What each registered path needs: the proto files say it. A call marked NO_SIDE_EFFECTS is for every token, any other one
 * for admins; health is open.
 */
export function accessOf({ handlers }: Pick<ConnectRouter, 'handlers'>): ReadonlyMap<string, Access> {
  return new Map(
    handlers.map(({ requestPath, service, method }) => {
      const reads =
        method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS || service.typeName.startsWith(reflection)
      const role = service.typeName === Health.typeName ? 'open' : reads ? 'reader' : 'admin'
      return [requestPath, { role, streams: method.methodKind !== 'unary' }]
    }),
  )
}

/** Its protocol is not ours to mark. */
const reflection = 'grpc.reflection.'

/** null: the call may go on. Nobody without a token learns which paths there are. */
export function mayCall(needed: Access | undefined, caller: Caller | null): ConnectError | null {
  if (needed?.role === 'open') return null
  if (caller === null) return refusal('UNAUTHENTICATED', 'a bearer token is required')
  if (needed?.role === 'admin' && caller.role !== 'admin')
    return refusal('PERMISSION_DENIED', 'an admin token is required')
  return null
}

/** Who calls; set before any service sees the call. */
export const callerKey = createContextKey<Caller>({ role: 'reader', name: 'nobody' })

/** When the client stops waiting, by `performance.now()`; set like the caller. */
export const deadlineKey = createContextKey<number>(Number.POSITIVE_INFINITY)

/** A programme document as it arrived, UTF-8: taken out of the message before it was decoded. null: the message holds it. */
export const documentKey = createContextKey<Uint8Array | null>(null)

/** What a call holds of bounded things: room for its message, its turn. */
export interface Lease {
  /** Somebody has taken it upon them to release it. */
  isOwned: boolean
  /** A second time nothing. */
  release(): void
}

export const leaseKey = createContextKey<Lease | null>(null)

/** The guard has seen the call: it counts it and writes its record. */
export const guardedKey = createContextKey(false)

/** What ended the call before the guard saw it. */
export const earlyErrorKey = createContextKey<ConnectError | null>(null)

/** The document of a request. */
export function documentOf({ values }: Pick<HandlerContext, 'values'>, text: string): Uint8Array {
  return values.get(documentKey) ?? Buffer.from(text)
}

export function callerOf({ values }: Pick<HandlerContext, 'values'>): Caller {
  return values.get(callerKey)
}
