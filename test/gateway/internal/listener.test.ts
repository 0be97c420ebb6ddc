import { execFile } from 'node:child_process'
import http2 from 'node:http2'
import net from 'node:net'
import { promisify } from 'node:util'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Client, type ClientReadableStream, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import t, { type Test } from 'tap'
import { Agent, Client as HttpClient, request } from 'undici'
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from '../../../gateway/gen/grpc/health/v1/health_pb.js'
import { until } from '../../support/until.js'
import { aCertificate, certificateFiles } from '../config/a-certificate.js'
import { aListener } from './a-listener.js'

const encode = (service: string) =>
  Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service })))
const decode = (bytes: Buffer) => fromBinary(HealthCheckResponseSchema, bytes).status

function aClient(t: Test, target: string, channel = credentials.createInsecure()) {
  const client = new Client(target, channel)
  t.teardown(() => client.close())
  return {
    client,
    check: (service: string, path = '/grpc.health.v1.Health/Check', metadata = new Metadata()) =>
      new Promise<Status | number>((resolve) => {
        const deadline = Date.now() + 50_000
        client.makeUnaryRequest(
          path,
          encode,
          decode,
          service,
          metadata,
          { deadline },
          (error: ServiceError | null, status) => resolve(error === null ? status! : -error.code),
        )
      }),
    watch: (service: string): ClientReadableStream<Status> =>
      client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', encode, decode, service),
  }
}

t.test('grpc-js asks for health, of the server, of a service, and of an unknown one', async (t) => {
  const server = await aListener(t)
  const { check } = aClient(t, server.target)
  t.equal(await check(''), Status.SERVING)
  t.equal(await check('grpc.health.v1.Health'), Status.SERVING)
  t.equal(await check('nothing'), -5)
  t.equal(await check('x'.repeat(5_000)), -8, 'who needs no token sends little')
  server.state.ready = false
  t.equal(await check(''), Status.NOT_SERVING)
})

t.test('grpc-js watches health change, and receives the end', async (t) => {
  const server = await aListener(t)
  const call = aClient(t, server.target).watch('')
  const seen: Status[] = []
  const ended = new Promise<number>((resolve) => {
    call.on('error', (error) => resolve((error as ServiceError).code))
  })
  await new Promise<void>((resolve) => {
    call.on('data', (status) => {
      seen.push(status)
      if (seen.length === 1) server.state.ready = false
      if (seen.length === 2) resolve()
    })
  })
  t.same(seen, [Status.SERVING, Status.NOT_SERVING])
  await server.listener.drain()
  t.equal(await ended, 14, 'unavailable')
})

t.test('every other method needs exactly one valid bearer token, then is unimplemented', async (t) => {
  const server = await aListener(t)
  const { check } = aClient(t, server.target)
  const rows: [string[], number][] = [
    [[], -16],
    [['Bearer nonsense'], -16],
    [['Bearer read-thi'], -16],
    [['Bearer read-this '], -16],
    [['Basic read-this'], -16],
    [['read-this'], -16],
    [['Bearer read-this'], -12],
    [['bearer run-that'], -12],
  ]
  for (const [values, code] of rows) {
    const metadata = new Metadata()
    for (const value of values) metadata.add('authorization', value)
    t.equal(await check('', '/loyalty.v1.Programmes/Publish', metadata), code, values.join(' + ') || 'none')
  }
  const client = new HttpClient(server.origin)
  t.teardown(() => client.destroy())
  for (const path of ['/', '/x/../grpc.health.v1.Health/Check', '/grpc.health.v1.Healthy/Check']) {
    const send = async (authorization: string[]) => {
      const { statusCode } = await client.request({ method: 'POST', path, headers: { authorization } })
      return statusCode
    }
    t.equal(await send([]), 401, path)
    t.equal(await send(['Bearer run-that', 'Bearer run-that']), 401, `${path} with two headers`)
    t.equal(await send(['Bearer run-that']), 404, path)
  }
  t.comment(`${rows.length + 9} cases`)
})

t.test('a call without a token is refused before its body is read', async (t) => {
  const server = await aListener(t)
  const session = http2.connect(server.origin)
  t.teardown(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/loyalty.v1.Programmes/Publish',
    'content-type': 'application/grpc',
  })
  stream.on('error', () => {})
  const headers = await new Promise<http2.IncomingHttpHeaders>((resolve) => {
    stream.on('response', resolve)
  })
  t.equal(headers['grpc-status'], '16')

  const text = await new Promise<string>((resolve) => {
    let said = ''
    const socket = net.connect(server, () => {
      socket.write(
        'POST /loyalty.v1.Programmes/Publish HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n',
      )
    })
    socket.on('data', (chunk) => {
      said += chunk
    })
    socket.on('close', () => resolve(said))
  })
  t.match(text, /^HTTP\/1\.1 401 /)
  t.match(text, '"code":"unauthenticated"')
})

t.test('health and metrics are read over HTTP/1.1 and HTTP/2 on one port', async (t) => {
  const server = await aListener(t)
  for (const dispatcher of [new Agent(), new Agent({ allowH2: true })]) {
    t.teardown(() => dispatcher.destroy())
    const live = await request(`${server.origin}/health/live?x`, { dispatcher })
    t.equal(live.statusCode, 200)
    t.same(await live.body.json(), { status: 'live' })
    const metrics = await request(`${server.origin}/metrics`, { dispatcher })
    t.match(metrics.headers['content-type'], /^text\/plain; version=0\.0\.4/)
    t.match(await metrics.body.text(), /^nodejs_eventloop_lag_seconds /m)
  }
  const { stdout } = await promisify(execFile)('curl', [
    '-sS',
    '--http2-prior-knowledge',
    '-w',
    ' %{http_version}',
    `${server.origin}/health/ready`,
  ])
  t.equal(stdout, '{"status":"ready","parts":{"ledger":"up"}} 2')
  server.state.ready = false
  t.equal((await request(`${server.origin}/health/ready`)).statusCode, 503)
})

t.test('Connect and gRPC-web reach the health service too', async (t) => {
  const { origin } = await aListener(t)
  const connect = await request(`${origin}/grpc.health.v1.Health/Check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  t.same(await connect.body.json(), { status: 'SERVING' })
  const web = await request(`${origin}/grpc.health.v1.Health/Check`, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web+proto' },
    body: Buffer.from([0, 0, 0, 0, 0]),
  })
  t.match(Buffer.from(await web.body.arrayBuffer()).toString('latin1'), /grpc-status: ?0/)
  const rows: [string, string, number][] = [
    ['text/plain', '{}', 415],
    ['application/json', '{', 400],
    ['application/json', `{"service":"${'x'.repeat(5_000_000)}"}`, 429],
  ]
  for (const [type, body, status] of rows) {
    const answer = await request(`${origin}/grpc.health.v1.Health/Check`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: Buffer.from(body, 'latin1'),
    })
    t.equal(answer.statusCode, status, `${type} ${body.slice(0, 20)}`)
    await answer.body.dump()
  }
})

t.test('with a certificate both protocols are served over TLS, chosen by ALPN', async (t) => {
  const certificate = await aCertificate(t)
  const server = await aListener(t, { certificate })
  const { check } = aClient(t, `localhost:${server.port}`, credentials.createSsl(Buffer.from(certificate.current.cert)))
  t.equal(await check(''), Status.SERVING)
  const { stdout } = await promisify(execFile)('curl', [
    '-sSk',
    '--http1.1',
    '-w',
    ' %{http_version}',
    `${server.origin}/health/live`,
  ])
  t.equal(stdout, '{"status":"live"} 1.1')
  await t.rejects(promisify(execFile)('curl', ['-sSk', '--tls-max', '1.1', `${server.origin}/health/live`]))
})

t.test(
  'where clients need a certificate, one of the authority is accepted, none or a foreign one is not',
  async (t) => {
    const client = await certificateFiles(t, 'client')
    const foreign = await certificateFiles(t, 'client')
    const certificate = await aCertificate(t, client.certFile)
    const server = await aListener(t, { certificate })
    const live = (...more: string[]) =>
      promisify(execFile)('curl', ['-sSk', '--http1.1', ...more, `${server.origin}/health/live`])
    const { stdout } = await live('--cert', client.certFile, '--key', client.keyFile)
    t.equal(stdout, '{"status":"live"}')
    await t.rejects(live())
    await t.rejects(live('--cert', foreign.certFile, '--key', foreign.keyFile))
  },
)

t.test('noise, halves of a preface and too many headers end their connection only', async (t) => {
  const server = await aListener(t)
  const rows = [
    'P',
    'PRI',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff',
    'x\r\n\r\n',
    '\x16\x03\x01',
  ]
  await Promise.all(
    rows.map(
      (bytes) =>
        new Promise<void>((resolve) => {
          const socket = net.connect(server, () => socket.end(Buffer.from(bytes, 'latin1')))
          socket.on('error', () => {})
          socket.on('close', () => resolve())
          socket.resume()
        }),
    ),
  )
  const session = http2.connect(server.origin)
  t.teardown(() => session.destroy())
  session.on('error', () => {})
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x-${index}`, 'y']))
  const stream = session.request({ ':path': '/health/live', ...many })
  await new Promise<void>((resolve) => {
    stream.on('error', () => resolve())
    stream.on('close', () => resolve())
  })
  t.equal((await request(`${server.origin}/health/live`)).statusCode, 200)
})

t.test('a client that reads or sends nothing loses its stream, one that merely watches does not', async (t) => {
  const server = await aListener(t, { limits: { streamIdleMs: 200 } })
  const watch = aClient(t, server.target).watch('')
  const seen: Status[] = []
  watch.on('data', (status) => seen.push(status))
  watch.on('error', () => seen.push(Status.UNKNOWN))

  const session = http2.connect(server.origin, { settings: { initialWindowSize: 0 } })
  t.teardown(() => session.destroy())
  const reads = session.request({ ':path': '/metrics' })
  const sends = session.request({
    ':method': 'POST',
    ':path': '/grpc.health.v1.Health/Check',
    'content-type': 'application/grpc',
  })
  const ends = [reads, sends].map((stream) => {
    stream.on('error', () => {})
    return new Promise<number>((resolve) => {
      stream.on('close', () => resolve(stream.rstCode))
    })
  })
  t.same(await Promise.all(ends), [http2.constants.NGHTTP2_CANCEL, http2.constants.NGHTTP2_CANCEL])
  // Longer than a stream may be idle that does not watch.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  server.state.ready = false
  await until(
    () => seen,
    ({ length }) => length > 1,
  )
  t.same(seen, [Status.SERVING, Status.NOT_SERVING])
  watch.cancel()
})

t.test('many calls at once cause no leak warning of Node', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error) => warnings.push(name)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const server = await aListener(t, { limits: { openStreamsMax: 12 } })
  const { watch } = aClient(t, server.target)
  const watches = Array.from({ length: 12 }, () => watch(''))
  for (const each of watches) each.on('error', () => {})
  await Promise.all(watches.map((each) => new Promise((resolve) => each.once('data', resolve))))
  await new Promise((resolve) => setImmediate(resolve))
  t.same(warnings, [])
  for (const each of watches) each.cancel()
})

t.test('endlessly opened and reset streams close their session', async (t) => {
  const server = await aListener(t)
  const session = http2.connect(server.origin)
  session.on('error', () => {})
  const gone = new Promise<void>((resolve) => {
    session.on('goaway', () => resolve())
    session.on('close', () => resolve())
  })
  let opened = 0
  while (opened < 20_000 && !session.closed && !session.destroyed) {
    for (let index = 0; index < 100 && !session.closed; index += 1) {
      const stream = session.request({ ':path': '/health/live' }, { endStream: true })
      stream.on('error', () => {})
      stream.close(http2.constants.NGHTTP2_CANCEL)
      opened += 1
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  session.destroy()
  await gone
  // 200 are allowed, and some more are on their way; Node's own bound is 1,000.
  t.ok(opened < 900, `closed after ${opened}`)
  t.equal((await request(`${server.origin}/health/live`)).statusCode, 200)
})

t.test('endless header frames close their session and cost no memory', async (t) => {
  const server = await aListener(t)
  const frame = (type: number, flags: number, payload: Buffer) => {
    const head = Buffer.alloc(9)
    head.writeUIntBE(payload.length, 0, 3)
    head[3] = type
    head[4] = flags
    head.writeUInt32BE(type === 4 ? 0 : 1, 5)
    return Buffer.concat([head, payload])
  }
  const literal = Buffer.concat([Buffer.from([0x00, 1, 0x78, 0x7f, 0x81, 0x1f]), Buffer.alloc(4_096, 0x79)])
  const indexed = Buffer.alloc(16_000, 0xbe)
  const opening = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, Buffer.alloc(0))])
  const rows: [string, Buffer][] = [
    ['CONTINUATION without end', frame(9, 0, Buffer.concat([literal, literal, literal]))],
    ['an indexed header again and again', frame(9, 0, indexed)],
    ['empty CONTINUATION', frame(9, 0, Buffer.alloc(0))],
  ]
  for (const [name, continuation] of rows) {
    let sent = 0
    const closed = await new Promise<boolean>((resolve) => {
      const socket = net.connect(server)
      const timer = setTimeout(() => resolve(false), 120_000)
      socket.on('error', () => {})
      socket.on('close', () => {
        clearTimeout(timer)
        resolve(true)
      })
      socket.resume()
      socket.write(Buffer.concat([opening, frame(1, 0, Buffer.concat([Buffer.from([0x40, 1, 0x7a, 1, 0x7a])]))]))
      const pump = () => {
        if (socket.destroyed || socket.writableEnded) return
        socket.write(continuation)
        sent += continuation.length
        setImmediate(pump)
      }
      pump()
    })
    t.ok(closed, name)
    t.ok(sent < 16 * 1024 * 1024, `${name}: closed after ${sent} bytes, so that no more can be held`)
  }
  t.equal((await request(`${server.origin}/health/live`)).statusCode, 200)
})
