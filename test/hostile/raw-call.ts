import type http2 from 'node:http2'
import type { DescMethod } from '@bufbuild/protobuf'
import { Metadata } from '@grpc/grpc-js'
import { services } from '../../clients/lps/call.js'
import { refusedFromError } from '../gateway/internal/grpc-client.js'

/** Every method of ours. */
export const methods: readonly DescMethod[] = services.flatMap((service) => service.methods)

export const unaryMethods = methods.filter(({ methodKind }) => methodKind === 'unary')

/** The result of a gRPC call with free bytes. */
export interface RawOutcome {
  /** gRPC's number; null: the stream ended without one. */
  readonly code: number | null
  readonly reason: string
  readonly text: string
}

export interface RawCall {
  readonly path: string
  readonly token?: string
  readonly headers?: Record<string, string>
  /** The body as it is sent, with its frames. */
  readonly body: Buffer
  /** Leaves the stream open behind the body. */
  readonly unfinished?: boolean
}

/** Sends a body as a gRPC call on a session. */
export function rawCall(
  session: http2.ClientHttp2Session,
  { path, token, headers, body, unfinished }: RawCall,
): Promise<RawOutcome> {
  return new Promise((resolve) => {
    let seen: http2.IncomingHttpHeaders = {}
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    })
    const note = (received: http2.IncomingHttpHeaders) => {
      seen = { ...seen, ...received }
      if (unfinished && seen['grpc-status'] !== undefined) stream.close()
    }
    stream.on('response', note)
    stream.on('trailers', note)
    stream.on('error', () => {})
    stream.on('close', () => resolve(outcomeOf(seen)))
    stream.resume()
    if (unfinished) stream.write(body)
    else stream.end(body)
  })
}

function outcomeOf(headers: http2.IncomingHttpHeaders): RawOutcome {
  const status = headers['grpc-status']
  if (status === undefined) return { code: null, reason: '', text: `HTTP ${headers[':status']}` }
  const metadata = new Metadata()
  const details = headers['grpc-status-details-bin']
  if (details !== undefined) metadata.set('grpc-status-details-bin', Buffer.from(String(details), 'base64'))
  const text = String(headers['grpc-message'] ?? '')
  const { reason } = refusedFromError(Object.assign(new Error(text), { code: Number(status), details: text, metadata }))
  return { code: Number(status), reason, text }
}

/** A message in its frame. */
export function framed(message: Uint8Array, flags = 0, length = message.length): Buffer {
  const head = Buffer.alloc(5)
  head[0] = flags
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, message])
}
