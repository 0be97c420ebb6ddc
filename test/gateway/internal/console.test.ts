import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { EventService } from '../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { createTokenCheck } from '../../../gateway/internal/authentication.js'
import { createSessions, tokenSessionMs } from '../../../gateway/internal/console/sessions.js'
import { StoreFault } from '../../../store/fault.js'
import { consolePromises } from '../../store/ledger-contract-gateways.js'
import { until } from '../../support/until.js'
import { aListener, createConsoleSessions } from './a-listener.js'

const path = '/loyalty.v1.LimitService/ListLimits'
const tokens = [{ role: 'admin', token: 'run-that' }] as const
const caller = createTokenCheck(tokens)(['Bearer run-that'])!

/** A listener with a built console and one service whose lists are empty. */
async function aServer(t: Test, store = createConsoleSessions()) {
  const folder = mkdtempSync(join(tmpdir(), 'lps-console-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'assets', 'main-1a2b.js'), 'plain')
  writeFileSync(join(folder, 'assets', 'main-1a2b.js.br'), 'by brotli')
  writeFileSync(join(folder, 'assets', 'main-1a2b.js.gz'), 'by gzip')
  writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(folder, 'secret.txt'), 'no part of a console')
  t.teardown(() => rmSync(folder, { recursive: true }))
  const server = await aListener(t, {
    folder,
    store,
    routes: (router) => {
      router.service(LimitService, { listLimits: () => ({ counters: [], nextPageToken: '' }) })
      router.service(EventService, {
        async *watchEvents(_, { signal }) {
          for (;;) {
            signal.throwIfAborted()
            yield { cursor: 'x' }
            await sleep(100)
          }
        },
      })
    },
  })
  const own = { 'x-loyalty-console': '1', origin: server.origin }
  const session = (method: 'GET' | 'POST' | 'DELETE', more: object = {}, body?: object) =>
    send(`${server.origin}/console/session`, {
      method,
      headers: { ...own, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const call = (headers: object) =>
    send(server.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    })
  return { ...server, own, session, call }
}

async function send(url: string, options: object = {}) {
  const { statusCode, headers, body } = await request(url, options)
  return { status: statusCode, headers, text: await body.text() }
}

/** The Cookie header for a Set-Cookie header. */
function cookieOf({ headers }: Awaited<ReturnType<typeof send>>): string {
  return String(headers['set-cookie']).split(';')[0]!
}

t.test('a token begins a session that calls by its cookie with the role and the name of the token', async (t) => {
  const { session, call, own } = await aServer(t)
  const begun = await session('POST', {}, { token: 'read-this' })
  t.equal(begun.status, 200)
  t.match(
    String(begun.headers['set-cookie']),
    /^loyalty_console=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  )
  const now = /^\d{4}-\d\d-\d\dT/
  const shown = { environment: 'staging', channels: ['pos', 'mpos'], now }
  t.match(JSON.parse(begun.text), { role: 'reader', name: /^reader-[0-9a-f]{8}$/, ...shown })
  t.notMatch(begun.text + String(begun.headers['set-cookie']), /read-this/)
  const cookie = cookieOf(begun)
  t.equal((await session('GET', { cookie })).status, 200)
  t.equal((await call({ ...own, cookie })).status, 200)
  t.equal((await call({ ...own, cookie: `other=1; ${cookie}` })).status, 200)
  t.equal((await call({ cookie, authorization: 'Bearer wrong' })).status, 401, 'a token counts before a cookie')
  await session('DELETE', { cookie })
  t.equal((await session('GET', { cookie })).status, 401)
  t.equal((await call({ ...own, cookie })).status, 401, 'signing out ends it in the gateway')
})

t.test('a cookie counts only for calls of the console itself', async (t) => {
  const { session, call, own, origin } = await aServer(t)
  const cookie = cookieOf(await session('POST', {}, { token: 'run-that' }))
  for (const headers of [
    { origin },
    { 'x-loyalty-console': '1' },
    { ...own, origin: 'http://evil.example' },
    { ...own, origin: 'null' },
    { ...own, origin: `${origin}.evil.example` },
    { ...own, 'sec-fetch-site': 'cross-site' },
    { ...own, 'sec-fetch-site': 'same-site' },
  ]) {
    t.equal((await call({ ...headers, cookie })).status, 401, JSON.stringify(headers))
  }
  t.equal((await session('POST', { origin: 'http://evil.example' }, { token: 'run-that' })).status, 403)
  t.equal((await session('DELETE', { cookie, origin: 'http://evil.example' })).status, 403)
  t.equal((await call({ ...own, cookie, 'sec-fetch-site': 'same-origin' })).status, 200)
})

t.test('behind TLS the cookie is for TLS alone', async (t) => {
  const { session, call, own, target } = await aServer(t)
  const origin = `https://${target}`
  const begun = await session('POST', { origin }, { token: 'run-that' })
  t.match(String(begun.headers['set-cookie']), /^__Host-loyalty_console=.+; Path=\/; .+; Secure$/)
  const cookie = cookieOf(begun)
  t.equal((await call({ ...own, origin, cookie })).status, 200)
  const planted = cookie.replace('__Host-', '')
  t.equal((await call({ ...own, origin, cookie: planted })).status, 401, 'another host of the domain can plant none')
  t.equal((await call({ ...own, origin, cookie: `${planted}0; ${cookie}` })).status, 200, 'nor be in its way')
  const ended = await session('DELETE', { origin, cookie })
  t.match(String(ended.headers['set-cookie']), /^__Host-loyalty_console=; Path=\/; Max-Age=0; /)
})

t.test('whoever has no token gets no session', async (t) => {
  const { session, call, own } = await aServer(t)
  for (const body of [
    {},
    { token: '' },
    { token: 'wrong' },
    { token: 7 },
    { ticket: 'wrong' },
    { token: 'x'.repeat(9_999) },
  ]) {
    const refused = await session('POST', {}, body)
    t.equal(refused.status, 401)
    t.notOk('set-cookie' in refused.headers)
  }
  t.equal((await session('GET', { cookie: `loyalty_console=${'A'.repeat(43)}` })).status, 401)
  t.equal((await call({ ...own, cookie: 'loyalty_console=' })).status, 401)
})

t.test('the link of a start signs in once, as an admin', async (t) => {
  const { session, signInPath } = await aServer(t)
  const ticket = /^\/console#ticket=([\w-]{43})$/.exec(await signInPath())![1]!
  const begun = await session('POST', {}, { ticket })
  t.match(JSON.parse(begun.text), { role: 'admin' })
  t.equal((await session('POST', {}, { ticket })).status, 401)
  t.equal((await session('GET', { cookie: `loyalty_console=${ticket}` })).status, 401, 'a ticket is no session')
})

t.test('a session ends after twelve hours, an unused ticket after one', async (t) => {
  const clock = { nowMs: 0 }
  const sessions = createSessions({ store: createConsoleSessions(() => clock.nowMs), tokens, issuer: null })
  const id = await sessions.begin({ caller, issuer: null, lifetimeMs: tokenSessionMs })
  const ticket = await sessions.issueTicket(caller)
  clock.nowMs = 3_600_000
  t.equal(await sessions.redeem(ticket), null)
  clock.nowMs = 12 * 3_600_000 - 1
  t.same(await sessions.find(id), { caller, endsAtMs: 12 * 3_600_000, nowMs: clock.nowMs })
  clock.nowMs = 12 * 3_600_000
  t.equal(await sessions.find(id), null)
})

t.test('a stream ends with its session', async (t) => {
  const store = createConsoleSessions()
  const { origin, own } = await aServer(t, store)
  const id = await createSessions({ store, tokens, issuer: null }).begin({ caller, issuer: null, lifetimeMs: 1_500 })
  const headers = { ...own, cookie: `loyalty_console=${id}` }
  const client = createClient(EventService, createConnectTransport({ baseUrl: origin, httpVersion: '1.1' }))
  const startedMs = performance.now()
  const read = async (timeoutMs?: number) => {
    for await (const _ of client.watchEvents(
      {},
      { headers, signal: AbortSignal.timeout(20_000), ...(timeoutMs && { timeoutMs }) },
    ));
  }
  const ended = { code: Code.DeadlineExceeded }
  await Promise.all([t.rejects(read(), ended), t.rejects(read(60_000), ended, 'whatever time it asks for')])
  t.ok(performance.now() - startedMs > 1_000, 'not before it')
})

t.test('whoever goes away during a sign-in leaves no error in the log', async (t) => {
  const { origin, own, port, records } = await aServer(t)
  const socket = connect(port, '127.0.0.1')
  const head = { host: new URL(origin).host, ...own, 'content-length': '1000' }
  socket.write(
    `POST /console/session HTTP/1.1\r\n${Object.entries(head)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n{`,
  )
  await sleep(200)
  socket.destroy()
  const signIns = await until(
    () => records.filter((record) => record.includes('"sign-in"')),
    ({ length }) => length > 0,
  )
  t.match(JSON.parse(signIns[0]!), { outcome: 'refused' })
  t.notMatch(records.join(''), /internal call failed/)
})

t.test('a session ends with the token or the provider that it began with, and is stored without its id', async (t) => {
  const store = createConsoleSessions()
  const had = createSessions({ store, tokens, issuer: 'https://id.example' })
  const byToken = await had.begin({ caller, issuer: null, lifetimeMs: 1_000_000 })
  const byProvider = await had.begin({ caller, issuer: 'https://id.example', lifetimeMs: 1_000_000 })
  for (const id of [byToken, byProvider]) {
    t.match(await had.find(id), { caller })
    t.notMatch(JSON.stringify(store.rows()), id)
  }
  const without = createSessions({ store, tokens: [{ role: 'admin', token: 'another' }], issuer: null })
  t.equal(await without.find(byToken), null)
  t.equal(await without.find(byProvider), null)
  const other = createSessions({ store, tokens, issuer: 'https://other.example' })
  t.match(await other.find(byToken), { caller })
  t.equal(await other.find(byProvider), null)
})

t.test('while the ledger is away, a cookie is answered with 503, and counts again after', async (t) => {
  const store = createConsoleSessions()
  const { session, call, own } = await aServer(t, store)
  const cookie = cookieOf(await session('POST', {}, { token: 'run-that' }))
  const { find } = store
  store.find = async () => Promise.reject(new StoreFault('ledger', 'unreachable'))
  for (const answer of [await session('GET', { cookie }), await call({ ...own, cookie })]) {
    t.equal(answer.status, 503)
    t.match(JSON.parse(answer.text), { code: 'unavailable', message: 'ledger out of reach' })
  }
  store.find = find
  t.equal((await call({ ...own, cookie })).status, 200)
})

t.test('sessions in memory keep the promises of the ledger', async (t) => {
  const sessions = createConsoleSessions()
  await consolePromises(t, sessions, sessions)
})

t.test('files come compressed and for ever, the page anew and under a strict policy', async (t) => {
  const { origin } = await aServer(t)
  const asset = `${origin}/console/assets/main-1a2b.js`
  for (const [accepted, encoding, text] of [
    ['gzip, deflate, br', 'br', 'by brotli'],
    ['gzip;q=0.5', 'gzip', 'by gzip'],
    ['br;q=0', undefined, 'plain'],
  ] as const) {
    const answer = await send(asset, { headers: { 'accept-encoding': accepted } })
    t.equal(answer.headers['content-encoding'], encoding)
    t.equal(answer.text, text)
    t.match(answer.headers, {
      'cache-control': /immutable/,
      'content-type': /^text\/javascript/,
      vary: 'Accept-Encoding',
    })
  }
  const etag = String((await send(asset)).headers['etag'])
  for (const known of [etag, etag.replace('W/', ''), `"another", ${etag}`, '*']) {
    const answer = await send(asset, { headers: { 'if-none-match': known } })
    t.same([answer.status, answer.text], [304, ''], known)
  }
  t.equal((await send(asset, { headers: { 'if-none-match': '"another"' } })).status, 200)
  const head = await send(asset, { method: 'HEAD', headers: { 'accept-encoding': 'BR' } })
  t.same([head.status, head.text, head.headers['content-encoding']], [200, '', 'br'])
  t.equal(head.headers['content-length'], String('by brotli'.length))
  for (const address of ['/console', '/console/', '/console/members/m-anna', '/console/secret.txt']) {
    const page = await send(origin + address)
    t.equal(page.text, '<!doctype html>', address)
    t.match(page.headers, { 'cache-control': 'no-cache', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' })
    t.match(String(page.headers['content-security-policy']), /^default-src 'none'; script-src 'self';/)
    t.notMatch(String(page.headers['content-security-policy']), /unsafe|https?:|\*/)
  }
  t.match((await send(`${origin}/console/icon.svg`)).headers, { 'cache-control': 'no-cache' }, 'its name has no hash')
  t.equal((await send(`${origin}/console/assets/main-old.js`)).status, 404, 'no page in place of an old script')
  t.equal((await send(`${origin}/console`, { method: 'POST' })).status, 404)
  t.equal((await send(`${origin}/consoles`)).status, 401)
})

t.test('no path below /console leaves the folder of the console', async (t) => {
  const { port } = await aServer(t)
  for (const path of [
    '/console/../secret.txt',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/%2e%2e/etc/passwd',
    '/console/assets/../secret.txt',
    '/console/assets/..%5c..%5cpackage.json',
    '/console//etc/passwd',
    '/console/assets/main-1a2b.js%00.html',
    '/console/index.html%00',
    `/console/${'a'.repeat(6_000)}`,
    '/console/__proto__',
    '/console/constructor',
  ]) {
    const answer = await sendRaw(port, path)
    t.match(answer, /^HTTP\/1\.1 (200|404) /, path)
    t.notMatch(answer, /no part of a console|root:|"scripts"/, path)
    t.match(answer, /x-content-type-options: nosniff/i, path)
  }
})

/** Asks for a path as it is written: other clients would take dots out of it. */
function sendRaw(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('close', () => resolve(text))
    socket.once('error', reject)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
  })
}

t.test('a gateway without a built console says so', async (t) => {
  const { origin } = await aListener(t, { folder: join(tmpdir(), 'no-such-folder') })
  const page = await send(`${origin}/console`)
  t.equal(page.status, 404)
  t.match(page.text, /npm run build/)
})
