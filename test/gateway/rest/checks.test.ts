import { createHash, createHmac, randomUUID } from 'node:crypto'
import t from 'tap'
import { request } from 'undici'
import { aCall, aListener, answered, faultsOfError, nowS, readAnswers, secret, signed, speak } from './a-listener.js'

interface Case {
  readonly name: string
  readonly method?: string
  readonly path?: string
  readonly body?: string
  readonly headers?: Record<string, string | undefined>
  readonly status: number
  readonly code?: string
  readonly expect?: Record<string, string | undefined>
}

const body = '{"calculationId":"x"}'
const hmac = (t: string | number, text: string, key = secret, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(`${t}.${text}`).digest('hex')
const sig = (header: string): Record<string, string> => ({ 'pos-signature': header })
const t0 = nowS()
const right = hmac(t0, body)

const cases: Case[] = [
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
  {
    name: 'POST on health',
    path: '/health/live',
    status: 405,
    code: 'invalid_request',
    expect: { allow: 'GET, HEAD' },
  },
  ...['/', '/v1/pos', '/v1/pos/basket/', '//v1/pos/basket', '/V1/pos/basket', '/v1/pos/%62asket', '/v2/pos/basket'].map(
    (path) => ({ name: `path ${path}`, path, status: 404, code: 'invalid_request' }),
  ),
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
  { name: 'method override', headers: { 'x-http-method-override': 'GET', 'x-forwarded-for': '<script>' }, status: 200 },

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
    signed(body, t0 - 290),
    signed(body, t0 + 300),
  ].map((header) => ({ name: `signature ${header.slice(0, 60)}`, headers: sig(header), status: 200 })),
  ...[0, 999_999_999_999, t0 - 320, t0 + 320].map((t) => ({
    name: `rightly signed at ${t}`,
    headers: sig(signed(body, t)),
    status: 401,
    code: 'stale_timestamp',
  })),

  // The order of the checks: each of these has two faults, the earlier one answers.
  { name: '404 before 415', path: '/x', headers: { 'content-type': undefined }, status: 404, code: 'invalid_request' },
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

t.test('every check answers with its status, code, error body and request id', async (t) => {
  const server = await aListener(t)
  for (const one of cases) {
    const text = one.body ?? body
    const requestId = randomUUID()
    const method = (one.method ?? 'POST') as 'POST'
    const before = server.calls.length
    const {
      statusCode,
      headers,
      body: stream,
    } = await request(server.origin + (one.path ?? '/v1/pos/basket'), {
      method,
      headers: aCall(text, { 'x-request-id': requestId, ...one.headers }),
      ...(['GET', 'TRACE'].includes(method) ? {} : { body: text }),
    })
    const answer = { status: statusCode, headers: headers as Record<string, string>, body: await stream.text() }
    t.equal(answer.status, one.status, one.name)
    t.equal(answer.headers['x-request-id'], requestId, `${one.name}: the request id is echoed`)
    if (one.code !== undefined) t.same(faultsOfError(answer, one.code), [], one.name)
    if (one.code !== undefined) t.equal(server.calls.length, before, `${one.name}: no story is told`)
    if (one.status === 200) t.match(answer.headers['server-timing'], /^app;dur=\d+(\.\d+)?$/, one.name)
    for (const [name, value] of Object.entries(one.expect ?? {}))
      t.equal(answer.headers[name], value, `${one.name}: ${name}`)
  }
  t.comment(`${cases.length} cases`)
})

t.test('of headers that count once, two are refused as a malformed one', async (t) => {
  const server = await aListener(t)
  const key = randomUUID()
  const rows: [string, number, string][] = [
    [`POS-Signature: ${signed(body)}`, 401, 'invalid_signature'],
    [`Idempotency-Key: ${key}`, 400, 'invalid_request'],
    ['Content-Type: application/json', 415, 'invalid_request'],
    [`Content-Length: ${body.length}`, 400, 'invalid_request'],
    ['Host: other', 400, 'invalid_request'],
  ]
  for (const [line, status, code] of rows) {
    const head = Object.entries(aCall(body, { host: 'loyalty', 'content-length': String(body.length) }))
    const text = ['POST /v1/pos/basket HTTP/1.1', ...head.map(([name, value]) => `${name}: ${value}`), line, '', body]
    const { text: said } = await speak(server, text.join('\r\n'), { finish: true })
    const [answer] = readAnswers(said)
    t.equal(answer?.status, status, line)
    t.same(faultsOfError(answer!, code), [], line)
  }
  t.equal(server.calls.length, 0)
  t.comment(`${rows.length} cases`)
})

t.test('a header that 2,500 others precede still counts', async (t) => {
  const server = await aListener(t)
  const head = Object.entries(aCall(body, { host: 'loyalty', 'content-length': String(body.length) }))
  const text = [
    'POST /v1/pos/basket HTTP/1.1',
    ...head.map(([name, value]) => `${name}: ${value}`),
    ...Array.from({ length: 2_500 }, () => 'a:'),
    `POS-Signature: ${signed(body)}`,
    '',
    body,
  ]
  const { text: said } = await speak(server, text.join('\r\n'), { finish: true })
  t.equal(readAnswers(said)[0]?.status, 401)
})

t.test('what a story says goes out with its headers', async (t) => {
  const server = await aListener(t, {
    stories: {
      calculateBasket: async () => answered('{"first":1}', true),
      recordSale: async () => ({
        kind: 'refused',
        code: 'too_many_lines',
        message: 'm',
        details: { field: 'lines', expected: 'at most 200', received: '201' },
      }),
    },
  })
  const one = await request(`${server.origin}/v1/pos/basket`, { method: 'POST', headers: aCall(body), body })
  t.equal(one.headers['idempotent-replayed'], 'true')
  t.equal(await one.body.text(), '{"first":1}')
  const other = await request(`${server.origin}/v1/pos/sale`, { method: 'POST', headers: aCall(body), body })
  t.equal(other.statusCode, 422)
  t.match(await other.body.json(), {
    error: { code: 'too_many_lines', details: { field: 'lines', expected: 'at most 200', received: '201' } },
  })
})

t.test('a secret in its overlap serves, and no longer after it', async (t) => {
  let secrets = ['old', 'new']
  const server = await aListener(t, { secrets: () => secrets.map((one) => Buffer.from(one)) })
  const send = async (key: string) => {
    const headers = aCall(body, { 'pos-signature': signed(body, nowS(), key) })
    const { statusCode, body: stream } = await request(`${server.origin}/v1/pos/basket`, {
      method: 'POST',
      headers,
      body,
    })
    await stream.dump()
    return statusCode
  }
  t.same([await send('old'), await send('new')], [200, 200])
  secrets = ['new']
  t.same([await send('old'), await send('new')], [401, 200])
})

t.test('the rate limit is asked only once the signature holds, and tells when to come back', async (t) => {
  let asked = 0
  const server = await aListener(t, {
    rateLimiter: {
      take: async () => {
        asked += 1
        return 7
      },
    },
  })
  const send = async (headers: Record<string, string>) => {
    const {
      statusCode,
      headers: got,
      body: stream,
    } = await request(`${server.origin}/v1/pos/sale`, { method: 'POST', headers, body })
    return { status: statusCode, headers: got as Record<string, string>, body: await stream.text() }
  }
  t.equal((await send(aCall(body, { 'pos-signature': 'x' }))).status, 401)
  t.equal(asked, 0)
  const answer = await send(aCall(body, { 'idempotency-key': 'x' }))
  t.equal(answer.status, 429)
  t.equal(answer.headers['retry-after'], '7')
  t.same(faultsOfError(answer, 'rate_limited'), [])
  t.equal(asked, 1)
})
