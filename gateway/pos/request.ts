import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { httpFault, type Refused } from './errors.js'

/** A header's values as they arrived, in order: Node joins or drops repeated ones. `name` in lower case. */
export function headerValues(request: IncomingMessage, name: string): readonly string[] {
  const values: string[] = []
  const raw = request.rawHeaders
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]!.length === name.length && raw[at]!.toLowerCase() === name) values.push(raw[at + 1]!)
  }
  return values
}

/** The request's own X-Request-Id where it is one UUID, else a new one (contract 4.1; wire decisions 3). */
export function requestIdOf(request: IncomingMessage): string {
  const sent = request.headers['x-request-id']
  return typeof sent === 'string' && isUuidInAnyCase(sent) ? sent : randomUUID()
}

/**
 * Requirements of HTTP/1.1 for every request that Node does not check or answers without a body: a head within its size (Node counts
 * names and values only), a supported version, exactly one Host of its form, a host where the target names one, at most one
 * Content-Length, and no transfer coding but `chunked`. The connection ends with the answer, since its framing is in doubt.
 */
export function checkFraming(request: IncomingMessage, headerBytesMax: number): Refused | null {
  const fault = (message: string) => httpFault(400, message, { close: true })
  if (headBytes(request) > headerBytesMax) return httpFault(431, 'The request head is too large.', { close: true })
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0') return fault('This server speaks HTTP/1.1.')
  const hosts = headerValues(request, 'host')
  const isCurrent = request.httpVersion === '1.1'
  if (hosts.length > 1 || (isCurrent && hosts.length === 0)) return fault('Exactly one Host header is required.')
  if (hosts.length === 1 && !hostForm.test(hosts[0]!)) return fault('The Host header is malformed.')
  const authority = absoluteForm.exec(request.url ?? '')?.[1]
  if (authority !== undefined && (authority === '' || !hostForm.test(authority))) {
    return fault('The request target names no host.')
  }
  if (headerValues(request, 'content-length').length > 1) return fault('At most one Content-Length header is allowed.')
  const codings = headerValues(request, 'transfer-encoding')
  if (codings.length > 0 && (!isCurrent || codings.length > 1 || codings[0] !== 'chunked')) {
    return fault('The only transfer coding taken is chunked, in HTTP/1.1.')
  }
  return null
}

function headBytes(request: IncomingMessage): number {
  let bytes = (request.method ?? '').length + (request.url ?? '').length + ' '.length * 2 + 'HTTP/1.1\r\n\r\n'.length
  for (const part of request.rawHeaders) bytes += part.length + 2
  return bytes
}

/** A name, an IPv4 address or a bracketed IPv6 one, with or without a port; empty as RFC 9112 allows. */
const hostForm = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?$/

/** A request target in absolute form (RFC 9112, 3.2.2), its authority caught. */
const absoluteForm = /^https?:\/\/([^/?#]*)/i

/** Check 4: `application/json`, parameters allowed, exactly once, and no Content-Encoding. */
export function checkContentType(request: IncomingMessage): Refused | null {
  const types = headerValues(request, 'content-type')
  const [type] = types
  if (types.length !== 1 || !jsonType.test(type!)) {
    return httpFault(415, 'Content-Type must be application/json, exactly once.')
  }
  if (headerValues(request, 'content-encoding').length > 0) {
    return httpFault(415, 'Content-Encoding is not taken: send the body as it is.')
  }
  return null
}

const jsonType = /^application\/json[ \t]*(?:;.*)?$/i

/** Check 8: the one Idempotency-Key, or null where it is missing, repeated or no UUID of the contract's form. */
export function idempotencyKeyOf(request: IncomingMessage): string | null {
  const keys = headerValues(request, 'idempotency-key')
  return keys.length === 1 && isUuid(keys[0]!) ? keys[0]! : null
}

/** The declared length of the body: 0 without a body, null where it is chunked. */
export function declaredLength(request: IncomingMessage): number | null {
  if (request.headers['transfer-encoding'] !== undefined) return null
  return Number(request.headers['content-length'] ?? 0)
}

const contractForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const anyCase = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True for a UUID of the contract's form: lower-case, hyphenated, 36 characters, any version. */
export function isUuid(text: string): boolean {
  return contractForm.test(text)
}

/** The same in either case, for X-Request-Id, whose form the contract leaves open. */
export function isUuidInAnyCase(text: string): boolean {
  return anyCase.test(text)
}
