import { createHash } from 'node:crypto'
import { type Message, toBinary } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { Command } from '../../../store/ledger/calls.js'
import type { documentedRefusals } from '../../gen/loyalty/v1/documented_refusals.js'
import { callerOf } from '../access.js'
import { type Fields, type ReasonsOf, type Refused, refusalFrom } from './refusals.js'

type ChangeRequest = Message<keyof typeof documentedRefusals> & {
  readonly requestId: string
  readonly reason?: string
}

interface Done {
  readonly kind: 'done'
}

/** The reasons that a command may have by its type; the fields of every request are checked. */
type Possible<Reply extends Refused | Done> = ReasonsOf<Exclude<Reply['kind'], 'done'>> | 'INVALID_REQUEST'

/** The reasons after `Errors:` in the comment of the call in `proto`, of which the API reference is made. */
type Documented<Request extends ChangeRequest> = (typeof documentedRefusals)[Request['$typeName']][number]

/** Does not compile where the comment of a call misses a reason of its command, or names one that the command cannot have. */
type AsDocumented<Request extends ChangeRequest, Reply extends Refused | Done> = [
  Exclude<Possible<Reply>, Documented<Request>>,
  Exclude<Documented<Request>, Possible<Reply>>,
] extends [never, never]
  ? unknown
  : {
      readonly missingInComment: Exclude<Possible<Reply>, Documented<Request>>
      readonly impossible: Exclude<Documented<Request>, Possible<Reply>>
    }

interface Call<Request> {
  readonly request: Request
  readonly context: HandlerContext
  /** Where refusals are not about their usual fields. */
  readonly fields?: Fields
}

/** Sends the command of a call for a change, with what follows it, and refuses the call where the command is refused. */
export async function sendCommand<
  Request extends ChangeRequest,
  Reply extends Refused | Done,
  More extends readonly unknown[],
>(
  send: (command: Command, ...more: More) => Promise<Reply>,
  more: More,
  { request, context, fields }: Call<Request & AsDocumented<Request, Reply>>,
): Promise<Extract<Reply, Done>> {
  const reply: Refused | Done = await send(commandFrom(request, context), ...more)
  if (reply.kind !== 'done') throw refusalFrom(reply, request, fields)
  return reply as Extract<Reply, Done>
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
