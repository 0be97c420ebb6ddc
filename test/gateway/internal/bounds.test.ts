import { once } from 'node:events'
import http2 from 'node:http2'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectRouter } from '@connectrpc/connect'
import t from 'tap'
import { Agent, request } from 'undici'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { until } from '../../support/until.js'
import { readAnswers, speak } from '../pos/a-listener.js'
import { aListener } from './a-listener.js'
import { pathOf } from './grpc-client.js'

type Routes = (router: ConnectRouter) => void

/** Opens streams and resets them until the session ends. */
async function resetUntilClosed(origin: string): Promise<void> {
  const session = http2.connect(origin)
  session.on('error', () => {})
  while (!session.closed && !session.destroyed) {
    session
      .request({ ':path': '/health/live' })
      .on('error', () => {})
      .close(http2.constants.NGHTTP2_CANCEL)
    await new Promise((resolve) => setImmediate(resolve))
  }
  session.destroy()
}

t.test('after many resets new connections come slowly', async (t) => {
  const server = await aListener(t, { limits: { resetsInAllFactor: 1 } })
  for (let count = 0; count < 3; count += 1) await resetUntilClosed(server.origin)
  const startedAt = performance.now()
  const live = () => request(`${server.origin}/health/live`, { reset: true, dispatcher: new Agent() })
  for (const { statusCode } of await Promise.all([live(), live(), live()])) t.equal(statusCode, 200)
  t.ok(performance.now() - startedAt > 300, 'one every 200 ms')
})

t.test('streams without a token are few, of a connection and of all; those that end make room', async (t) => {
  const server = await aListener(t, { limits: { openStreamsMax: 2, openStreamsInAll: 3 } })
  const watch = async (session: http2.ClientHttp2Session, headers: Record<string, string> = {}) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Watch',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    })
    stream.on('error', () => {})
    stream.end(Buffer.alloc(5))
    stream.resume()
    const [received] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders]
    return { stream, status: received['grpc-status'], details: String(received['grpc-status-details-bin'] ?? '') }
  }
  const [one, other] = [http2.connect(server.origin), http2.connect(server.origin)]
  t.teardown(() => [one, other].map((session) => session.destroy()))
  const first = await watch(one)
  t.equal(first.status, undefined)
  t.equal((await watch(one)).status, undefined)
  const third = await watch(one)
  t.equal(third.status, '8', 'resource_exhausted')
  t.match(Buffer.from(third.details, 'base64').toString('latin1'), /TOO_MANY_WATCHERS/)
  t.equal((await watch(one, { authorization: 'Bearer read-this' })).status, undefined, 'who has a token may')
  t.equal((await watch(other)).status, undefined)
  t.equal((await watch(other)).status, '8', 'of all')
  first.stream.close(http2.constants.NGHTTP2_CANCEL)
  await until(
    async () => (await watch(other)).status,
    (status) => status === undefined,
  )
})

const getLimit = pathOf(LimitService.method.getLimit)
const as = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

t.test('calls of one role are few at once, and leave other roles theirs', async (t) => {
  const waiting: (() => void)[] = []
  const answered = () => new Promise<object>((resolve) => waiting.push(() => resolve({})))
  const routes: Routes = (router) => void router.service(LimitService, { getLimit: answered })
  const server = await aListener(t, { limits: { callsMax: 2 }, routes })
  const call = (token: string) =>
    request(`${server.origin}${getLimit}`, { method: 'POST', headers: as(token), body: '{}' })
  const running = [call('read-this'), call('read-this')]
  await until(
    () => waiting.length,
    (count) => count === 2,
  )
  const refused = await call('read-this')
  t.equal(refused.statusCode, 429)
  t.match(await refused.body.json(), {
    details: [{ debug: { reason: 'TOO_MANY_CALLS' } }, { debug: { retryDelay: '1s' } }],
  })
  const other = call('run-that')
  await until(
    () => waiting.length,
    (count) => count === 3,
  )
  for (const end of waiting) end()
  for (const { statusCode } of await Promise.all([...running, other])) t.equal(statusCode, 200)
  const again = call('read-this')
  await until(
    () => waiting.length,
    (count) => count === 4,
  )
  waiting[3]!()
  t.equal((await again).statusCode, 200, 'those that have ended make room')
})

t.test('bytes of messages are bounded together: the one that has been arriving for longest gives way', async (t) => {
  const routes: Routes = (router) => void router.service(LimitService, { getLimit: () => ({}) })
  const server = await aListener(t, { limits: { messageBytesInAll: 1_000 }, routes })
  const head = (length: number) =>
    `POST ${getLimit} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer read-this\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  const slow = net.connect(server)
  t.teardown(() => slow.destroy())
  slow.write(`${head(900)}{${' '.repeat(700)}`)
  const refused = once(slow, 'data')
  await sleep(100)
  const quick = await request(`${server.origin}${getLimit}`, {
    method: 'POST',
    headers: as('read-this'),
    body: `{}${' '.repeat(700)}`,
  })
  t.equal(quick.statusCode, 200)
  t.match(String((await refused)[0]), /^HTTP\/1.1 429 [\s\S]*TOO_MANY_CALLS/)
})

t.test('bytes that are no request get a body that says why', async (t) => {
  const server = await aListener(t)
  const raw: [string, RegExp, string][] = [
    ['BREW\r\n\r\n', /^HTTP\/1.1 400 /, 'invalid_argument'],
    [`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1.1 431 /, 'resource_exhausted'],
    ['GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\nConnection: close\r\n\r\n', /^HTTP\/1.1 417 /, 'invalid_argument'],
  ]
  for (const [bytes, line, code] of raw) {
    const { text } = await speak(server, bytes)
    t.match(text, line)
    t.equal(JSON.parse(text.slice(text.indexOf('{'))).code, code)
  }
})

t.test('over HTTP/1.1 few requests are taken ahead, and a client that does not read is cut off', async (t) => {
  const server = await aListener(t, { limits: { aheadMax: 8, streamIdleMs: 300 } })
  const page = 'GET /metrics HTTP/1.1\r\nHost: a\r\n'
  const ahead = await speak(server, `${page}\r\n`.repeat(50))
  t.ok(ahead.closed)
  t.ok(readAnswers(ahead.text).length <= 4)
  const token = 'Authorization: Bearer read-this\r\n'
  const { text } = await speak(server, `${page}${token}\r\n`.repeat(50))
  t.same(
    readAnswers(text)
      .map(({ status }) => status)
      .slice(0, 9),
    [...Array.from({ length: 8 }, () => 200), 429],
  )
})

t.test('over HTTP/1.1 a client that does not read its answer is cut off', async (t) => {
  const large = {
    docs: { find: () => null },
    json: { '/large': Buffer.alloc(32 * 1024 * 1024) },
  }
  const entry = async () => ({ contentType: 'text/plain', body: Buffer.alloc(0), headers: {} })
  const server = await aListener(t, { limits: { streamIdleMs: 300 }, documents: { ...large, entry } })
  const socket = net.connect(server)
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
  socket.pause()
  const closed = new Promise((resolve) => socket.on('close', resolve))
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  socket.resume()
  await closed
  t.ok(socket.bytesRead < 32 * 1024 * 1024, 'it did not get everything')
})
