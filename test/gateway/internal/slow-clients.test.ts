import http2 from 'node:http2'
import net from 'node:net'
import t from 'tap'
import { until } from '../../support/until.js'
import { aListener } from './a-listener.js'

t.test('over HTTP/1.1 a slow head and a slow body are cut off', async (t) => {
  const server = await aListener(t, { limits: { headersMs: 300, requestMs: 600, checkMs: 50 } })
  const call = 'POST /grpc.health.v1.Health/Check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const said = ['GET /health/live HTTP/1.1\r\nHost: a\r\nX-', `${call}Content-Length: 100\r\n\r\n{`].map((bytes) => {
    const client = { text: '', closed: false }
    const socket = net.connect(server, () => socket.write(bytes))
    t.teardown(() => socket.destroy())
    socket.on('data', (chunk) => {
      client.text += chunk.toString('latin1')
    })
    socket.on('close', () => {
      client.closed = true
    })
    return client
  })
  await until(
    () => said,
    (clients) => clients.every(({ closed }) => closed),
  )
  t.same(
    said.map(({ text, closed }) => [text.split('\r\n', 1)[0], closed]),
    [
      ['HTTP/1.1 408 Request Timeout', true],
      ['HTTP/1.1 408 Request Timeout', true],
    ],
  )
  for (const { text } of said) t.equal(JSON.parse(text.slice(text.indexOf('{'))).code, 'deadline_exceeded')
})

t.test('over HTTP/2 a request that comes byte by byte is cut off, a long call is not', async (t) => {
  const server = await aListener(t, { limits: { headersMs: 300, requestMs: 2_000, checkMs: 50 } })
  const session = http2.connect(server.origin)
  t.teardown(() => session.destroy())
  session.on('error', () => {})
  const call = (method: string) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/grpc.health.v1.Health/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.on('error', () => {})
    stream.resume()
    return stream
  }
  const lasting = call('Watch')
  lasting.end(Buffer.alloc(5))
  await new Promise((resolve) => lasting.once('data', resolve))
  // Later than the other, so that its deadline is later too.
  const slow = call('Check')
  slow.write(Buffer.from([0, 0, 0, 1, 0]))
  const drip = setInterval(() => slow.writable && slow.write(Buffer.alloc(1)), 50)
  t.teardown(() => clearInterval(drip))
  await until(
    () => slow.closed,
    (closed) => closed,
  )
  t.equal(slow.rstCode, http2.constants.NGHTTP2_CANCEL)
  t.notOk(lasting.closed)
})
