import type { ConnectError } from '@connectrpc/connect'
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from '@connectrpc/connect/protocol'
import { codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'
import { refusal } from './errors.js'

/** How connect-es begins its message for protobuf that it cannot read; it takes that for a fault of ours (`internal`). */
const binarySign = 'parse binary: '
/** How it begins the one for JSON; its code is right, and its reason word is missing. */
const jsonSign = 'cannot decode '

/** The flag of the gRPC-Web frame that holds trailers, and the bytes before the content of a frame. */
const trailerFlag = 0x80
const frameHeadBytes = 5

/**
 * The handler with messages that cannot be read answered as what they are, `invalid_argument` with its reason word. The library reads messages before any code of ours
 * runs, so the answer itself is looked at, in each protocol where it tells a status.
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
  const isError =
    response.status === codeToHttpStatus(internal) || response.status === codeToHttpStatus(invalidArgument)
  return isError ? await mendUnary(response, body) : response
}

const internal = 13
const invalidArgument = 3

function isMalformed(message: string): boolean {
  return message.startsWith(binarySign) || message.startsWith(jsonSign)
}

function malformed(message: string): ConnectError {
  return refusal(
    'INVALID_REQUEST',
    `the message cannot be read: ${message.startsWith(binarySign) ? message.slice(binarySign.length) : message}`,
  )
}

/** gRPC: trailers are complete once the body has ended. */
function mendTrailer(trailer: Headers): void {
  const message = decodeURIComponent(trailer.get('grpc-message') ?? '')
  if (isMalformed(message)) setTrailerStatus(trailer, malformed(message))
}

/** gRPC-Web: the trailers are a frame of the body, as lines of text. */
function mendWebTrailer(chunk: Uint8Array): Uint8Array {
  if (chunk[0] !== trailerFlag) return chunk
  const message = /^grpc-message: (.*)\r$/m.exec(Buffer.from(chunk.subarray(frameHeadBytes)).toString())?.[1]
  if (message === undefined || !isMalformed(decodeURIComponent(message))) return chunk
  const trailer = setTrailerStatus(new Headers(), malformed(decodeURIComponent(message)))
  const text = Buffer.from([...trailer].map(([name, value]) => `${name}: ${value}\r\n`).join(''))
  const head = Buffer.alloc(frameHeadBytes)
  head[0] = trailerFlag
  head.writeUInt32BE(text.length, 1)
  return Buffer.concat([head, text])
}

/** Connect: a status and a small JSON body. */
async function mendUnary(
  response: UniversalServerResponse,
  body: AsyncIterable<Uint8Array>,
): Promise<UniversalServerResponse> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const message = messageOf(bytes)
  if (!isMalformed(message)) return { ...response, body: once(bytes) }
  const error = malformed(message)
  const mendedBytes = errorToJsonBytes(error, undefined)
  const header = new Headers(response.header)
  header.set('content-length', String(mendedBytes.byteLength))
  return { ...response, status: codeToHttpStatus(error.code), header, body: once(mendedBytes) }
}

function messageOf(bytes: Buffer): string {
  try {
    return String((JSON.parse(bytes.toString()) as { readonly message?: unknown }).message ?? '')
  } catch {
    return ''
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
