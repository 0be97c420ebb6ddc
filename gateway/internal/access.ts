import { type DescMethod, getOption } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { type ConnectError, type ConnectRouter, createContextKey, type HandlerContext } from '@connectrpc/connect'
import { type RoleName, roleNames } from '../config/config.js'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import { allows, Role } from '../gen/loyalty/v1/roles_pb.js'
import type { Caller } from './authentication.js'
import { refusal } from './errors.js'

export interface Access {
  /** `open`: no token needed; else every role that may make the call. */
  readonly roles: 'open' | readonly RoleName[]
  readonly streams: boolean
}

/**
 * The access that each registered path needs, from the proto files: a call marked NO_SIDE_EFFECTS is for every token, any other one for
 * admins and the roles that it `allows`; health is open.
 */
export function accessOf({ handlers }: Pick<ConnectRouter, 'handlers'>): ReadonlyMap<string, Access> {
  return new Map(
    handlers.map(({ requestPath, service, method }) => {
      const roles = service.typeName === Health.typeName ? 'open' : rolesOf(method)
      return [requestPath, { roles, streams: method.methodKind !== 'unary' }]
    }),
  )
}

/** The roles that may make a call, in the order of `roleNames`. */
export function rolesOf(method: DescMethod): readonly RoleName[] {
  const reads =
    method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ||
    method.parent.typeName.startsWith(reflection)
  if (reads) return roleNames
  const named = getOption(method, allows).map((role) => roleOfNumber[role])
  return roleNames.filter((role) => role === 'admin' || named.includes(role))
}

/** Its protocol cannot carry our options. */
const reflection = 'grpc.reflection.'

const roleOfNumber: Readonly<Record<Role, RoleName | undefined>> = {
  [Role.UNSPECIFIED]: undefined,
  [Role.READER]: 'reader',
  [Role.SUPPORT]: 'support',
  [Role.MARKETING]: 'marketing',
  [Role.ADMIN]: 'admin',
}

/** null: allowed. A caller without a token cannot find out which paths exist. */
export function mayCall(needed: Access | undefined, caller: Caller | null): ConnectError | null {
  if (needed?.roles === 'open') return null
  if (caller === null) return refusal('UNAUTHENTICATED', 'a bearer token is required')
  if (needed === undefined || needed.roles.includes(caller.role)) return null
  return refusal('PERMISSION_DENIED', `a token of role ${needed.roles.join(' or ')} is required`, {
    metadata: { roles: needed.roles.join() },
  })
}

/** The caller; set before any service sees the call. */
export const callerKey = createContextKey<Caller>({ role: 'reader', name: 'nobody' })

/** The moment at which the client stops waiting, by `performance.now()`; set like the caller. */
export const deadlineKey = createContextKey<number>(Number.POSITIVE_INFINITY)

/** Set once the guard has the call: it then counts it and writes its record. */
export const guardedKey = createContextKey(false)

export function callerOf({ values }: Pick<HandlerContext, 'values'>): Caller {
  return values.get(callerKey)
}
