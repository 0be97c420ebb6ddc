import { createHash } from 'node:crypto'
import { type Message, toBinary } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { Command } from '../../../store/ledger/calls.js'
import { callerOf } from '../access.js'
import { refusal } from '../errors.js'

type ChangeRequest = Message & { readonly requestId: string; readonly reason?: string }
type Conflict = { readonly kind: 'request_id_conflict' }

/** Sends the command of a request for a change, and refuses a request id that was used for another change. */
export async function sendCommand<Reply extends { readonly kind: string }>(
  request: ChangeRequest,
  context: HandlerContext,
  send: (command: Command) => Promise<Reply>,
): Promise<Exclude<Reply, Conflict>> {
  const reply = await send(commandFrom(request, context))
  if (reply.kind === 'request_id_conflict')
    throw refusal('REQUEST_ID_CONFLICT', 'the request id was used for another change')
  return reply as Exclude<Reply, Conflict>
}

/** The digest is of the whole message but for the request id. */
function commandFrom(request: ChangeRequest, context: HandlerContext): Command {
  const { method } = context
  const digest = createHash('sha256')
    .update(toBinary(method.input, { ...request, requestId: '' } as Message))
    .digest()
  const { requestId, reason = '' } = request
  return { requestId, digest, call: `${method.parent.name}/${method.name}`, actor: callerOf(context).name, reason }
}
