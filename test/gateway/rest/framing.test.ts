import net from 'node:net'
import t from 'tap'
import { aCall, aListener, answered, faultsOfError, rawCall, readAnswers, signed, speak } from './a-listener.js'

const body = '{"a":1}'
const good = rawCall(body)
const chunked = (coding: string, ...more: string[]) =>
  rawCall(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, {
    headers: [`Transfer-Encoding: ${coding}`, ...more],
  }).replace(/^pos-signature: .*$/m, `pos-signature: ${signed(body)}`)
const trailer = (line: string, headers: Record<string, string | undefined> = {}) =>
  [
    'POST /v1/pos/basket HTTP/1.1',
    'Host: loyalty',
    ...Object.entries(aCall(body, headers)).map(([name, value]) => `${name}: ${value}`),
    'Transfer-Encoding: chunked',
    `Trailer: ${line.split(':')[0]}`,
    '',
    body.length.toString(16),
    body,
    '0',
    line,
    '',
    '',
  ].join('\r\n')

interface Case {
  readonly name: string
  readonly bytes: string
  readonly statuses: readonly number[]
  /** Calls that reach a story. */
  readonly told: number
  readonly stays?: boolean
  readonly finish?: boolean
}

const refused = (name: string, bytes: string, ...statuses: number[]): Case => ({ name, bytes, statuses, told: 0 })

const cases: Case[] = [
  { name: 'a right call', bytes: good, statuses: [200], told: 1, stays: true },
  {
    name: 'Connection: close',
    bytes: rawCall(body, { headers: [`Content-Length: ${body.length}`, 'Connection: close'] }),
    statuses: [200],
    told: 1,
  },
  {
    name: 'HTTP/1.0 without Host',
    bytes: rawCall(body, { line: 'POST /v1/pos/basket HTTP/1.0', host: false }),
    statuses: [200],
    told: 1,
  },
  {
    name: 'absolute form',
    bytes: rawCall(body, { line: 'POST http://loyalty/v1/pos/basket?x HTTP/1.1' }),
    statuses: [200],
    told: 1,
    stays: true,
  },
  { name: 'chunked', bytes: chunked('chunked'), statuses: [200], told: 1, stays: true },
  refused('Content-Length and Transfer-Encoding', chunked('chunked', 'Content-Length: 5'), 400),
  ...['identity, chunked', 'chunked, x', 'Chunked ', 'gzip, chunked', 'x', 'chunked\r\nTransfer-Encoding: chunked'].map(
    (coding) => refused(`Transfer-Encoding: ${JSON.stringify(coding)}`, chunked(coding), 400),
  ),
  refused('chunked in HTTP/1.0', chunked('chunked').replace('HTTP/1.1', 'HTTP/1.0'), 400),
  refused('no Host', rawCall(body, { host: false }), 400),
  refused('two Hosts', rawCall(body, { headers: ['Host: other', 'Content-Length: 7'] }), 400),
  ...['a b', 'a/b', 'a@b', '[::1', 'a:b', 'a, b'].map((host) =>
    refused(`Host: ${host}`, good.replace('Host: loyalty', `Host: ${host}`), 400),
  ),
  ...['+5', '-1', '0x7', '7, 7', '7 7', '99999999999999999999', ''].map((length) =>
    refused(`Content-Length: ${length}`, rawCall(body, { headers: [`Content-Length: ${length}`] }), 400),
  ),
  ...['', 'a b', 'a@b', '[::1', 'a:b', 'a:123456'].map((host) =>
    refused(`absolute form at ${host}`, rawCall(body, { line: `POST http://${host}/v1/pos/basket HTTP/1.1` }), 400),
  ),
  refused('two Content-Lengths', rawCall(body, { headers: ['Content-Length: 7', 'Content-Length: 8'] }), 400),
  refused('CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 405),
  refused('TRACE', `TRACE /v1/pos/basket HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 405),
  ...['post', 'BREW', 'PRI', ' POST'].map((method) => refused(`method ${method}`, good.replace(/^POST/, method), 400)),
  refused('the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400),
  refused('OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404),
  ...['HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', ''].map((version) =>
    refused(`version ${version}`, good.replace('HTTP/1.1', version), 400),
  ),
  refused('a URL of 20 KB', good.replace('/v1', `/${'x'.repeat(20_000)}`), 431),
  refused('one header of 17 KB', rawCall(body, { headers: ['Content-Length: 7', `X: ${'x'.repeat(17_000)}`] }), 431),
  refused(
    '17 KB of small headers',
    rawCall(body, { headers: ['Content-Length: 7', ...Array<string>(3_500).fill('a: b')] }),
    431,
  ),
  refused('a header with NUL', rawCall(body, { headers: ['Content-Length: 7', 'X: a\0b'] }), 400),
  refused('obs-fold', rawCall(body, { headers: ['X: a', ' b', 'Content-Length: 7'] }), 400),
  refused('space before the colon', rawCall(body, { headers: ['X : a', 'Content-Length: 7'] }), 400),
  refused('bare LF', good.replaceAll('\r\n', '\n'), 400),
  refused('a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400),
  refused('noise', '\0\xff\xfe\r\n\r\n', 400),
  { ...refused('a body shorter than declared', rawCall(body, { headers: ['Content-Length: 70'] }), 400), finish: true },
  { ...refused('a head cut short', good.slice(0, 60), 400), finish: true },
  refused('a bad chunk size', chunked('chunked').replace('\r\n\r\n7\r\n', '\r\n\r\nzz\r\n'), 400),
  refused('a chunk larger than it says', chunked('chunked').replace('\r\n\r\n7\r\n', '\r\n\r\n3\r\n'), 400),
  refused(
    'chunk extensions without end',
    chunked('chunked').replace('\r\n\r\n7\r\n', `\r\n\r\n7;${'x'.repeat(20_000)}\r\n`),
    413,
  ),
  { name: 'a trailer with Content-Length', bytes: trailer('Content-Length: 3'), statuses: [400], told: 0 },
  {
    name: 'a trailer with a signature',
    bytes: trailer(`POS-Signature: ${signed('x')}`),
    statuses: [200],
    told: 1,
    stays: true,
  },
  {
    name: 'a signature in the trailer only',
    bytes: trailer(`POS-Signature: ${signed(body)}`, { 'pos-signature': undefined }),
    statuses: [401],
    told: 0,
    stays: true,
  },
  {
    name: 'Idempotency-Key with Latin-1 bytes',
    bytes: good.replace(/^idempotency-key: ..../m, 'idempotency-key: a\xe9\xff0'),
    statuses: [400],
    told: 0,
    stays: true,
  },
  {
    name: 'two X-Request-Ids',
    bytes: rawCall(body, { headers: ['X-Request-Id: 1', 'X-Request-Id: 2', 'Content-Length: 7'] }),
    statuses: [200],
    told: 1,
    stays: true,
  },
  {
    name: 'Upgrade: h2c',
    bytes: rawCall(body, { headers: ['Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 7'] }),
    statuses: [200],
    told: 1,
    stays: true,
  },
  refused('Expect: something', rawCall(body, { headers: ['Expect: something', 'Content-Length: 7'] }), 417),
  {
    name: 'Expect: 100-continue',
    bytes: rawCall(body, { headers: ['Expect: 100-continue', 'Content-Length: 7'] }),
    statuses: [100, 200],
    told: 1,
    stays: true,
  },
  refused(
    'Expect: 100-continue before a body too large',
    rawCall('', { headers: ['Expect: 100-continue', 'Content-Length: 262145'] }),
    413,
  ),
  refused(
    'Expect: 100-continue at no path',
    rawCall('', { line: 'POST /x HTTP/1.1', headers: ['Expect: 100-continue', 'Content-Length: 5'] }),
    404,
  ),
  {
    name: 'a GET after a 404 with a body',
    bytes: `${rawCall(body, { line: 'POST /x HTTP/1.1' })}GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n`,
    statuses: [404, 200],
    told: 0,
    stays: true,
  },
  { name: 'half-closed after the request', bytes: good, statuses: [200], told: 1, finish: true },
  { name: 'half-closed after two requests', bytes: good + rawCall(body), statuses: [200, 200], told: 2, finish: true },
  {
    name: '50 pipelined',
    bytes: Array.from({ length: 50 }, () => rawCall(body)).join(''),
    statuses: Array(50).fill(200),
    told: 50,
    stays: true,
  },
  {
    name: 'pipelined after Connection: close',
    bytes: rawCall(body, { headers: ['Content-Length: 7', 'Connection: close'] }) + good,
    statuses: [200],
    told: 1,
  },
  { name: 'noise after a right call', bytes: `${good}noise\r\n\r\n`, statuses: [200, 400], told: 1 },
  { name: 'pipelined after a 413', bytes: rawCall('x'.repeat(262_145)) + good, statuses: [413], told: 0 },
]

const codes: Record<number, string> = { 401: 'invalid_signature' }

t.test('whatever the framing, the answer is ours and the connection ends where it must', async (t) => {
  const slowly = async (call: { body: Uint8Array }) => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    return answered(call.body)
  }
  const server = await aListener(t, {
    stories: { calculateBasket: slowly, recordSale: slowly },
    limits: { lingerMs: 2_000 },
  })
  for (const one of cases) {
    const before = server.calls.length
    const { text, closed } = await speak(server, Buffer.from(one.bytes, 'latin1'), {
      finish: one.finish === true,
      ...(one.stays ? { answers: one.statuses.length } : {}),
    })
    const answers = readAnswers(text)
    t.same(
      answers.map(({ status }) => status),
      one.statuses,
      one.name,
    )
    t.equal(server.calls.length - before, one.told, `${one.name}: ${one.told} reach a story`)
    t.equal(closed, one.stays !== true, `${one.name}: ${one.stays ? 'stays open' : 'closes'}`)
    for (const answer of answers.filter(({ status }) => status >= 400)) {
      t.same(faultsOfError(answer, codes[answer.status] ?? 'invalid_request'), [], one.name)
    }
    if (!one.stays && !one.finish)
      t.equal(answers.at(-1)?.headers['connection'], 'close', `${one.name}: says that it closes`)
  }
  t.equal((await speak(server, good, { answers: 1 })).text.slice(0, 12), 'HTTP/1.1 200', 'and it still serves')
  t.comment(`${cases.length} cases`)
})

t.test('of 50 pipelined requests with a bad one in the middle, those before it are answered in order', async (t) => {
  let count = 0
  const server = await aListener(t, {
    stories: {
      calculateBasket: async ({ body }) => {
        count += 1
        await new Promise((resolve) => setTimeout(resolve, count % 2 === 0 ? 1 : 30))
        return answered(body)
      },
      recordSale: async ({ body }) => answered(body),
    },
  })
  const rows = Array.from({ length: 50 }, (_, index) => rawCall(`{"n":${index}}`))
  rows[25] = 'BREW / HTTP/1.1\r\n\r\n'
  const { text, closed } = await speak(server, rows.join(''))
  const answers = readAnswers(text)
  t.same(
    answers.slice(0, 25).map(({ body }) => body),
    Array.from({ length: 25 }, (_, index) => `{"n":${index}}`),
  )
  t.equal(answers.length, 26)
  t.equal(answers[25]?.status, 400)
  t.same(faultsOfError(answers[25]!, 'invalid_request'), [])
  t.ok(closed)
})

t.test('a client that still sends 10 MB gets to read its 413, 100 times of 100', async (t) => {
  const server = await aListener(t, { limits: { requestMs: 120_000, lingerMs: 120_000 } })
  const megabyte = Buffer.alloc(1024 * 1024, 0x20)
  let read = 0
  for (let round = 0; round < 100; round += 1) {
    const declared = round % 2 === 0
    const status = await new Promise<number>((resolve) => {
      const socket = net.connect(server)
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
      })
      socket.on('error', () => resolve(0))
      socket.on('close', () => resolve(readAnswers(text)[0]?.status ?? 0))
      const framing = declared ? 'Content-Length: 10485760' : 'Transfer-Encoding: chunked'
      socket.write(`POST /v1/pos/basket HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`)
      for (let part = 0; part < 10; part += 1) {
        if (!declared) socket.write('100000\r\n')
        socket.write(megabyte)
        if (!declared) socket.write('\r\n')
      }
      socket.end(declared ? '' : '0\r\n\r\n')
    })
    if (status === 413) read += 1
  }
  t.comment(`${read} of 100 read`)
  t.ok(read >= 99)
  t.equal(server.calls.length, 0)
})

t.test('a client that resets after it has sent is computed once and harms nobody', async (t) => {
  const gone: net.Socket[] = []
  const server = await aListener(t, {
    stories: {
      calculateBasket: async ({ body }) => {
        for (const socket of gone.splice(0)) socket.resetAndDestroy()
        return answered(body)
      },
      recordSale: async ({ body }) => answered(body),
    },
  })
  await new Promise<void>((resolve) => {
    const socket = net.connect(server, () => socket.write(good))
    gone.push(socket)
    socket.on('close', () => resolve())
    socket.on('error', () => {})
  })
  t.equal(server.calls.length, 1)
  t.equal((await speak(server, good, { answers: 1 })).text.slice(0, 12), 'HTTP/1.1 200')
})
