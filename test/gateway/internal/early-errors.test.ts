import http2 from 'node:http2'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { framed, rawCall } from '../../hostile/raw-call.js'
import { until } from '../../support/until.js'
import { aListener } from './a-listener.js'
import { pathOf } from './grpc-client.js'

const path = pathOf(LimitService.method.getLimit)
const token = 'read-this'
const authorization = `Bearer ${token}`
const endpoint = 'LimitService/GetLimit'

/** A listener whose GetLimit returns the given replies, with its metrics and records. */
const aService = (t: Test, answer: () => Promise<object> = async () => ({})) =>
  aListener(t, { routes: (router) => void router.service(LimitService, { getLimit: answer }) })

type Listener = Awaited<ReturnType<typeof aListener>>

/** Asserts one record and one count since `before`, of this code and no other. */
async function assertOneRecord(t: Test, { calls, metrics }: Listener, before: number, code: string, what: string) {
  const records = await until(calls, ({ length }) => length > before)
  t.equal(records.length, before + 1, `${what}: one record`)
  t.match(records.at(-1), { endpoint, code, caller: /^reader-/ }, what)
  const counted = [
    ...(await metrics.text()).matchAll(/^loyalty_requests_total\{.*endpoint="LimitService\/GetLimit".*\} (\d+)$/gm),
  ]
  t.equal(
    counted.reduce((sum, [, count]) => sum + Number(count), 0),
    before + 1,
    `${what}: counted once`,
  )
}

const gzipped = gzipSync('{}')
const torn = gzipped.subarray(0, -6)
const bomb = gzipSync(Buffer.alloc(10_000_000, 0x20))

t.test('a fault before a message can be read has its code, reason, record and metric, over Connect', async (t) => {
  const listener = await aService(t)
  const get = (query: string) => ({ method: 'GET' as const, query: `?connect=v1&${query}` })
  const post = (body: Buffer, headers: Record<string, string>) => ({
    method: 'POST' as const,
    query: '',
    body,
    headers,
  })
  const json = { 'content-type': 'application/json' }
  const rows: [string, ReturnType<typeof get> | ReturnType<typeof post>, number, string][] = [
    ['GET, no base64', get('encoding=json&base64=1&message=%25%25%25'), 400, 'INVALID_REQUEST'],
    ['GET, a base64 digit too many', get('encoding=proto&base64=1&message=AAAAA'), 400, 'INVALID_REQUEST'],
    ['GET, no gzip', get('encoding=json&compression=gzip&message=%7B%7D'), 400, 'INVALID_REQUEST'],
    ['GET, unknown compression', get('encoding=json&compression=lzma&message=%7B%7D'), 404, 'UNIMPLEMENTED'],
    ['no gzip', post(Buffer.from('{}'), { ...json, 'content-encoding': 'gzip' }), 400, 'INVALID_REQUEST'],
    ['torn gzip', post(torn, { ...json, 'content-encoding': 'gzip' }), 400, 'INVALID_REQUEST'],
    ['no brotli', post(Buffer.from('{}'), { ...json, 'content-encoding': 'br' }), 400, 'INVALID_REQUEST'],
    ['a gzip bomb', post(bomb, { ...json, 'content-encoding': 'gzip' }), 429, 'MESSAGE_TOO_LARGE'],
    ['unknown compression', post(gzipped, { ...json, 'content-encoding': 'lzma' }), 501, 'UNIMPLEMENTED'],
    ['no JSON', post(Buffer.from('{'), json), 400, 'INVALID_REQUEST'],
    ['no protobuf', post(Buffer.from([0x0a]), { 'content-type': 'application/proto' }), 400, 'INVALID_REQUEST'],
    ['commas', post(Buffer.from(`{"x":[${'0,'.repeat(2_000)}0]}`), json), 400, 'INVALID_REQUEST'],
  ]
  for (const [at, [what, { query, ...call }, status, reason]] of rows.entries()) {
    const headers = { authorization, ...('headers' in call ? call.headers : {}) }
    const answer = await request(`${listener.origin}${path}${query}`, { ...call, headers })
    const text = await answer.body.text()
    t.ok([status, status === 404 ? 501 : status].includes(answer.statusCode), `${what}: ${answer.statusCode} ${text}`)
    t.match(JSON.parse(text), { details: [{ type: 'google.rpc.ErrorInfo', debug: { reason } }] }, what)
    await assertOneRecord(t, listener, at, reason.toLowerCase(), what)
  }
  const good = await request(
    `${listener.origin}${path}?connect=v1&encoding=json&base64=1&compression=gzip&message=${encodeURIComponent(gzipped.toString('base64'))}`,
    { headers: { authorization } },
  )
  t.equal(good.statusCode, 200, await good.body.text())
  t.notOk(
    listener.records.some((record) => JSON.parse(record).level >= 50),
    'and none is a fault of ours',
  )
})

t.test('the same over gRPC and gRPC-Web', async (t) => {
  const listener = await aService(t)
  const gzip = { 'grpc-encoding': 'gzip' }
  const rows: [string, Buffer, Record<string, string>, number, string][] = [
    ['no frame', Buffer.alloc(0), {}, 3, 'INVALID_REQUEST'],
    ['half a head', Buffer.from([0, 0]), {}, 3, 'INVALID_REQUEST'],
    ['a frame cut short', framed(Buffer.from([0x0a, 0]), 0, 9), {}, 3, 'INVALID_REQUEST'],
    ['two frames', Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))]), {}, 3, 'INVALID_REQUEST'],
    ['flags 0xff', framed(Buffer.alloc(0), 0xff), {}, 3, 'INVALID_REQUEST'],
    ['compressed, without the encoding', framed(gzipped, 1), {}, 3, 'INVALID_REQUEST'],
    ['no gzip', framed(Buffer.from('nonsense'), 1), gzip, 3, 'INVALID_REQUEST'],
    ['torn gzip', framed(torn, 1), gzip, 3, 'INVALID_REQUEST'],
    ['a gzip bomb', framed(bomb, 1), gzip, 8, 'MESSAGE_TOO_LARGE'],
    ['unknown compression', framed(gzipped, 1), { 'grpc-encoding': 'lzma' }, 12, 'UNIMPLEMENTED'],
    ['no protobuf', framed(Buffer.from([0x0f])), {}, 3, 'INVALID_REQUEST'],
    ['no timeout', framed(Buffer.alloc(0)), { 'grpc-timeout': 'soon' }, 3, 'INVALID_REQUEST'],
  ]
  const session = http2.connect(listener.origin)
  t.teardown(() => session.destroy())
  let count = 0
  for (const [what, body, headers, code, reason] of rows) {
    t.match(await rawCall(session, { path, token, headers, body }), { code, reason }, what)
    await assertOneRecord(t, listener, count++, reason.toLowerCase(), what)
    const web = { authorization, 'content-type': 'application/grpc-web+proto', ...headers }
    const answer = await request(`${listener.origin}${path}`, { method: 'POST', headers: web, body })
    const text = Buffer.from(await answer.body.arrayBuffer()).toString('latin1')
    t.match(text, new RegExp(`grpc-status: ?${code}\\r`), `${what}, gRPC-Web`)
    t.match(text, /grpc-status-details-bin: /, `${what}, gRPC-Web`)
    await assertOneRecord(t, listener, count++, reason.toLowerCase(), `${what}, gRPC-Web`)
  }
  t.notOk(
    listener.records.some((record) => JSON.parse(record).level >= 50),
    'and none is a fault of ours',
  )
})

t.test('a client that hangs up is neither our fault nor an alert: 499, at debug level', async (t) => {
  let asked = 0
  const listener = await aService(t, () => {
    asked += 1
    return new Promise(() => {})
  })
  const json = { authorization, 'content-type': 'application/json' }
  const hangUps: readonly (() => Promise<unknown>)[] = [
    // While its answer is computed, over HTTP/1.1 and HTTP/2.
    async () => {
      const before = asked
      const abort = new AbortController()
      const call = request(`${listener.origin}${path}`, {
        method: 'POST',
        headers: json,
        body: '{}',
        signal: abort.signal,
      })
      await until(
        () => asked,
        (now) => now > before,
      )
      abort.abort()
      await call.catch(() => {})
    },
    ...[http2.constants.NGHTTP2_CANCEL, http2.constants.NGHTTP2_NO_ERROR, http2.constants.NGHTTP2_INTERNAL_ERROR].map(
      (code) => async () => {
        const before = asked
        const session = http2.connect(listener.origin)
        const stream = session.request({
          ':method': 'POST',
          ':path': path,
          ...json,
          'content-type': 'application/grpc',
        })
        stream.on('error', () => {})
        stream.write(framed(Buffer.alloc(0)))
        stream.end()
        await until(
          () => asked,
          (now) => now > before,
        )
        stream.close(code)
        session.close()
      },
    ),
    // Before its message has arrived.
    async () => {
      const session = http2.connect(listener.origin)
      const stream = session.request({ ':method': 'POST', ':path': path, ...json })
      stream.on('error', () => {})
      await new Promise((resolve) => stream.write('{"limitId":', resolve))
      await new Promise((resolve) => session.ping(resolve))
      stream.close(http2.constants.NGHTTP2_CANCEL)
      session.close()
    },
  ]
  for (const [at, hangUp] of hangUps.entries()) {
    await hangUp()
    await assertOneRecord(t, listener, at, 'canceled', `hang-up ${at}`)
    t.match(listener.calls().at(-1), { status: 499, outcome: 'aborted', level: 20 })
  }
  t.match(await listener.metrics.text(), /code="canceled"\} 5/)
  t.notOk(listener.records.some((record) => JSON.parse(record).level > 30))
})

t.test('a call with side effects is refused as GET, with any token', async (t) => {
  const asked: string[] = []
  const { origin } = await aListener(t, {
    routes: (router) =>
      void router.service(MemberService, {
        async forgetMember({ memberId }) {
          asked.push(memberId)
          return {}
        },
      }),
  })
  const message = encodeURIComponent(JSON.stringify({ memberId: 'ben' }))
  const forget = pathOf(MemberService.method.forgetMember)
  const answer = await request(`${origin}${forget}?connect=v1&encoding=json&message=${message}`, {
    headers: { authorization: 'Bearer run-that' },
  })
  t.equal(answer.statusCode, 405, await answer.body.text())
  t.same(asked, [])
})

t.test('a wrong content type or method is named, with what is expected', async (t) => {
  const { origin } = await aService(t)
  const watch = '/grpc.health.v1.Health/Watch'
  const json = 'application/json'
  const streaming = /application\/connect\+json, application\/connect\+proto, application\/grpc,/
  const rows: ['POST' | 'PUT' | 'GET', string, string, number, string, RegExp][] = [
    ['POST', watch, json, 415, 'accept-post', streaming],
    [
      'POST',
      '/grpc.health.v1.Health/Check',
      'text/plain',
      415,
      'accept-post',
      /^application\/json, application\/proto,/,
    ],
    ['PUT', watch, json, 405, 'allow', /^POST$/],
    ['GET', watch, json, 405, 'allow', /^POST$/],
  ]
  for (const [method, path, type, status, header, expected] of rows) {
    const body = method === 'GET' ? null : '{}'
    const answer = await request(origin + path, { method, headers: { 'content-type': type }, body })
    const what = `${method} ${path} ${type}`
    t.equal(answer.statusCode, status, what)
    t.match(String(answer.headers[header]), expected, what)
    t.equal(answer.headers['content-type'], json, what)
    const { code, message, details } = (await answer.body.json()) as Record<string, never>
    t.equal(code, 'invalid_argument', what)
    const [received, field] = status === 415 ? [type, 'Content-Type'] : [method, 'method']
    t.equal(message, `${field}: expected ${answer.headers[header]}; received ${received}`)
    t.match(details, [{ debug: { reason: 'INVALID_REQUEST' } }, { debug: { fieldViolations: [{ field }] } }], what)
  }
})
