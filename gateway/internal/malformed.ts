import { setImmediate } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from '@connectrpc/connect/protocol'
import { codeFromString, codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'
import { guardedKey } from './access.js'
import { invalidFields, type Reason, refusal } from './errors.js'

/** Prefix of connect-es's message for protobuf that it cannot read; it reports that as a fault of ours (`internal`). */
const binarySign = 'parse binary: '
/** Prefix of its message for JSON; its code is right, and its reason word is missing. */
const jsonSign = 'cannot decode '
/** Prefix of its message for no frame, or several. */
const protocolSign = 'protocol error: '

/** The flag of the gRPC-Web frame that holds trailers, and the bytes before the content of a frame. */
const trailerFlag = 0x80
const frameHeadBytes = 5

/** Errors that the library makes before any code of ours runs, with their missing reason words. */
const reasonOfBare: Readonly<Partial<Record<Code, Reason>>> = {
  [Code.InvalidArgument]: 'INVALID_REQUEST',
  [Code.ResourceExhausted]: 'MESSAGE_TOO_LARGE',
  [Code.Unimplemented]: 'UNIMPLEMENTED',
  [Code.DeadlineExceeded]: 'DEADLINE_EXCEEDED',
}

/**
 * Wraps a handler: errors of the library get their right codes and reason words, above all unreadable messages (`invalid_argument`) and
 * too large ones. The library reads messages before any code of ours runs, so the wrapper reads the answer's status, in each protocol.
 */
export function mendMalformed(handler: UniversalHandler, onEarly: OnEarly): UniversalHandler {
  return Object.assign(async (request: UniversalServerRequest) => {
    const startedAt = performance.now()
    const isEarly = () => !request.contextValues?.get(guardedKey)
    const ended = (found: ConnectError | number) => {
      if (!isEarly()) return
      const known = request.signal.aborted ? new ConnectError('the client has gone', Code.Canceled) : found
      onEarly(request, known, performance.now() - startedAt)
    }
    return withBody(await mended(await handler(request), { isEarly, ended }), request, handler)
  }, handler)
}

/**
 * Receives the end of a call before the guard had it, once: nothing else counts such a call or writes its record. A number is an HTTP
 * status that was answered without a body.
 */
export type OnEarly = (request: UniversalServerRequest, ended: ConnectError | number, durationMs: number) => void

/** The library's own refusals of a call have no body: adds one, a Connect error with the expected and the received value. */
function withBody(
  response: UniversalServerResponse,
  request: UniversalServerRequest,
  handler: UniversalHandler,
): UniversalServerResponse {
  const fault =
    response.status >= 400 && response.body === undefined ? faultOf(response.status, request, handler) : null
  if (fault === null) return response
  const { field, expected, received, name } = fault
  const description = `expected ${expected.join(', ')}; received ${received?.slice(0, receivedCharactersMax) || 'nothing'}`
  const bytes = errorToJsonBytes(invalidFields([{ field, description }]), undefined)
  const header = new Headers(response.header)
  header.set('content-type', 'application/json')
  header.set('content-length', String(bytes.byteLength))
  if (name !== null) header.set(name, expected.join(', '))
  return { ...response, header, body: once(bytes) }
}

/** The fault of a call whose body was not read; `name`: the header that lists the expected values. null: another status. */
function faultOf(status: number, { method, httpVersion, header }: UniversalServerRequest, handler: UniversalHandler) {
  switch (status) {
    case 405:
      return { field: 'method', expected: handler.allowedMethods, received: method, name: 'allow' }
    case 415: {
      const expected = contentTypes.filter(handler.supportedContentType)
      return { field: 'Content-Type', expected, received: header.get('content-type'), name: 'accept-post' }
    }
    case 505:
      return { field: 'HTTP version', expected: ['HTTP/2'], received: `HTTP/${httpVersion}`, name: null }
    default:
      return null
  }
}

/** Characters of a request that an answer repeats at most. */
const receivedCharactersMax = 64

const contentTypes = [
  ...['application/json', 'application/proto', 'application/connect+json', 'application/connect+proto'],
  ...['', '+proto', '+json'].flatMap((coding) => [`application/grpc${coding}`, `application/grpc-web${coding}`]),
]

interface Early {
  /** True before the guard has the call: an error is the library's. */
  isEarly(): boolean
  ended(found: ConnectError | number): void
}

async function mended(response: UniversalServerResponse, early: Early): Promise<UniversalServerResponse> {
  const { trailer, body, status } = response
  if (body === undefined) {
    if (status >= 400) early.ended(status)
    return response
  }
  if (trailer !== undefined) return { ...response, body: endingWith(body, () => mendTrailer(trailer, early)) }
  const contentType = response.header?.get('content-type') ?? ''
  if (contentType.startsWith('application/grpc-web'))
    return { ...response, body: mappedChunks(body, (chunk) => mendWebTrailer(chunk, early)) }
  // Connect reports the error of a unary call by its status and a small JSON body.
  return status === 200 ? response : await mendUnary(response, body, early)
}

/** null: it has its reason word, or we have no better one. */
function mendedError({ code, rawMessage: message }: ConnectError, early: Early): ConnectError | null {
  if (message.startsWith(binarySign)) return unreadable(message.slice(binarySign.length))
  if (message.startsWith(jsonSign) || message.startsWith(protocolSign)) return unreadable(message)
  // Flags of a frame, compression, base64.
  if (code === Code.Internal && early.isEarly()) return unreadable(message)
  const reason = reasonOfBare[code]
  return reason === undefined ? null : refusal(reason, message)
}

function unreadable(why: string): ConnectError {
  return refusal('INVALID_REQUEST', `the message cannot be read: ${why}`)
}

const detailsHeader = 'grpc-status-details-bin'

/** gRPC: trailers are complete once the body has ended. */
function mendTrailer(trailer: Headers, early: Early): void {
  const found = statusOf((name) => trailer.get(name))
  if (found === null) return
  const error = trailer.has(detailsHeader) ? null : mendedError(found, early)
  if (error !== null) setTrailerStatus(trailer, error)
  early.ended(error ?? found)
}

/** null: the call was served. */
function statusOf(field: (name: string) => string | null | undefined): ConnectError | null {
  const code = Number(field('grpc-status') ?? '0')
  return code === 0 ? null : new ConnectError(decodeURIComponent(field('grpc-message') ?? ''), code)
}

/** gRPC-Web: the trailers are a frame of the body, as lines of text. */
function mendWebTrailer(chunk: Uint8Array, early: Early): Uint8Array {
  if (chunk[0] !== trailerFlag) return chunk
  const lines = Buffer.from(chunk.subarray(frameHeadBytes)).toString()
  const field = (name: string) => new RegExp(`^${name}: ?(.*)\\r$`, 'm').exec(lines)?.[1]
  const found = statusOf(field)
  if (found === null) return chunk
  const error = field(detailsHeader) === undefined ? mendedError(found, early) : null
  early.ended(error ?? found)
  if (error === null) return chunk
  const trailer = setTrailerStatus(new Headers(), error)
  const text = Buffer.from([...trailer].map(([name, value]) => `${name}: ${value}\r\n`).join(''))
  const head = Buffer.alloc(frameHeadBytes)
  head[0] = trailerFlag
  head.writeUInt32BE(text.length, 1)
  return Buffer.concat([head, text])
}

async function mendUnary(
  response: UniversalServerResponse,
  body: AsyncIterable<Uint8Array>,
  early: Early,
): Promise<UniversalServerResponse> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  // A stream that its client has reset is marked a turn later.
  await setImmediate()
  const found = errorIn(bytes, early)
  const error = found?.mended ?? null
  early.ended(error ?? found?.error ?? response.status)
  if (error === null) return { ...response, body: once(bytes) }
  const mendedBytes = errorToJsonBytes(error, undefined)
  const header = new Headers(response.header)
  header.set('content-length', String(mendedBytes.byteLength))
  return { ...response, status: codeToHttpStatus(error.code), header, body: once(mendedBytes) }
}

function errorIn(
  bytes: Buffer,
  early: Early,
): { readonly error: ConnectError; readonly mended: ConnectError | null } | null {
  try {
    const { code, message, details } = JSON.parse(bytes.toString()) as Record<string, unknown>
    const error = new ConnectError(String(message ?? ''), codeFromString(code as string) ?? Code.Unknown)
    return { error, mended: Array.isArray(details) ? null : mendedError(error, early) }
  } catch {
    return null
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

async function* mappedChunks(
  body: AsyncIterable<Uint8Array>,
  map: (chunk: Uint8Array) => Uint8Array,
): AsyncIterable<Uint8Array> {
  for await (const chunk of body) yield map(chunk)
}

async function* endingWith(body: AsyncIterable<Uint8Array>, end: () => void): AsyncIterable<Uint8Array> {
  yield* body
  end()
}
