import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { Code, type ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'

/** A request, and its response, of either protocol that the internal listener serves. */
export type AnyRequest = IncomingMessage | Http2ServerRequest
export type AnyResponse = ServerResponse | Http2ServerResponse

/** Answers a page. A body is left out by Node where the method is HEAD. @param more  headers that come in addition, or instead */
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

/** Refuses a call without reading its body: as a status of its own protocol, so that its client understands it. */
export function refuseCall(request: AnyRequest, response: AnyResponse, error: ConnectError): void {
  const contentType = request.headers['content-type'] ?? ''
  if ('stream' in request && contentType.startsWith('application/grpc')) {
    const { stream } = request
    if (stream.destroyed) return
    const status = Object.fromEntries(setTrailerStatus(new Headers(), error))
    // What is set already is for a browser, which speaks gRPC-Web here.
    const head = { ...response.getHeaders(), ':status': 200, 'content-type': contentType, ...status }
    stream.respond(head, { endStream: true })
    // A turn later: Node.js 22.23 and 26.10 else send the reset before the status, or instead of it.
    setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR))
    return
  }
  if (error.code === Code.Unauthenticated) response.setHeader('www-authenticate', 'Bearer')
  if (!('stream' in request)) response.setHeader('connection', 'close')
  // A path that is not there is 404 for whoever speaks plain HTTP.
  const status = error.code === Code.Unimplemented ? 404 : codeToHttpStatus(error.code)
  sendPage(response, status, 'application/json', errorToJsonBytes(error, undefined))
}
