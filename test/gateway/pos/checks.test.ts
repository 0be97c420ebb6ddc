import { randomUUID } from 'node:crypto'
import t from 'tap'
import { request } from 'undici'
import { aCall, aListener, answered, faultsOfError, nowS, readAnswers, signed, speak } from './a-listener.js'
import { headerCases } from './header-cases.js'

const body = '{"calculationId":"x"}'

t.test('every check answers with its status, code, error body and request id', async (t) => {
  const server = await aListener(t)
  const cases = headerCases(body)
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
    if (one.code !== undefined) t.equal(server.calls.length, before, `${one.name}: no use case is reached`)
    if (one.status === 200) t.match(answer.headers['server-timing'], /^app;dur=\d+(\.\d+)?$/, one.name)
    for (const [name, value] of Object.entries(one.expect ?? {}))
      t.equal(answer.headers[name], value, `${one.name}: ${name}`)
  }
  t.comment(`${cases.length} cases`)
})

t.test('two of a header that must be unique are refused as malformed', async (t) => {
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
    if (status === 401) t.match(JSON.parse(answer!.body).error.message, 'POS-Signature stands more than once.')
  }
  t.equal(server.calls.length, 0)
  t.comment(`${rows.length} cases`)
})

t.test('an invalid signature is refused with the fault that the sender can see', async (t) => {
  const server = await aListener(t)
  const [, t0, right] = /^t=(\d+),v1=(.+)$/.exec(signed(body))!
  const rows: [string | undefined, RegExp][] = [
    [undefined, /^POS-Signature is missing\.$/],
    ['', /^POS-Signature is malformed: expected t=<unix seconds>,v1=<64 hex digits>, without spaces\.$/],
    [`t=${t0}000,v1=${right}`, /is malformed/],
    [`t=${t0}, v1=${right}`, /is malformed/],
    [`t=${t0},v1=${right}00`, /is malformed/],
    [`t=${t0},v1=${'0'.repeat(64)}`, /^POS-Signature does not verify: /],
    [`t=${Number(t0) + 1},v1=${right}`, /does not verify/],
  ]
  for (const [header, message] of rows) {
    const headers = aCall(body, { 'pos-signature': header })
    const answer = await request(`${server.origin}/v1/pos/sale`, { method: 'POST', headers, body })
    t.equal(answer.statusCode, 401, String(header))
    const { error } = (await answer.body.json()) as { error: { code: string; message: string } }
    t.equal(error.code, 'invalid_signature', String(header))
    t.match(error.message, message, String(header))
    t.notMatch(error.message, /[0-9a-f]{16}/, 'neither a digest nor a secret')
  }
})

t.test('a header after 2,500 others still counts', async (t) => {
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

t.test('the result of a use case is sent with its headers', async (t) => {
  const server = await aListener(t, {
    useCases: {
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

t.test('a secret is valid in its overlap, and no longer', async (t) => {
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

t.test('the rate limit is asked only once the signature holds, and sets Retry-After', async (t) => {
  let asked = 0
  const server = await aListener(t, {
    rateLimiter: {
      take: async () => {
        asked += 1
        return 7
      },
      isStrained: false,
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

t.test('an abandoned request leaves no trace: its use case is notified before it stores anything', async (t) => {
  const admissions: unknown[] = []
  let isStrained = false
  const server = await aListener(t, {
    rateLimiter: {
      take: async () => 3,
      get isStrained() {
        return isStrained
      },
    },
    useCases: {
      calculateBasket: async () => Promise.reject(new Error('not asked')),
      recordSale: async ({ admitted }) => {
        admissions.push(await admitted)
        return { kind: 'unavailable', cause: 'rate limited', retryAfterS: 1 }
      },
    },
  })
  const send = async () => {
    const { statusCode, body: stream } = await request(`${server.origin}/v1/pos/sale`, {
      method: 'POST',
      headers: aCall(body, {}),
      body,
    })
    await stream.text()
    return statusCode
  }
  t.equal(await send(), 429)
  t.same(admissions, [false])
  isStrained = true
  t.equal(await send(), 429)
  t.equal(admissions.length, 1, 'while requests are turned away none is worked on before its token is there')
})
