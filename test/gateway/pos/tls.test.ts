import { execFile } from 'node:child_process'
import net from 'node:net'
import tls from 'node:tls'
import { promisify } from 'node:util'
import t from 'tap'
import { Agent, request } from 'undici'
import { aCertificate } from '../config/a-certificate.js'
import { aCall, aListener, readAnswers, speak } from './a-listener.js'

const body = '{"a":1}'

/** The outcome of a TLS handshake with these options: the protocol, or the error. */
function shake(port: number, options: tls.ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
    socket.on('secureConnect', () => {
      resolve(`${socket.getProtocol()} ${socket.alpnProtocol || '-'}`)
      socket.destroy()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

/** The start of a ClientHello record with this server name. */
function helloWithName(name: Buffer): Buffer {
  const entry = Buffer.concat([Buffer.from([0]), u16(name.length), name])
  const list = Buffer.concat([u16(entry.length), entry])
  const extension = Buffer.concat([Buffer.from([0, 0]), u16(list.length), list])
  const rest = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32),
    Buffer.from([0, 0, 2, 0x13, 1, 1, 0]),
    u16(extension.length),
    extension,
  ])
  const hello = Buffer.concat([Buffer.from([1, 0]), u16(rest.length), rest])
  return Buffer.concat([Buffer.from([22, 3, 1]), u16(hello.length), hello])
}

function u16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}

t.test('TLS 1.2 and newer is served, older and foreign protocols are refused, and the listener survives', async (t) => {
  const certificate = await aCertificate(t)
  const server = await aListener(t, { certificate })
  const weak = 'DEFAULT@SECLEVEL=0'
  const rows: [string, tls.ConnectionOptions, RegExp][] = [
    ['TLS 1.3', {}, /^TLSv1\.3 -/],
    ['TLS 1.2', { maxVersion: 'TLSv1.2' }, /^TLSv1\.2 -/],
    ['TLS 1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: weak }, /^E/],
    ['TLS 1.0', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: weak }, /^E/],
    ['ALPN http/1.1', { ALPNProtocols: ['http/1.1'] }, /^TLSv1\.3 http\/1\.1/],
    ['ALPN h2 and http/1.1', { ALPNProtocols: ['h2', 'http/1.1'] }, /^TLSv1\.3 http\/1\.1/],
    ['ALPN h2', { ALPNProtocols: ['h2'] }, /^E/],
    ['TLS 1.2 with an allowed key exchange', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }, /^E/],
    ['TLS 1.2 with CBC', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' }, /^E/],
    ['another server name', { servername: 'elsewhere.example' }, /^TLSv1\.3/],
  ]
  for (const [name, options, expected] of rows) t.match(await shake(server.port, options), expected, name)

  const noise: [string, Buffer | string][] = [
    ['plain HTTP', 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['SSLv3', Buffer.from([22, 3, 0, 0, 4, 1, 0, 0, 0])],
    ['SSLv2', Buffer.from([0x80, 0x2e, 1, 0, 2, 0, 0x15])],
    ['a name of 300 bytes', helloWithName(Buffer.alloc(300, 0x61))],
    ['a name with NUL', helloWithName(Buffer.from('local\0host'))],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0])],
    ['a record of 64 KB', Buffer.concat([Buffer.from([22, 3, 1, 0xff, 0xff]), Buffer.alloc(65_535)])],
  ]
  for (const [name, bytes] of noise) {
    const { closed, text } = await speak(server, bytes, { finish: true })
    t.ok(closed, name)
    t.same(readAnswers(text), [], `${name}: an alert or nothing`)
  }
  t.comment(`${rows.length + noise.length} cases`)

  const dispatcher = new Agent({ connect: { ca: certificate.current.cert } })
  t.teardown(() => dispatcher.destroy())
  const { statusCode } = await request(`${server.origin}/v1/pos/basket`, {
    method: 'POST',
    headers: aCall(body),
    body,
    dispatcher,
  })
  t.equal(statusCode, 200)
  const { stdout } = await promisify(execFile)('curl', [
    '-sSk',
    '--http2',
    '-w',
    ' %{http_version}',
    `${server.origin}/health/live`,
  ])
  t.equal(stdout, '{"status":"live"} 1.1')
})

t.test('a handshake that never ends is cut off', async (t) => {
  const server = await aListener(t, { certificate: await aCertificate(t), limits: { headersMs: 200, checkMs: 50 } })
  const socket = net.connect(server)
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
    socket.on('error', () => {})
    socket.resume()
    socket.write(Buffer.from([22, 3, 1]))
  })
  t.pass()
})
