import { type ConnectError, createContextKey } from '@connectrpc/connect'
import type { UniversalHandler, UniversalServerRequest } from '@connectrpc/connect/protocol'
import type { RoleName } from '../config/config.js'
import { type ArrivingBody, createBodyRoom } from '../listeners/body-room.js'
import { retryAfterS } from '../use-cases/replies.js'
import type { Access } from './access.js'
import type { Caller } from './authentication.js'
import { refusal } from './errors.js'
import { documentBytesMax, type InternalLimits } from './limits.js'
import type { AnyRequest, AnyResponse } from './response.js'
import { createOpenStreams } from './stream-bounds.js'

const kib = 1024
const mib = 1024 * kib
/** Ids, filters and page tokens, with a reserve. */
const usualBytes = 64 * kib
/** A message in JSON takes about twice the bytes of the contract's own JSON: integers in quotes, long names. */
const jsonRoom = 2
/** A hypothetical member and venue of a simulation. */
const supposedBytes = 256 * kib

/** Maximum bytes of a message, decompressed, by the name of its call in log and metrics. */
export type BytesMaxOf = (endpoint: string) => number

/** @param bodyBytesMax  LOYALTY_MAX_BODY */
export function createBytesMax(bodyBytesMax: number): BytesMaxOf {
  const basket = jsonRoom * bodyBytesMax
  const document = documentBytesMax + usualBytes
  const larger: Readonly<Record<string, number>> = {
    'PosService/CalculateBasket': basket,
    'PosService/RecordSale': basket,
    'CalculationService/SimulateBasket': basket + supposedBytes + documentBytesMax,
    'ProgrammeService/ValidateProgramme': document,
    'ProgrammeService/PublishProgramme': document,
    'ProgrammeService/DiffProgrammes': document,
    'ProgrammeService/ProposeProgramme': document,
    'ProgrammeService/StoreDraft': document,
    'ProgrammeService/SchedulePublication': document,
    'ProgrammeService/ShadowRun': document,
    'ProgrammeService/ShadowCalculation': document,
    'ProgrammeService/FindWorstBaskets': document,
    'MemberService/UpsertMembers': 4 * mib,
    'VenueService/ReadPriceList': 4 * mib,
    'VenueService/UpsertVenue': 4 * mib,
    'ValueService/ImportBalances': 2 * mib,
    'RewardService/IssueVouchers': 2 * mib,
    'RewardService/ImportCodes': mib,
    'ReturnService/QuoteReturn': 256 * kib,
    'ReturnService/RecordReturn': 256 * kib,
    'Health/Check': 4 * kib,
    'Health/Watch': 4 * kib,
  }
  return (endpoint) => (Object.hasOwn(larger, endpoint) ? larger[endpoint]! : usualBytes)
}

/** The message of a running call. */
interface Message {
  readonly body: ArrivingBody
  /** Rejects when another message needs its memory. */
  readonly gaveWay: Promise<never>
}

export const messageKey = createContextKey<Message | null>(null)

interface Exchange {
  readonly request: AnyRequest
  readonly response: AnyResponse
}

/** Bounds the number of calls that run at once, and the bytes of all their messages. */
export function createCallBounds(limits: InternalLimits) {
  const { callsMax, messageBytesInAll } = limits
  const running = new Map<RoleName, number>()
  const takeOpenStream = createOpenStreams(limits)
  const room = createBodyRoom(messageBytesInAll)
  return {
    /** Takes a slot for a call until its answer ends; null: taken. Each role has its own slots, so that readers cannot block changes. */
    enter(needed: Access | undefined, caller: Caller | null, { request, response }: Exchange): ConnectError | null {
      if (caller === null) {
        if (!needed?.streams || takeOpenStream(request, response)) return null
        return refusal('TOO_MANY_WATCHERS', 'too many streams without a token', { retryAfterS })
      }
      if (needed === undefined || needed.streams) return null
      const { role } = caller
      const count = running.get(role) ?? 0
      if (count >= callsMax) return refusal('TOO_MANY_CALLS', 'too many calls of this role run', { retryAfterS })
      running.set(role, count + 1)
      response.once('close', () => running.set(role, running.get(role)! - 1))
      return null
    },
    receive(response: AnyResponse): Message {
      let giveWay = () => {}
      const gaveWay = new Promise<never>((_, reject) => {
        giveWay = () => reject(noRoom())
      })
      gaveWay.catch(() => {})
      const body = room.receive(() => {
        body.release()
        giveWay()
      })
      response.once('close', () => body.release())
      return { body, gaveWay }
    },
  }
}

/** Counts the bytes of a call's message as they arrive. */
export function countBytes(handler: UniversalHandler): UniversalHandler {
  const { methodKind } = handler.method
  if (methodKind !== 'unary' && methodKind !== 'server_streaming') return handler
  return Object.assign((request: UniversalServerRequest) => {
    const message = request.contextValues?.get(messageKey) ?? null
    if (message === null || request.method === 'GET') return handler(request)
    return handler({ ...request, body: counted(request.body as AsyncIterable<Uint8Array>, message) })
  }, handler)
}

async function* counted(chunks: AsyncIterable<Uint8Array>, { body, gaveWay }: Message): AsyncIterable<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await Promise.race([iterator.next(), gaveWay])
    if (done) break
    if (!body.hold(value.length)) throw noRoom()
    yield value
  }
  body.complete()
}

function noRoom() {
  return refusal('TOO_MANY_CALLS', 'too many large messages arrive at once', { retryAfterS })
}
