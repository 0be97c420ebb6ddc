import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from '@connectrpc/connect/protocol'
import { EngineFault } from '../../engine/index.js'
import { type ArrivingBody, type BodyRoom, createBodyRoom } from '../admission/body-room.js'
import { BrokenMessage, TooHeavy, weighJson, weighMessage } from '../admission/message-weight.js'
import type { ProgrammeReader } from '../background/programme-reader.js'
import { retryAfterS } from '../use-cases/replies.js'
import { callerKey, documentKey, earlyErrorKey, type Lease, leaseKey } from './access.js'
import { arrivingBytesMax, type CallLimits, type CallLimitsOf } from './call-limits.js'
import { refusal } from './errors.js'
import { createHeavyTurns, type HeavyTurns } from './heavy-turns.js'
import { documentBytesMax } from './limits.js'
import { splitMessage } from './split-message.js'

/** Bytes of all messages of internal calls that are held at once: one with the largest document, and others beside it. */
const heldBytesMax = 48 * 1024 * 1024
/** JSON with a document is taken apart on the reading thread from so many bytes on: `JSON.parse` of more would hold up POS calls. */
const jsonOnMainMax = 128 * 1024

/** Reads messages before the library does: size, compression, weight and turn of each call, by its limits. */
export type Intake = (handler: UniversalHandler) => UniversalHandler

interface Parts {
  readonly limitsOf: CallLimitsOf
  readonly programmeReader: Pick<ProgrammeReader, 'split'>
}

/** @returns what wraps each handler; all of them share one room and one queue */
export function createIntake(parts: Parts): Intake {
  const shared = { ...parts, room: createBodyRoom(heldBytesMax), turns: createHeavyTurns() }
  return (handler) => {
    // A stream of requests is read by its service, message by message.
    if (handler.method.methodKind !== 'unary' && handler.method.methodKind !== 'server_streaming') return handler
    const { method } = handler
    const service = method.parent.typeName
    const limits = parts.limitsOf(`${service.slice(service.lastIndexOf('.') + 1)}/${method.name}`)
    return Object.assign((request: UniversalServerRequest) => take(handler, request, { ...shared, limits }), handler)
  }
}

interface Shared extends Parts {
  readonly limits: CallLimits
  readonly room: BodyRoom
  readonly turns: HeavyTurns
}

/** Hands the call on with its message bare and checked; what is wrong with it the library meets as it reads, and says in the call's protocol. */
async function take(
  handler: UniversalHandler,
  request: UniversalServerRequest,
  shared: Shared,
): Promise<UniversalServerResponse> {
  // Which methods a call takes is for the library to say: a GET that goes on as a POST must have been one that may.
  const form = handler.allowedMethods.includes(request.method) ? formOf(request) : null
  if (form === null) return await handler(request)
  const lease = createLease()
  request.contextValues?.set(leaseKey, lease)
  const body = checked({
    handler,
    request,
    form,
    lease,
    held: { chunks: [], gaveWay: false, hasEnded: false },
    ...shared,
  })
  try {
    const response = await handler({ ...request, ...form.request, body })
    if (response.body === undefined) return response
    return { ...response, body: answering(response.body, lease, shared) }
  } finally {
    // Whoever answers the call gives it back; where nobody does, it has ended here or with its body.
    if (!lease.isOwned && form.envelope === null) lease.release()
  }
}

async function* answering(
  body: AsyncIterable<Uint8Array>,
  lease: Lease,
  { limits, turns }: Shared,
): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of body) {
      if (limits.isHeavy) turns.wrote(chunk.length)
      // A stream has its turn until it begins: it may last a day.
      if (!lease.isOwned) lease.release()
      yield chunk
    }
  } finally {
    if (!lease.isOwned) lease.release()
  }
}

function createLease(): Lease & { add(giveBack: () => void): void } {
  const held: (() => void)[] = []
  let released = false
  return {
    isOwned: false,
    add: (giveBack) => (released ? giveBack() : void held.push(giveBack)),
    release() {
      released = true
      for (const giveBack of held.splice(0)) giveBack()
    },
  }
}

/** How a protocol wraps a message. */
interface Form {
  readonly isJson: boolean
  /** null: the message is the whole body. */
  readonly envelope: 'framed' | null
  /** Its compression; undefined: none. */
  readonly decompress: Decompress | undefined
  /** What stands in the place of the request's own, so that the library meets a plain message. */
  readonly request: Pick<UniversalServerRequest, 'header' | 'method'>
  /** The body; of a GET it stands in the query. */
  readonly body: () => AsyncIterable<Uint8Array> | Uint8Array
}

type Decompress = (bytes: Uint8Array, max: number) => Promise<Uint8Array>

const gunzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip)
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)
const decompressions: Readonly<Record<string, Decompress>> = {
  gzip: (bytes, max) => gunzip(bytes, { maxOutputLength: max }),
  br: (bytes, max) => brotli(bytes, { maxOutputLength: max }),
}

const encodingHeaders = ['content-encoding', 'grpc-encoding', 'connect-content-encoding'] as const

/** null: the library refuses it by itself: another method, an unknown content type or compression. */
function formOf(request: UniversalServerRequest): Form | null {
  if (request.method === 'GET') return queryForm(request)
  const contentType = request.header.get('content-type')?.toLowerCase() ?? ''
  const match = /^application\/(?:(grpc-web|grpc|connect)(?:\+(proto|json))?|(proto|json))(?:$|\s*;)/.exec(contentType)
  if (request.method !== 'POST' || match === null) return null
  const [, framed, coding, plain] = match
  const name = framed === undefined ? 0 : framed === 'connect' ? 2 : 1
  const encoding = request.header.get(encodingHeaders[name]) ?? 'identity'
  if (encoding !== 'identity' && !Object.hasOwn(decompressions, encoding)) return null
  const header = new Headers(request.header)
  for (const each of [...encodingHeaders, 'content-length']) header.delete(each)
  return {
    isJson: (coding ?? plain) === 'json',
    envelope: framed === undefined ? null : 'framed',
    decompress: decompressions[encoding],
    request: { header, method: request.method },
    body: () => request.body as AsyncIterable<Uint8Array>,
  }
}

/** A Connect GET: its message stands in the query. It goes on as a POST, which means the same. */
function queryForm(request: UniversalServerRequest): Form | null {
  const query = new URL(request.url).searchParams
  const encoding = query.get('encoding')
  const compression = query.get('compression') ?? 'identity'
  if (encoding !== 'json' && encoding !== 'proto') return null
  if (compression !== 'identity' && !Object.hasOwn(decompressions, compression)) return null
  const header = new Headers(request.header)
  header.set('content-type', `application/${encoding}`)
  const message = query.get('message') ?? ''
  return {
    isJson: encoding === 'json',
    envelope: null,
    decompress: decompressions[compression],
    request: { header, method: 'POST' },
    body: () => (query.get('base64') === '1' ? bytesFromBase64(message) : Buffer.from(message)),
  }
}

function bytesFromBase64(text: string): Uint8Array {
  const isWhole = /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1
  if (!isWhole) throw unreadable('message is not base64')
  return Buffer.from(text, 'base64')
}

interface Call extends Shared {
  readonly handler: UniversalHandler
  readonly request: UniversalServerRequest
  readonly form: Form
  readonly lease: ReturnType<typeof createLease>
  readonly held: Held
}

async function* checked(call: Call): AsyncGenerator<Uint8Array> {
  try {
    const message = await messageOf(call)
    if (call.form.envelope !== null) yield headOf(message)
    yield message
  } catch (error) {
    // A stream that is reset ends as if its body were whole, and says so a turn later; one that we stop reading is cut by ourselves.
    if (call.held.hasEnded) await setImmediate()
    const known = errorOf(error, call)
    call.request.contextValues?.set(earlyErrorKey, known)
    throw known
  }
}

function errorOf(error: unknown, { request: { signal }, held }: Call): ConnectError {
  // What breaks off while it arrives has a client that is gone.
  if ((signal.aborted && (held.hasEnded || !(error instanceof ConnectError))) || isReset(error))
    return new ConnectError('the client has gone', Code.Canceled)
  if (error instanceof ConnectError) return error
  if (error instanceof TooHeavy) {
    return error.what === 'lines'
      ? refusal('TOO_MANY_LINES', 'the basket has too many lines')
      : refusal('INVALID_REQUEST', 'the message has too many fields and elements')
  }
  if (error instanceof BrokenMessage) return unreadable(error.message)
  // The reading thread, which large JSON is taken apart on.
  if (error instanceof EngineFault) return refusal('UNAVAILABLE', 'overloaded', { retryAfterS, cause: error })
  return refusal('INTERNAL_ERROR', 'unexpected error', { cause: error })
}

function isReset(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_HTTP2_STREAM_ERROR'
}

async function messageOf({
  handler,
  request,
  form,
  lease,
  held,
  limits,
  room,
  turns,
  programmeReader,
}: Call): Promise<Uint8Array> {
  const arriving = room.receive(() => {
    held.gaveWay = true
    held.chunks = []
    arriving.release()
  })
  lease.add(() => arriving.release())
  const { bytes, isCompressed } = await arrived(form, arrivingBytesMax(limits), { arriving, held })
  held.chunks = []
  arriving.complete()
  if (limits.isHeavy) {
    const role = request.contextValues?.get(callerKey).role ?? 'reader'
    const end = await turns.take(role, request.signal)
    if (end === null) throw refusal('TOO_MANY_CALLS', 'too many heavy calls wait', { retryAfterS })
    lease.add(end)
  }
  const plain = isCompressed ? await decompressed(form, bytes, { limits, arriving }) : bytes
  const { rest, taken } = await split(plain, { handler, form, limits, programmeReader })
  if (taken !== null) {
    if (taken.length > documentBytesMax) throw tooLarge(documentBytesMax)
    if (!isUtf8(taken)) throw unreadable(`${limits.document} is not UTF-8`)
    request.contextValues?.set(documentKey, taken)
  }
  if (rest.length > restBytesMax(limits, form)) throw tooLarge(limits.bytesMax)
  const weight = form.isJson ? weighJson(rest, limits) : weighMessage(rest, handler.method.input, limits)
  if (limits.isHeavy) await turns.pace(weight, request.signal)
  return rest
}

/** A small document may stand in JSON. */
function restBytesMax({ bytesMax, document }: CallLimits, { isJson }: Form): number {
  return isJson && document !== null ? Math.max(bytesMax, jsonOnMainMax) : bytesMax
}

/** What has arrived of a message; dropped where another one needed its room. */
interface Held {
  chunks: Uint8Array[]
  gaveWay: boolean
  hasEnded: boolean
}

/** The message as it came, out of its envelope. */
async function arrived(form: Form, max: number, { arriving, held }: { arriving: ArrivingBody; held: Held }) {
  const body = form.body()
  const head = form.envelope === null ? 0 : headBytes
  let size = 0
  let isChecked = head === 0
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    size += chunk.length
    held.chunks.push(chunk)
    if (!isChecked && size >= head) {
      isChecked = true
      assertHead(Buffer.concat(held.chunks), { max, form })
    }
    if (size > max + head) throw tooLarge(max)
    if (held.gaveWay || !arriving.hold(chunk.length)) throw noRoom()
  }
  held.hasEnded = true
  if (held.gaveWay) throw noRoom()
  const bytes = held.chunks.length === 1 ? held.chunks[0]! : Buffer.concat(held.chunks)
  if (head === 0) return { bytes, isCompressed: form.decompress !== undefined }
  if (bytes.length < head) throw unreadable('expected one message')
  const { flags, length } = headIn(bytes)
  if (bytes.length !== head + length) throw unreadable(`expected one message of ${length} bytes as its frame says`)
  return { bytes: bytes.subarray(head), isCompressed: flags === 1 }
}

const headBytes = 5

function headIn(bytes: Uint8Array): { readonly flags: number; readonly length: number } {
  return { flags: bytes[0]!, length: new DataView(bytes.buffer, bytes.byteOffset).getUint32(1) }
}

function headOf({ length }: Uint8Array): Uint8Array {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(length, 1)
  return head
}

/** As soon as it is there: what it declares may never come. */
function assertHead(bytes: Uint8Array, { max, form }: { readonly max: number; readonly form: Form }): void {
  const { flags, length } = headIn(bytes)
  if (flags !== 0 && flags !== 1) throw unreadable(`a frame with the flags ${flags}`)
  if (flags === 1 && form.decompress === undefined) throw unreadable('a compressed frame, and no compression is named')
  if (length > max) throw tooLarge(max)
}

async function decompressed(
  form: Form,
  bytes: Uint8Array,
  { limits, arriving }: { readonly limits: CallLimits; readonly arriving: ArrivingBody },
): Promise<Uint8Array> {
  const max = arrivingBytesMax(limits)
  const plain = await form.decompress!(bytes, max).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(max) : unreadable('its compression is broken')
  })
  if (!arriving.hold(plain.length)) throw noRoom()
  arriving.complete()
  return plain
}

async function split(
  bytes: Uint8Array,
  { handler, form, limits, programmeReader }: Pick<Call, 'handler' | 'form' | 'limits' | 'programmeReader'>,
): Promise<{ readonly rest: Uint8Array; readonly taken: Uint8Array | null }> {
  const { document } = limits
  if (document === null) return { rest: bytes, taken: null }
  if (!form.isJson) return splitMessage(bytes, handler.method.input, document)
  if (bytes.length <= jsonOnMainMax) return { rest: bytes, taken: null }
  const { jsonName } = handler.method.input.fields.find(({ name }) => name === document)!
  return await programmeReader.split(bytes, [document, jsonName])
}

function noRoom(): ConnectError {
  return refusal('TOO_MANY_CALLS', 'too many large messages arrive at once', { retryAfterS })
}

function tooLarge(max: number): ConnectError {
  return refusal('MESSAGE_TOO_LARGE', `the message is larger than ${max} bytes`)
}

function unreadable(why: string): ConnectError {
  return refusal('INVALID_REQUEST', `the message cannot be read: ${why}`)
}
