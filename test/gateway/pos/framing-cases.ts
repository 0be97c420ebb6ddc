import { aCall, rawCall as keylessCall, signed } from './a-listener.js'

/** Bytes on a connection, and their answers. */
export interface FramingCase {
  readonly name: string
  readonly bytes: string
  readonly statuses: readonly number[]
  /** Calls that reach a use case. */
  readonly reached: number
  readonly stays?: boolean
  readonly finish?: boolean
}

/** Faults in the framing of a call (RFC 9112), for a body and its key. */
export function framingCases(body: string, key: string): FramingCase[] {
  return [...lineCases(body, key), ...restCases(body, key)]
}

const refused = (name: string, bytes: string, ...statuses: number[]): FramingCase => ({
  name,
  bytes,
  statuses,
  reached: 0,
})

/** A valid call, and the bytes of variants. */
function callsOf(body: string, key: string) {
  const length = Buffer.byteLength(body)
  const hex = length.toString(16)
  const rawCall = (text: string, more: Parameters<typeof keylessCall>[1] = {}) =>
    keylessCall(text, more).replace(/^idempotency-key: .*$/m, `idempotency-key: ${key}`)
  const good = rawCall(body)
  const chunked = (coding: string, ...more: string[]) =>
    rawCall(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, {
      headers: [`Transfer-Encoding: ${coding}`, ...more],
    }).replace(/^pos-signature: .*$/m, `pos-signature: ${signed(body)}`)
  const trailer = (line: string, headers: Record<string, string | undefined> = {}) =>
    [
      'POST /v1/pos/basket HTTP/1.1',
      'Host: loyalty',
      ...Object.entries(aCall(body, { 'idempotency-key': key, ...headers })).map(
        ([name, value]) => `${name}: ${value}`,
      ),
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
  return { length, hex, rawCall, good, chunked, trailer }
}

/** Faults of the request line and of the framing headers. */
function lineCases(body: string, key: string): FramingCase[] {
  const { length, hex, rawCall, good, chunked } = callsOf(body, key)
  return [
    { name: 'a right call', bytes: good, statuses: [200], reached: 1, stays: true },
    {
      name: 'Connection: close',
      bytes: rawCall(body, { headers: [`Content-Length: ${body.length}`, 'Connection: close'] }),
      statuses: [200],
      reached: 1,
    },
    {
      name: 'HTTP/1.0 without Host',
      bytes: rawCall(body, { line: 'POST /v1/pos/basket HTTP/1.0', host: false }),
      statuses: [200],
      reached: 1,
    },
    {
      name: 'absolute form',
      bytes: rawCall(body, { line: 'POST http://loyalty/v1/pos/basket?x HTTP/1.1' }),
      statuses: [200],
      reached: 1,
      stays: true,
    },
    { name: 'chunked', bytes: chunked('chunked'), statuses: [200], reached: 1, stays: true },
    refused('Content-Length and Transfer-Encoding', chunked('chunked', 'Content-Length: 5'), 400),
    ...[
      'identity, chunked',
      'chunked, x',
      'Chunked ',
      'gzip, chunked',
      'x',
      'chunked\r\nTransfer-Encoding: chunked',
    ].map((coding) => refused(`Transfer-Encoding: ${JSON.stringify(coding)}`, chunked(coding), 400)),
    refused('chunked in HTTP/1.0', chunked('chunked').replace('HTTP/1.1', 'HTTP/1.0'), 400),
    refused('no Host', rawCall(body, { host: false }), 400),
    refused('two Hosts', rawCall(body, { headers: ['Host: other', `Content-Length: ${length}`] }), 400),
    ...['a b', 'a/b', 'a@b', '[::1', 'a:b', 'a, b'].map((host) =>
      refused(`Host: ${host}`, good.replace('Host: loyalty', `Host: ${host}`), 400),
    ),
    ...['+5', '-1', `0x${hex}`, `${length}, ${length}`, `${length} ${length}`, '99999999999999999999', ''].map(
      (length) => refused(`Content-Length: ${length}`, rawCall(body, { headers: [`Content-Length: ${length}`] }), 400),
    ),
    ...['', 'a b', 'a@b', '[::1', 'a:b', 'a:123456'].map((host) =>
      refused(`absolute form at ${host}`, rawCall(body, { line: `POST http://${host}/v1/pos/basket HTTP/1.1` }), 400),
    ),
    refused('two Content-Lengths', rawCall(body, { headers: [`Content-Length: ${length}`, 'Content-Length: 8'] }), 400),
    refused('CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 405),
    refused('TRACE', `TRACE /v1/pos/basket HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 405),
    ...['post', 'BREW', 'PRI', ' POST'].map((method) =>
      refused(`method ${method}`, good.replace(/^POST/, method), 400),
    ),
    refused('the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400),
    refused('OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404),
    ...['HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', ''].map((version) =>
      refused(`version ${version}`, good.replace('HTTP/1.1', version), 400),
    ),
    refused('a URL of 20 KB', good.replace('/v1', `/${'x'.repeat(20_000)}`), 431),
    refused(
      'one header of 17 KB',
      rawCall(body, { headers: [`Content-Length: ${length}`, `X: ${'x'.repeat(17_000)}`] }),
      431,
    ),
    refused(
      '17 KB of small headers',
      rawCall(body, { headers: [`Content-Length: ${length}`, ...Array<string>(3_500).fill('a: b')] }),
      431,
    ),
  ]
}

/** Faults after the head, and pipelined calls. */
function restCases(body: string, key: string): FramingCase[] {
  const { length, hex, rawCall, good, chunked, trailer } = callsOf(body, key)
  return [
    refused('a header with NUL', rawCall(body, { headers: [`Content-Length: ${length}`, 'X: a\0b'] }), 400),
    refused('obs-fold', rawCall(body, { headers: ['X: a', ' b', `Content-Length: ${length}`] }), 400),
    refused('space before the colon', rawCall(body, { headers: ['X : a', `Content-Length: ${length}`] }), 400),
    refused('bare LF', good.replaceAll('\r\n', '\n'), 400),
    refused('a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400),
    refused('noise', '\0\xff\xfe\r\n\r\n', 400),
    {
      ...refused('a body shorter than declared', rawCall(body, { headers: [`Content-Length: ${length + 63}`] }), 400),
      finish: true,
    },
    { ...refused('a head cut short', good.slice(0, 60), 400), finish: true },
    refused('a bad chunk size', chunked('chunked').replace(`\r\n\r\n${hex}\r\n`, '\r\n\r\nzz\r\n'), 400),
    refused('a chunk larger than its size', chunked('chunked').replace(`\r\n\r\n${hex}\r\n`, '\r\n\r\n3\r\n'), 400),
    refused(
      'chunk extensions without end',
      chunked('chunked').replace(`\r\n\r\n${hex}\r\n`, `\r\n\r\n${hex};${'x'.repeat(20_000)}\r\n`),
      413,
    ),
    { name: 'a trailer with Content-Length', bytes: trailer('Content-Length: 3'), statuses: [400], reached: 0 },
    {
      name: 'a trailer with a signature',
      bytes: trailer(`POS-Signature: ${signed('x')}`),
      statuses: [200],
      reached: 1,
      stays: true,
    },
    {
      name: 'a signature in the trailer only',
      bytes: trailer(`POS-Signature: ${signed(body)}`, { 'pos-signature': undefined }),
      statuses: [401],
      reached: 0,
      stays: true,
    },
    {
      name: 'Idempotency-Key with Latin-1 bytes',
      bytes: good.replace(/^idempotency-key: ..../m, 'idempotency-key: a\xe9\xff0'),
      statuses: [400],
      reached: 0,
      stays: true,
    },
    {
      name: 'two X-Request-Ids',
      bytes: rawCall(body, { headers: ['X-Request-Id: 1', 'X-Request-Id: 2', `Content-Length: ${length}`] }),
      statuses: [200],
      reached: 1,
      stays: true,
    },
    {
      name: 'Upgrade: h2c',
      bytes: rawCall(body, { headers: ['Connection: Upgrade', 'Upgrade: h2c', `Content-Length: ${length}`] }),
      statuses: [200],
      reached: 1,
      stays: true,
    },
    refused('Expect: something', rawCall(body, { headers: ['Expect: something', `Content-Length: ${length}`] }), 417),
    {
      name: 'Expect: 100-continue',
      bytes: rawCall(body, { headers: ['Expect: 100-continue', `Content-Length: ${length}`] }),
      statuses: [100, 200],
      reached: 1,
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
      reached: 0,
      stays: true,
    },
    { name: 'half-closed after the request', bytes: good, statuses: [200], reached: 1, finish: true },
    {
      name: 'half-closed after two requests',
      bytes: good + rawCall(body),
      statuses: [200, 200],
      reached: 2,
      finish: true,
    },
    {
      name: '50 pipelined',
      bytes: Array.from({ length: 50 }, () => rawCall(body)).join(''),
      statuses: Array(50).fill(200),
      reached: 50,
      stays: true,
    },
    {
      name: 'pipelined after Connection: close',
      bytes: rawCall(body, { headers: [`Content-Length: ${length}`, 'Connection: close'] }) + good,
      statuses: [200],
      reached: 1,
    },
    { name: 'noise after a right call', bytes: `${good}noise\r\n\r\n`, statuses: [200, 400], reached: 1 },
    { name: 'pipelined after a 413', bytes: rawCall('x'.repeat(262_145)) + good, statuses: [413], reached: 0 },
  ]
}
