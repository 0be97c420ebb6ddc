import { Code, ConnectError } from '@connectrpc/connect'
import { BadRequestSchema, ErrorInfoSchema } from '../../../gateway/gen/google/rpc/error_details_pb.js'
import { requestIdHeader } from './transport.js'

/** What is shown of an error. */
export interface ShownError {
  /** The service's reason word, else the name of the code. */
  readonly reason: string
  readonly message: string
  /** Of the call, as in the service's log; null: it never got there. */
  readonly requestId: string | null
  /** What is wrong with which field. */
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

/** The thing that was asked for is not there. */
export function isNotFound(cause: unknown): boolean {
  return ConnectError.from(cause).code === Code.NotFound
}
