import { createHash, createHmac, randomUUID } from 'node:crypto'
import { nowS, secret, signed } from './a-listener.js'

/** A valid call with one named change, and its answer. */
export interface HeaderCase {
  readonly name: string
  readonly method?: string
  readonly path?: string
  readonly body?: string
  readonly headers?: Record<string, string | undefined>
  readonly status: number
  readonly code?: string
  readonly expect?: Record<string, string | undefined>
}

/** Checks 1 to 8 (wire decisions 3) for a body, and their order. */
export function headerCases(body: string): HeaderCase[] {
  return [...routeCases(), ...signatureCases(body), ...orderCases()]
}

function routeCases(): HeaderCase[] {
  return [
    { name: 'a right call', status: 200 },
    ...['GET', 'PUT', 'DELETE', 'PATCH', 'TRACE'].map((method) => ({
      name: `${method} on a POST path`,
      method,
      status: 405,
      code: 'invalid_request',
      expect: { allow: 'POST' },
    })),
    {
      name: 'OPTIONS of a browser',
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      status: 405,
      code: 'invalid_request',
      expect: { allow: 'POST', 'access-control-allow-origin': undefined },
    },
    ...['/', '/health/live', '/docs/x'].map((path) => ({
      name: `POST on ${path}`,
      path,
      status: 405,
      code: 'invalid_request',
      expect: { allow: 'GET, HEAD' },
    })),
    ...[
      '/v1',
      '/v1/pos',
      '/v1/pos/basket/',
      '//v1/pos/basket',
      '/V1/pos/basket',
      '/v1/pos/%62asket',
      '/v2/pos/basket',
    ].map((path) => ({ name: `path ${path}`, path, status: 404, code: 'invalid_request' })),
    { name: 'a query', path: '/v1/pos/basket?x=1', status: 200 },
    { name: 'an empty query', path: '/v1/pos/sale?', status: 200 },
    { name: 'no Content-Type', headers: { 'content-type': undefined }, status: 415, code: 'invalid_request' },
    ...['text/json', 'application/jsonx', 'application/json, text/html', 'application/json+x', 'text/plain'].map(
      (type) => ({
        name: `Content-Type ${type}`,
        headers: { 'content-type': type },
        status: 415,
        code: 'invalid_request',
      }),
    ),
    { name: 'parameters', headers: { 'content-type': 'Application/JSON; charset=UTF-8' }, status: 200 },
    { name: 'parameters without space', headers: { 'content-type': 'application/json;charset=utf-8' }, status: 200 },
    { name: 'Content-Encoding', headers: { 'content-encoding': 'gzip' }, status: 415, code: 'invalid_request' },
    {
      name: 'Content-Encoding identity',
      headers: { 'content-encoding': 'identity' },
      status: 415,
      code: 'invalid_request',
    },
    { name: 'no Idempotency-Key', headers: { 'idempotency-key': undefined }, status: 400, code: 'invalid_request' },
    ...['%00', 'x', randomUUID().toUpperCase(), `{${randomUUID()}}`, randomUUID().replaceAll('-', '')].map((key) => ({
      name: `Idempotency-Key ${key}`,
      headers: { 'idempotency-key': key },
      status: 400,
      code: 'invalid_request',
    })),
    ...['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'].map((key) => ({
      name: `Idempotency-Key ${key}`,
      headers: { 'idempotency-key': key },
      status: 200,
    })),
    {
      name: 'method override',
      headers: { 'x-http-method-override': 'GET', 'x-forwarded-for': '<script>' },
      status: 200,
    },
  ]
}

function signatureCases(body: string): HeaderCase[] {
  const hmac = (t: string | number, text: string, key = secret, algorithm = 'sha256') =>
    createHmac(algorithm, key).update(`${t}.${text}`).digest('hex')
  const sig = (header: string): Record<string, string> => ({ 'pos-signature': header })
  const t0 = nowS()
  const right = hmac(t0, body)
  return [
    { name: 'no signature', headers: { 'pos-signature': undefined }, status: 401, code: 'invalid_signature' },
    ...[
      '',
      `t=${t0}`,
      `v1=${right}`,
      `t=${t0};v1=${right}`,
      `t=${t0}, v1=${right}`,
      `t=${t0},v1=${right},`,
      `t=${t0},,v1=${right}`,
      `t=${t0},v1`,
      `t=${t0},=x,v1=${right}`,
      `t=${t0},t=${t0},v1=${right}`,
      `t=${t0},v1=${right.slice(1)}`,
      `t=${t0},v1=${right}0`,
      `t=${t0},v1=${right.replace(/^./, 'g')}`,
      `t=${t0},V1=${right}`,
      `T=${t0},v1=${right}`,
      ...['', '0123456789012', '-1', '+1', '1e9', ' 1', '0x10', '1.5'].map((t) => `t=${t},v1=${hmac(t, body)}`),
      `t=${t0},${`v1=${right},`.repeat(9).slice(0, -1)}`,
      `t=${t0},v1=${right},x=${'y'.repeat(4_096)}`,
      `t=${t0},v1=${hmac(t0, body, `${secret}\n`)}`,
      `t=${t0},v1=${hmac(t0, `\ufeff${body}`)}`,
      `t=${t0},v1=${hmac(t0, body, secret, 'sha512').slice(0, 64)}`,
      `t=${t0},v1=${hmac(t0, body, secret, 'sha1')}`,
      `t=${t0},v1=${createHash('sha256')
        .update(secret + body)
        .digest('hex')}`,
      `t=${t0},v1=${hmac(t0 - 1, body)}`,
      `t=${t0 - 4_000},v1=${'0'.repeat(64)}`,
    ].map((header) => ({
      name: `signature ${JSON.stringify(header.slice(0, 90))}`,
      headers: sig(header),
      status: 401,
      code: 'invalid_signature',
    })),
    {
      name: 'digest over re-serialised JSON',
      body: '{ "a": 1 }',
      headers: sig(signed('{"a":1}')),
      status: 401,
      code: 'invalid_signature',
    },
    ...[
      `t=${t0},v1=${right.toUpperCase()}`,
      `v1=${right},t=${t0}`,
      `v0=zz,t=${t0},v1=${right},v2=abc==,x=`,
      `t=${t0},v1=${'0'.repeat(64)},v1=${right}`,
      `t=${t0},${`v1=${'1'.repeat(64)},`.repeat(7)}v1=${right}`,
      signed(body, String(t0).padStart(12, '0')),
      signed(body, t0 - 200),
      signed(body, t0 + 300),
    ].map((header) => ({ name: `signature ${header.slice(0, 60)}`, headers: sig(header), status: 200 })),
    ...[0, 999_999_999_999, t0 - 320, t0 + 4_000].map((t) => ({
      name: `rightly signed at ${t}`,
      headers: sig(signed(body, t)),
      status: 401,
      code: 'stale_timestamp',
    })),
  ]
}

/** Each has two faults, of which the earlier check answers; and sizes. */
function orderCases(): HeaderCase[] {
  return [
    {
      name: '404 before 415',
      path: '/x',
      headers: { 'content-type': undefined },
      status: 404,
      code: 'invalid_request',
    },
    {
      name: '413 before 415',
      body: ' '.repeat(262_145),
      headers: { 'content-type': undefined },
      status: 413,
      code: 'invalid_request',
    },
    {
      name: '415 before 401',
      headers: { 'content-type': 'x/y', 'pos-signature': undefined },
      status: 415,
      code: 'invalid_request',
    },
    {
      name: '401 before 400',
      headers: { 'pos-signature': 'x', 'idempotency-key': 'x' },
      status: 401,
      code: 'invalid_signature',
    },
    { name: 'a body of exactly the limit', body: ' '.repeat(262_144), status: 200 },
    {
      name: 'a body of one byte more',
      body: ' '.repeat(262_145),
      status: 413,
      code: 'invalid_request',
      expect: { connection: 'close' },
    },
    { name: 'an empty body', body: '', status: 200 },
  ]
}
