import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { Code, type ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'

/** A request, and its response, of either protocol that the internal listener serves. */
export type AnyRequest = IncomingMessage | Http2ServerRequest
export type AnyResponse = ServerResponse | Http2ServerResponse

/** Answers a page. Node leaves a body out for HEAD. @param more  further headers, or replacements */
export function sendPage(
  response: AnyResponse,
  status: number,
  contentType: string,
  content: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': contentType,
    // A 304 has no body, and its length would be that of the 200.
    ...(status === 304 ? {} : { 'content-length': Buffer.byteLength(content) }),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name.toLowerCase(), value])),
  })
  response.end(content)
}

/** Refuses a call without reading its body, with a status of its own protocol, so that its client understands it. */
export function refuseCall(request: AnyRequest, response: AnyResponse, error: ConnectError): void {
  const contentType = request.headers['content-type'] ?? ''
  if ('stream' in request && contentType.startsWith('application/grpc')) {
    const { stream } = request
    if (stream.destroyed) return
    const status = Object.fromEntries(setTrailerStatus(new Headers(), error))
    // Headers set before are for a browser, which uses gRPC-Web here.
    const head = { ...response.getHeaders(), ':status': 200, 'content-type': contentType, ...status }
    stream.respond(head, { endStream: true })
    // A turn later: otherwise Node.js 22.23 and 26.10 send the reset before the status, or instead of it.
    setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR))
    return
  }
  if (error.code === Code.Unauthenticated) response.setHeader('www-authenticate', 'Bearer')
  if (!('stream' in request)) response.setHeader('connection', 'close')
  // An unknown path is 404 over plain HTTP.
  const status = error.code === Code.Unimplemented ? 404 : codeToHttpStatus(error.code)
  sendPage(response, status, 'application/json', errorToJsonBytes(error, undefined))
}
