import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'

/** A request, and its response, of either protocol that the internal listener serves. */
export type AnyRequest = IncomingMessage | Http2ServerRequest
export type AnyResponse = ServerResponse | Http2ServerResponse

/** A refusal before any service has looked at the call: status for HTTP clients, code for gRPC ones. */
export interface CallRefused {
  readonly status: number
  /** Connect's name of the code. */
  readonly code: string
  readonly grpcStatus: number
  readonly message: string
}

export const unauthenticated: CallRefused = {
  status: 401,
  code: 'unauthenticated',
  grpcStatus: 16,
  message: 'a bearer token is required',
}

export const unimplemented: CallRefused = {
  status: 404,
  code: 'unimplemented',
  grpcStatus: 12,
  message: 'no such path',
}

/** Answers a page. A body is left out by Node where the method is HEAD. */
export function sendPage(response: AnyResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(text)
}

/** Refuses a call without reading its body: as a status of its own protocol, so that its client understands it. */
export function refuseCall(request: AnyRequest, response: AnyResponse, refused: CallRefused): void {
  const contentType = request.headers['content-type'] ?? ''
  if ('stream' in request && contentType.startsWith('application/grpc')) {
    const { stream } = request
    if (stream.destroyed) return
    stream.respond(
      {
        ':status': 200,
        'content-type': contentType,
        'grpc-status': refused.grpcStatus,
        'grpc-message': refused.message,
      },
      { endStream: true },
    )
    stream.close(constants.NGHTTP2_NO_ERROR)
    return
  }
  const text = JSON.stringify({ code: refused.code, message: refused.message })
  if (refused.status === 401) response.setHeader('www-authenticate', 'Bearer')
  if (!('stream' in request)) response.setHeader('connection', 'close')
  sendPage(response, refused.status, 'application/json', text)
}
