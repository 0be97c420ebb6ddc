import { randomUUID } from 'node:crypto'
import http2 from 'node:http2'
import { create, type DescMethod, toBinary } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import t, { type Test } from 'tap'
import { Client, request } from 'undici'
import { LimitService } from '../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { SaleService } from '../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { VenueService } from '../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { eventually } from '../e2e/service.js'
import { pathOf } from '../gateway/internal/grpc-client.js'
import { type Served, startServed } from '../gateway/internal/served.js'
import { framed, type RawOutcome, rawCall, unaryMethods } from './raw-call.js'

const { getLimit } = LimitService.method
const message = Buffer.from(
  toBinary(getLimit.input, create(getLimit.input, { limitId: 'cake-member', subject: 'nobody' })),
)
/** Methods that change nothing and may accept what another one refuses. */
const readsOnly = /^(Get|List|Report|Validate)/
/** Allowed refusals: never internal, never without a reason word. */
const refusals = new Set([400, 404, 409, 412, 429, 501])

t.test('the catalogue of bad input, gRPC and Connect: each case has its answer, and the service lives', async (t) => {
  const served = await startServed()
  t.teardown(() => served.service.stop())
  const counts = {
    tokens: await tokens(t, served),
    paths: await paths(t, served),
    frames: await frames(t, served),
    protobuf: await protobuf(t, served),
    JSON: await json(t, served),
    fields: await fields(t, served),
    timeouts: await timeouts(t, served),
    programmes: await programmes(t, served),
  }
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  t.comment(
    `${total} cases: ${Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  )
  const alive = await connect(served, getLimit, '{"limitId":"cake-member"}')
  t.equal(alive.status, 200, 'the service still serves')
  const records = served.service.output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  t.same(
    records.filter(({ level }) => level >= 50),
    [],
    'no bug is logged',
  )
  t.same(
    records.filter(({ code }) => code === 'internal_error'),
    [],
  )
  t.equal(await served.service.stop(), 0)
})

/** A call as JSON over HTTP/1.1. */
async function connect(
  { service, tokens }: Served,
  method: DescMethod,
  body: string | Buffer,
  headers: Record<string, string> = {},
) {
  const { status, text } = await eventually(async () => {
    const answer = await request(`${service.internalUrl}${pathOf(method)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json', ...headers },
      body,
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  })
  let reason = ''
  try {
    reason = JSON.parse(text).details?.[0]?.debug?.reason ?? ''
  } catch {}
  return { status, text, reason }
}

async function withSession<T>(
  { service }: Served,
  work: (session: http2.ClientHttp2Session) => Promise<T>,
): Promise<T> {
  const session = http2.connect(service.internalUrl)
  session.on('error', () => {})
  try {
    return await work(session)
  } finally {
    session.destroy()
  }
}

/** Every method without a token, with a wrong one, with two; and every change with a reader's. */
async function tokens(t: Test, served: Served): Promise<number> {
  let count = 0
  const client = new Client(served.service.internalUrl)
  for (const method of unaryMethods) {
    const reads = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
    const { reader } = served.tokens
    const rows: [string[], number][] = [
      [[], 401],
      [['Bearer wrong'], 401],
      [[`Bearer ${reader.slice(0, -1)}`], 401],
      [[`Basic ${reader}`], 401],
      [[`Bearer ${reader}`, `Bearer ${reader}`], 401],
      ...(reads ? [] : ([[[`Bearer ${reader}`], 403]] as [string[], number][])),
    ]
    for (const [authorization, status] of rows) {
      const headers = { authorization, 'content-type': 'application/json' }
      const answer = await client.request({ method: 'POST', path: pathOf(method), headers, body: '{}' })
      await answer.body.dump()
      t.equal(answer.statusCode, status, `${method.name} with ${authorization.length} tokens`)
      count += 1
    }
  }
  await client.destroy()
  return count
}

async function paths(t: Test, served: Served): Promise<number> {
  const rows = [
    ...['/', '/loyalty.v1.LimitService', '/loyalty.v1.LimitService/', '/loyalty.v1.LimitService/getlimit', '/x/y'],
    ...['/loyalty.v1.LimitService/GetLimit/', '/loyalty.v1.LimitService/../LimitService/GetLimit', '//x', '/%2e%2e/x'],
    ...[`/${'x'.repeat(8_000)}`, '/loyalty.v2.LimitService/GetLimit', '/grpc.health.v1.Health/check'],
  ]
  const { tokens } = served
  await withSession(served, async (session) => {
    for (const path of rows) {
      const outcome = await rawCall(session, { path, token: tokens.reader, body: framed(message) })
      t.match(outcome, { code: 12, reason: 'UNIMPLEMENTED' }, path.slice(0, 60))
    }
  })
  const answers = [
    await connect(served, getLimit, '{}', { 'content-type': 'text/plain' }),
    await connect(served, getLimit, '{}', { 'content-type': 'application/jsonx' }),
    await connect(served, getLimit, '{}', { 'connect-protocol-version': '2' }),
  ]
  t.same(
    answers.map(({ status }) => status),
    [415, 415, 400],
  )
  t.equal(answers[2]?.reason, 'INVALID_REQUEST')
  return rows.length + answers.length
}

/** Faults before a message is read. */
async function frames(t: Test, served: Served): Promise<number> {
  const path = pathOf(getLimit)
  const { reader: token } = served.tokens
  const rows: [string, Buffer, Partial<RawOutcome>, { unfinished?: boolean; headers?: Record<string, string> }?][] = [
    ['no frame', Buffer.alloc(0), {}],
    ['half a head', Buffer.from([0, 0]), {}],
    ['a head alone', framed(Buffer.alloc(0), 0, 10), {}],
    ['a frame cut short', framed(message, 0, message.length + 5), {}],
    ['a frame longer than its length field', framed(message, 0, message.length - 5), {}],
    ['two frames', Buffer.concat([framed(message), framed(message)]), {}],
    ['flags 0xff', framed(message, 0xff), {}],
    ['compressed and not', framed(message, 1), {}],
    ['compressed by what is unknown', framed(message, 1), {}, { headers: { 'grpc-encoding': 'lzma' } }],
    ['gzip that is none', framed(message, 1), {}, { headers: { 'grpc-encoding': 'gzip' } }],
    [
      '4 GiB declared, and nothing more',
      framed(message, 0, 0xffff_ffff),
      { code: 8, reason: 'MESSAGE_TOO_LARGE' },
      { unfinished: true },
    ],
    [
      '5 MB declared, sent slowly',
      framed(message, 0, 5_000_000),
      { code: 8, reason: 'MESSAGE_TOO_LARGE' },
      { unfinished: true },
    ],
    ['5 MB', framed(Buffer.alloc(5_000_000)), { code: 8, reason: 'MESSAGE_TOO_LARGE' }],
  ]
  await withSession(served, async (session) => {
    for (const [name, body, expected, more = {}] of rows) {
      const outcome = await rawCall(session, { path, token, body, ...more })
      t.match(outcome, expected, name)
      t.ok(outcome.code !== null && outcome.code !== 0, `${name}: ${JSON.stringify(outcome)}`)
    }
    const good = await rawCall(session, { path, token, body: framed(message) })
    t.equal(good.code, 0, 'and the session goes on')
  })
  return rows.length
}

/** Invalid protobuf, in every unary method. */
async function protobuf(t: Test, served: Served): Promise<number> {
  const rows: [string, Buffer][] = [
    ['a varint without end', Buffer.alloc(12, 0xff)],
    ['wire type 6', Buffer.from([0x0e])],
    ['wire type 7', Buffer.from([0x0f])],
    ['field number 0', Buffer.from([0x02, 0x00])],
    ['groups nested 10,000 deep', Buffer.alloc(10_000, 0x7b)],
    ['the end of a group that never began', Buffer.from([0x7c])],
    ['a negative length', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01])],
  ]
  await withSession(served, async (session) => {
    for (const method of unaryMethods) {
      for (const [name, bytes] of rows) {
        const outcome = await rawCall(session, {
          path: pathOf(method),
          token: served.tokens.admin,
          body: framed(bytes),
        })
        t.match(outcome, { code: 3, reason: 'INVALID_REQUEST' }, `${method.name}: ${name}`)
      }
    }
  })
  // Ignored where a message has no such field; here it has one.
  const beyond = await withSession(served, (session) =>
    rawCall(session, { path: pathOf(getLimit), token: served.tokens.reader, body: framed(Buffer.from([0x0a, 0x7f])) }),
  )
  t.match(beyond, { code: 3, reason: 'INVALID_REQUEST' }, 'a length beyond the end')
  const utf8 = await withSession(served, (session) =>
    rawCall(session, {
      path: pathOf(getLimit),
      token: served.tokens.reader,
      body: framed(Buffer.from([0x0a, 2, 0xff, 0xfe])),
    }),
  )
  t.match(utf8, { code: 3, reason: 'INVALID_REQUEST' }, 'invalid UTF-8')
  return unaryMethods.length * rows.length + 2
}

/** JSON that no method takes. */
async function json(t: Test, served: Served): Promise<number> {
  const rows = [
    ...[
      '',
      '{',
      '[]',
      'null',
      '7',
      '"x"',
      '{"a":',
      '\u0000',

      '{}x',
      '{"__proto__":{"limitId":"x"}}',
      '{"constructor":1}',
    ],
    ...['{"noSuchField":1}', '{"request_id":7,"noSuchField":1}', `{"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ...[`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, `{"a":1e30}`],
  ]
  for (const method of unaryMethods) {
    for (const text of rows) {
      const { status, reason } = await connect(served, method, text)
      t.same([status, reason], [400, 'INVALID_REQUEST'], `${method.name}: ${text.slice(0, 30)}`)
    }
  }
  const more: [DescMethod, string][] = [
    [SaleService.method.listSales, '{"statuses":["NO_SUCH_STATUS"]}'],
    [SaleService.method.listSales, '{"pageSize":1e30}'],
    [SaleService.method.listSales, '{"pageSize":"1.5"}'],
    [SaleService.method.listSales, '{"from":"yesterday"}'],
    [VenueService.method.upsertVenue, `{"requestId":"${randomUUID()}","venue":{"environment":"MOON"}}`],
  ]
  for (const [method, text] of more) {
    const { status, reason } = await connect(served, method, text)
    t.same([status, reason], [400, 'INVALID_REQUEST'], `${method.name}: ${text}`)
  }
  return unaryMethods.length * rows.length + more.length
}

/** Each field of each request with an invalid value: refused with a reason word, never `internal`. */
async function fields(t: Test, served: Served): Promise<number> {
  const values: Readonly<Record<string, readonly unknown[]>> = {
    scalar: [
      '',
      'x'.repeat(70_000),
      'a\u0000b',
      '\u202e\u200b',
      -1,
      -2_147_483_648,
      true,
      '9223372036854775807',
      '../..',
      "'; drop table sales; --",
    ],
    enum: [99, -1, 'X'],
    list: [[{}], [[]], [null], Array(2_000).fill('x'), 'x'],
    message: [{}, [], 'x', { x: 1 }],
    map: [[], { a: {} }],
  }
  let count = 0
  for (const method of unaryMethods) {
    for (const field of method.input.fields) {
      for (const value of values[field.fieldKind] ?? []) {
        const { status, reason, text } = await connect(served, method, JSON.stringify({ [field.jsonName]: value }))
        const fine = status === 200 ? readsOnly.test(method.name) : refusals.has(status) && reason !== ''
        t.ok(
          fine,
          `${method.name}.${field.jsonName} ${JSON.stringify(value).slice(0, 30)}: ${status} ${text.slice(0, 200)}`,
        )
        count += 1
      }
    }
  }
  return count
}

async function timeouts(t: Test, served: Served): Promise<number> {
  const rows: [string, number][] = [
    ['0n', 4],
    ['99999999H', 0],
    ['-1S', 3],
    ['abc', 3],
    ['', 3],
    ['1', 3],
    ['1 S', 3],
    ['123456789S', 3],
  ]
  await withSession(served, async (session) => {
    for (const [timeout, code] of rows) {
      const headers = { 'grpc-timeout': timeout }
      const outcome = await rawCall(session, {
        path: pathOf(getLimit),
        token: served.tokens.reader,
        headers,
        body: framed(message),
      })
      t.equal(outcome.code, code, `grpc-timeout ${JSON.stringify(timeout)}: ${outcome.text}`)
    }
  })
  return rows.length
}

/** Documents with faults: every path is named, the first 100 of them, and the good programme stays. */
async function programmes(t: Test, served: Served): Promise<number> {
  const { validateProgramme, publishProgramme, getProgramme } = ProgrammeService.method
  const faulty = (count: number) =>
    JSON.stringify({ venues: Array.from({ length: count }, () => ({})), members: [], benefits: [] })
  const rows: [string, string][] = [
    ['nothing', ''],
    ['no JSON', '{'],
    ['a list', '[]'],
    ['one fault', JSON.stringify({ venues: [], members: [], benefits: [], extra: 1 })],
    ['a thousand faults', faulty(1_000)],
    ['nested 10,000 deep', `{"venues":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['__proto__', '{"__proto__":{"venues":[]}}'],
    [
      'a benefit that conditions itself',
      JSON.stringify({ venues: [], members: [], benefits: [{ benefitId: 'a', conditions: { conditions: {} } }] }),
    ],
  ]
  const before = (await connect(served, getProgramme, '{"withoutDocument":true}')).text
  for (const [name, document] of rows) {
    const checked = await connect(served, validateProgramme, JSON.stringify({ document }))
    const found = checked.status === 200 ? JSON.parse(checked.text).faults : []
    t.ok(checked.status === 400 || (found.length > 0 && found.length <= 100), `${name}: ${checked.text.slice(0, 100)}`)
    const published = await connect(
      served,
      publishProgramme,
      JSON.stringify({ requestId: randomUUID(), document, expectedVersion: 1 }),
    )
    t.ok(
      published.status === 400 && /PROGRAMME_FAULTY|INVALID_REQUEST/.test(published.reason),
      `${name}: ${published.text.slice(0, 100)}`,
    )
  }
  t.equal((await connect(served, getProgramme, '{"withoutDocument":true}')).text, before, 'the good one stays')
  return rows.length * 2
}
