import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { request } from 'undici'
import { statusOfCode } from '../../../gateway/pos/errors.js'
import { openApiDocument } from '../../../gateway/pos/pages/openapi.js'
import { aListener, faultsOfError } from './a-listener.js'

const settings = { bodyBytesMax: 1_000, linesMax: 7, deadlineMs: 99, posReturns: true }

t.test('health shows liveness and readiness, also to HEAD', async (t) => {
  let ready = true
  const server = await aListener(t, { readiness: () => ({ ready, parts: { ledger: ready ? 'up' : 'down' } }) })
  const live = await request(`${server.origin}/health/live?probe`)
  t.equal(live.statusCode, 200)
  t.same(await live.body.json(), { status: 'live' })
  const up = await request(`${server.origin}/health/ready`)
  t.same(await up.body.json(), { status: 'ready', parts: { ledger: 'up' } })
  ready = false
  const down = await request(`${server.origin}/health/ready`)
  const raw = { status: down.statusCode, headers: down.headers as Record<string, string>, body: await down.body.text() }
  t.equal(raw.status, 503)
  t.same(faultsOfError(raw, 'unavailable'), [])
  t.match(JSON.parse(raw.body), { error: { details: { parts: { ledger: 'down' } } } })
  const head = await request(`${server.origin}/health/live`, { method: 'HEAD' })
  t.equal(head.statusCode, 200)
  t.equal(head.headers['content-length'], '17')
  t.equal(await head.body.text(), '')
})

t.test('the contract is served as OpenAPI 3.1 with the settings in force', async (t) => {
  const server = await aListener(t, settings)
  const { statusCode, headers, body } = await request(`${server.origin}/openapi.json`)
  t.equal(statusCode, 200)
  t.equal(headers['content-type'], 'application/json')
  const document = (await body.json()) as { openapi: string }
  t.match(document, { openapi: /^3\.1\./, paths: { '/v1/pos/basket': { post: {} }, '/v1/pos/sale': { post: {} } } })
  t.same(document, JSON.parse(JSON.stringify(openApiDocument(settings))))
  t.match(JSON.stringify(document), /at most 7 lines.*/)
})

t.test('the cases of the clients are served as the clients are tested by them', async (t) => {
  const server = await aListener(t)
  const { statusCode, headers, body } = await request(`${server.origin}/client-cases.json`)
  t.equal(statusCode, 200)
  t.equal(headers['content-type'], 'application/json')
  const file = join(import.meta.dirname, '..', '..', '..', '..', 'clients', 'cases', 'cases.json')
  t.equal(await body.text(), readFileSync(file, 'utf8'))
})

t.test('the JSON Schema of a programme is served, and equals the one in the package', async (t) => {
  const server = await aListener(t, settings)
  const { statusCode, headers, body } = await request(`${server.origin}/programme.schema.json`)
  t.equal(statusCode, 200)
  t.equal(headers['content-type'], 'application/schema+json')
  const text = await body.text()
  t.equal(JSON.parse(text).$schema, 'https://json-schema.org/draft/2020-12/schema')
  const inPackage = createRequire(import.meta.url).resolve('loyalty-partner-service/programme.schema.json')
  t.equal(text, readFileSync(inPackage, 'utf8'))
  t.equal((await request(`${server.origin}/programme.schema.json`, { method: 'POST' })).statusCode, 405)
})

t.test('every reference of the document leads to a schema, and every schema is used', async (t) => {
  const document = openApiDocument(settings)
  const text = JSON.stringify(document)
  const named = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]))
  t.same([...named].sort(), Object.keys(document.components['schemas']!).sort())
})

t.test('the document lists every code under its status', async (t) => {
  const { paths } = openApiDocument(settings)
  const basket = paths['/v1/pos/basket']
  if (basket === undefined || !('post' in basket)) throw new Error('no basket endpoint')
  for (const [code, status] of Object.entries(statusOfCode)) {
    t.match(basket.post.responses[status]?.description, `\`${code}\``, code)
  }
})

t.test('the page of the contract shows endpoints, fields and codes', async (t) => {
  const server = await aListener(t)
  const { headers, body } = await request(`${server.origin}/docs/contract`)
  const html = await body.text()
  t.equal(headers['content-type'], 'text/html; charset=utf-8')
  t.notMatch(html, /https?:\/\/|undefined|\[object/)
  for (const text of ['/v1/pos/basket', '/v1/pos/sale', 'noDiscount', 'failureReason', ...Object.keys(statusOfCode)]) {
    t.ok(html.includes(text), text)
  }
  for (const header of ['POS-Signature', 'Content-Type', 'Idempotency-Key']) {
    t.equal(html.split(`<td><code>${header}</code></td>`).length, 4, `${header} stands in the table of every endpoint`)
  }
  const { stdout } = await promisify(execFile)('curl', ['-sS', `${server.origin}/docs/contract`])
  t.equal(stdout, html)
})

t.test('LOYALTY_POS_RETURNS=off: there is nothing at the path of returns, and the contract has none', async (t) => {
  const server = await aListener(t, { posReturns: false })
  const answer = await request(`${server.origin}/v1/pos/return`, { method: 'POST', body: '{}' })
  t.equal(answer.statusCode, 404)
  t.match(await answer.body.json(), { error: { code: 'invalid_request', message: 'There is nothing at this path.' } })
  t.notMatch(
    JSON.stringify(openApiDocument({ ...settings, posReturns: false })),
    /\/v1\/pos\/return|ReturnEvent|ReturnLine/,
  )
})
