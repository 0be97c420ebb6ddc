import { createHash } from 'node:crypto'
import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { Command } from '../../../store/ledger/calls.js'
import { callerOf } from '../access.js'
import { refusal } from '../errors.js'

type ChangeRequest = { readonly requestId: string; readonly reason?: string }

/** The command of a request for a change; its digest is of the whole message but for the request id. */
export function commandFrom<D extends DescMessage>(
  schema: D,
  request: MessageShape<D> & ChangeRequest,
  context: Pick<HandlerContext, 'values' | 'method'>,
): Command {
  const digest = createHash('sha256')
    .update(toBinary(schema, { ...request, requestId: '' }))
    .digest()
  const { method } = context
  const service = method.parent.typeName.slice(method.parent.typeName.lastIndexOf('.') + 1)
  const { requestId, reason = '' } = request
  return { requestId, digest, call: `${service}/${method.name}`, actor: callerOf(context).name, reason }
}

export function requestIdConflict(): ReturnType<typeof refusal> {
  return refusal('REQUEST_ID_CONFLICT', 'the request id was used for another change')
}
