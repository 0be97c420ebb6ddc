import { Code, type ConnectError } from '@connectrpc/connect'
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from '@connectrpc/connect/protocol'
import { codeFromString, codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'
import { type Reason, refusal } from './errors.js'

/** How connect-es begins its message for protobuf that it cannot read; it takes that for a fault of ours (`internal`). */
const binarySign = 'parse binary: '
/** How it begins the one for JSON; its code is right, and its reason word is missing. */
const jsonSign = 'cannot decode '

/** The flag of the gRPC-Web frame that holds trailers, and the bytes before the content of a frame. */
const trailerFlag = 0x80
const frameHeadBytes = 5

/** Errors that the library makes before any code of ours runs, and the reason words they lack. */
const reasonOfBare: Readonly<Partial<Record<Code, Reason>>> = {
  [Code.InvalidArgument]: 'INVALID_REQUEST',
  [Code.ResourceExhausted]: 'MESSAGE_TOO_LARGE',
  [Code.Unimplemented]: 'UNIMPLEMENTED',
  [Code.DeadlineExceeded]: 'DEADLINE_EXCEEDED',
}

/**
 * The handler with errors of the library answered as what they are, with their reason words: above all messages that cannot be read, which are `invalid_argument`, and such as are
 * too large. The library reads messages before any code of ours runs, so the answer itself is looked at, in each protocol where it tells a status.
 */
export function mendMalformed(handler: UniversalHandler): UniversalHandler {
  return Object.assign(async (request: UniversalServerRequest) => await mended(await handler(request)), handler)
}

async function mended(response: UniversalServerResponse): Promise<UniversalServerResponse> {
  const { trailer, body } = response
  if (body === undefined) return response
  if (trailer !== undefined) return { ...response, body: endingWith(body, () => mendTrailer(trailer)) }
  const contentType = response.header?.get('content-type') ?? ''
  if (contentType.startsWith('application/grpc-web')) return { ...response, body: mappedChunks(body, mendWebTrailer) }
  // Connect tells an error of a unary call by its status and a small JSON body.
  return response.status === 200 ? response : await mendUnary(response, body)
}

/** null: it has its reason word, or none that we would know better. */
function mendedError(code: Code, message: string): ConnectError | null {
  if (message.startsWith(binarySign)) return unreadable(message.slice(binarySign.length))
  if (message.startsWith(jsonSign)) return unreadable(message)
  const reason = reasonOfBare[code]
  return reason === undefined ? null : refusal(reason, message)
}

function unreadable(why: string): ConnectError {
  return refusal('INVALID_REQUEST', `the message cannot be read: ${why}`)
}

const detailsHeader = 'grpc-status-details-bin'

/** gRPC: trailers are complete once the body has ended. */
function mendTrailer(trailer: Headers): void {
  if (trailer.has(detailsHeader)) return
  const error = mendedError(Number(trailer.get('grpc-status')), decodeURIComponent(trailer.get('grpc-message') ?? ''))
  if (error !== null) setTrailerStatus(trailer, error)
}

/** gRPC-Web: the trailers are a frame of the body, as lines of text. */
function mendWebTrailer(chunk: Uint8Array): Uint8Array {
  if (chunk[0] !== trailerFlag) return chunk
  const lines = Buffer.from(chunk.subarray(frameHeadBytes)).toString()
  const field = (name: string) => new RegExp(`^${name}: ?(.*)\\r$`, 'm').exec(lines)?.[1]
  if (field(detailsHeader) !== undefined) return chunk
  const error = mendedError(Number(field('grpc-status')), decodeURIComponent(field('grpc-message') ?? ''))
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
): Promise<UniversalServerResponse> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const error = mendedUnary(bytes)
  if (error === null) return { ...response, body: once(bytes) }
  const mendedBytes = errorToJsonBytes(error, undefined)
  const header = new Headers(response.header)
  header.set('content-length', String(mendedBytes.byteLength))
  return { ...response, status: codeToHttpStatus(error.code), header, body: once(mendedBytes) }
}

function mendedUnary(bytes: Buffer): ConnectError | null {
  try {
    const { code, message, details } = JSON.parse(bytes.toString()) as Record<string, unknown>
    if (Array.isArray(details)) return null
    return mendedError(codeFromString(code as string) ?? Code.Unknown, String(message ?? ''))
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
