import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { Agent, request } from 'undici'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { aCertificate } from '../config/a-certificate.js'
import { aListener as aRestListener } from '../pos/a-listener.js'
import { aListener } from './a-listener.js'

const page = 'https://console.example'
const path = '/loyalty.v1.LimitService/ListLimits'
const preflight = {
  origin: page,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,connect-protocol-version,content-type',
}

/** A listener with one service whose lists are empty. */
function aServer(t: Test, corsOrigins: readonly string[], more: Parameters<typeof aListener>[1] = {}) {
  const routes: NonNullable<typeof more.routes> = (router) => {
    router.service(LimitService, { listLimits: () => ({ limits: [], nextPageToken: '' }) })
  }
  return aListener(t, { ...more, corsOrigins, routes })
}

async function send(url: string, options: Parameters<typeof request>[1]) {
  const { statusCode, headers, body } = await request(url, options)
  return { status: statusCode, headers, text: await body.text() }
}

/** The CORS headers of an answer. */
function corsOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'))
}

t.test(
  'a preflight of a configured origin is answered without a token, with the headers of Connect and gRPC-Web',
  async (t) => {
    const certificate = await aCertificate(t)
    for (const allowH2 of [false, true]) {
      const server = await aServer(t, ['http://other.example', page], allowH2 ? { certificate } : {})
      const dispatcher = new Agent({ allowH2, connect: { rejectUnauthorized: false } })
      t.teardown(() => dispatcher.destroy())
      const { status, headers, text } = await send(server.origin + path, {
        dispatcher,
        method: 'OPTIONS',
        headers: preflight,
      })
      t.equal(status, 204)
      t.equal(text, '')
      t.match(headers, {
        'access-control-allow-origin': page,
        'access-control-allow-methods': 'POST, GET',
        vary: 'Origin',
      })
      t.notOk('access-control-allow-credentials' in headers)
      const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(', ')
      for (const name of [
        ...['content-type', 'authorization', 'connect-protocol-version', 'connect-timeout-ms'],
        ...['x-grpc-web', 'x-user-agent', 'grpc-timeout'],
      ]) {
        t.ok(allowed.includes(name), name)
      }
    }
  },
)

t.test('a page of that origin can read its answers, refusals too; the token is still required', async (t) => {
  const server = await aServer(t, [page])
  const headers = { origin: page, 'content-type': 'application/json' }
  const call = (more: object) =>
    send(server.origin + path, { method: 'POST', headers: { ...headers, ...more }, body: '{}' })
  const answers = [await call({ authorization: 'Bearer read-this' }), await call({})]
  t.same(
    answers.map(({ status }) => status),
    [200, 401],
  )
  for (const { headers } of answers) {
    t.equal(headers['access-control-allow-origin'], page)
    t.equal(headers['vary'], 'Origin')
    const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(', ')
    for (const name of ['grpc-status', 'grpc-message', 'grpc-status-details-bin']) t.ok(exposed.includes(name), name)
  }
  const certificate = await aCertificate(t)
  const secured = await aServer(t, [page], { certificate })
  const dispatcher = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } })
  t.teardown(() => dispatcher.destroy())
  const web = { origin: page, 'content-type': 'application/grpc-web+proto' }
  const refused = await send(secured.origin + path, {
    dispatcher,
    method: 'POST',
    headers: web,
    body: Buffer.alloc(5),
  })
  t.match(refused.headers, { 'grpc-status': '16', 'access-control-allow-origin': page })
})

t.test('other origins and no setting get no CORS header, and a preflight is a call without a token', async (t) => {
  const set = await aServer(t, [page])
  const unset = await aServer(t, [])
  for (const [server, origin] of [
    [set, 'https://console.example.evil'],
    [set, 'http://console.example'],
    [set, 'null'],
    [set, undefined],
    [unset, page],
  ] as const) {
    const headers = { ...preflight, ...(origin === undefined ? { origin: [] } : { origin }) }
    const asked = await send(server.origin + path, { method: 'OPTIONS', headers })
    t.equal(asked.status, 401)
    t.same(corsOf(asked), [])
  }
  t.same(corsOf(await send(`${set.origin}/metrics`, { headers: { origin: page } })), [], 'pages are for no browser')
})

t.test('the POS listener has no CORS', async (t) => {
  const server = await aRestListener(t)
  const asked = await send(`${server.origin}/v1/pos/basket`, { method: 'OPTIONS', headers: preflight })
  t.equal(asked.status, 405)
  t.same(corsOf(asked), [])
})

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = process.env['CHROMIUM'] ?? places.find((place) => existsSync(place))
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync']

t.setTimeout(300_000)

/** A page with its own origin. */
async function aPage(t: Test): Promise<{ origin: string }> {
  const server = http.createServer((_, response) => response.end('<!doctype html><title>a page</title>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The answers in the page of a browser: Connect as JSON, then gRPC-Web; the reason where the browser blocks them. */
function callFrom(browserPage: Page, url: string): Promise<unknown> {
  return browserPage.evaluate(`(async () => {
    const headers = { Authorization: 'Bearer read-this', 'Connect-Protocol-Version': '1', 'Connect-Timeout-Ms': '9000' }
    const web = { ...headers, 'Content-Type': 'application/grpc-web+json', 'X-Grpc-Web': '1' }
    const call = (headers, body) => fetch('${url}', { method: 'POST', headers, body })
    try {
      const connect = await call({ ...headers, 'Content-Type': 'application/json' }, '{}')
      const json = await connect.json()
      const framed = await call(web, new Uint8Array([0, 0, 0, 0, 2, 0x7b, 0x7d]))
      const refused = await call({ ...web, Authorization: 'Bearer no' }, new Uint8Array([0, 0, 0, 0, 2, 0x7b, 0x7d]))
      return { connect: [connect.status, json], web: (await framed.text()).slice(-16), refused: refused.status }
    } catch (error) {
      return String(error)
    }
  })()`)
}

t.test('in a browser a page of that origin can call, and another page cannot', async (t) => {
  if (executablePath === undefined) {
    t.comment('no Chromium here (CHROMIUM=/path/to/it): no browser calls')
    return
  }
  const [known, stranger] = [await aPage(t), await aPage(t)]
  const server = await aServer(t, [known.origin])
  const profile = mkdtempSync(join(tmpdir(), 'lps-chromium-'))
  const browser = await chromium.launchPersistentContext(profile, { executablePath, args, timeout: 120_000 })
  t.teardown(async () => {
    await browser.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  })
  const browserPage = await browser.newPage()
  await browserPage.goto(known.origin, { timeout: 120_000 })
  t.match(await callFrom(browserPage, server.origin + path), {
    connect: [200, {}],
    web: /grpc-status: 0/,
    refused: 401,
  })
  await browserPage.goto(stranger.origin, { timeout: 120_000 })
  t.match(await callFrom(browserPage, server.origin + path), /Failed to fetch/)
})
