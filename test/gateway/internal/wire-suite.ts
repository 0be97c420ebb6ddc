import http2 from 'node:http2'
import type { Test } from 'tap'
import { request } from 'undici'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { aGrpcClient, pathOf } from './grpc-client.js'
import type { Served } from './served.js'

const { getLimit } = LimitService.method
const path = pathOf(getLimit)

/** The promises of every service on the wire, shown on one of them. */
export function wireSuite(t: Test, served: () => Served): void {
  t.test('every call needs a token; without one no answer shows what exists', async (t) => {
    const { target } = served()
    for (const token of [null, 'no-such-token'])
      t.match(await aGrpcClient(t, target, token).unary(getLimit, { limitId: 'x' }), {
        code: 16,
        reason: 'UNAUTHENTICATED',
      })
  })

  t.test('Connect JSON over HTTP/1.1, by POST and by GET', async (t) => {
    const { service, tokens } = served()
    const headers = { authorization: `Bearer ${tokens.reader}` }
    const body = JSON.stringify({ limitId: 'cake-member', subject: 'nobody' })
    const posted = await request(`${service.internalUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    t.equal(posted.statusCode, 200)
    const answer = await posted.body.json()
    t.match(answer, { counter: { limitId: 'cake-member', maximum: '1' } })
    const query = `connect=v1&encoding=json&message=${encodeURIComponent(body)}`
    const got = await request(`${service.internalUrl}${path}?${query}`, { headers })
    t.same(await got.body.json(), answer)
    const missing = await request(`${service.internalUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"limitId":"no-such-limit"}',
    })
    t.equal(missing.statusCode, 404)
    t.match(await missing.body.json(), {
      code: 'not_found',
      details: [{ type: 'google.rpc.ErrorInfo', debug: { reason: 'LIMIT_NOT_FOUND', domain: 'loyalty.v1' } }],
    })
  })

  t.test('malformed protobuf is invalid_argument in every protocol', async (t) => {
    const { service, tokens } = served()
    // A field longer than the message; invalid UTF-8; an endless varint; an unknown wire type.
    const texts = ['\x0a\x7f', '\x0a\x02\xff\xfe', '\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff', '\x0f']
    for (const message of texts.map((text) => Buffer.from(text, 'latin1'))) {
      const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])
      const send = (contentType: string, body: Buffer) =>
        request(`${service.internalUrl}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tokens.reader}`, 'content-type': contentType },
          body,
        })
      const connect = await send('application/proto', message)
      t.equal(connect.statusCode, 400)
      t.match(await connect.body.json(), {
        code: 'invalid_argument',
        details: [{ debug: { reason: 'INVALID_REQUEST' } }],
      })
      const web = await send('application/grpc-web+proto', frame)
      t.match(Buffer.from(await web.body.arrayBuffer()).toString('latin1'), /grpc-status: 3\r\n/)
      const outcome = await aGrpcClient(t, served().target, tokens.reader).raw(path, message)
      t.match(outcome, { code: 3, reason: 'INVALID_REQUEST' })
    }
  })

  t.test('malformed JSON has its reason word in every protocol', async (t) => {
    const { service, tokens } = served()
    for (const text of ['{', '[]', '{"limitId":7}', '']) {
      const send = (contentType: string, body: string | Buffer) =>
        request(`${service.internalUrl}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tokens.reader}`, 'content-type': contentType },
          body,
        })
      const connect = await send('application/json', text)
      t.equal(connect.statusCode, 400)
      t.match(await connect.body.json(), {
        code: 'invalid_argument',
        details: [{ debug: { reason: 'INVALID_REQUEST' } }],
      })
      const web = await send('application/grpc-web+json', webFrame(text))
      t.match(Buffer.from(await web.body.arrayBuffer()).toString('latin1'), /grpc-status-details-bin: /, text)
    }
  })

  t.test('gRPC-Web answers with a message and its trailers', async (t) => {
    const { service, tokens } = served()
    const { body } = await request(`${service.internalUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.reader}`, 'content-type': 'application/grpc-web+json' },
      body: webFrame('{"limitId":"cake-member"}'),
    })
    const text = Buffer.from(await body.arrayBuffer()).toString('latin1')
    t.match(text, '"limitId":"cake-member"')
    t.match(text, /grpc-status: ?0/)
  })

  t.test('an expired, overlong or missing timeout is honoured, cut or refused', async (t) => {
    const { service, tokens } = served()
    const rows: [string, string][] = [
      ['99999999H', '0'],
      ['0n', '4'],
      ['-1S', '3'],
      ['abc', '3'],
    ]
    for (const [timeout, status] of rows) {
      const headers = { authorization: `Bearer ${tokens.reader}`, 'grpc-timeout': timeout }
      t.equal(await grpcStatus(service.internalUrl, headers), status, timeout)
    }
  })
}

/** The status of a plain gRPC call with these headers. */
function grpcStatus(origin: string, headers: Record<string, string>): Promise<string> {
  const session = http2.connect(origin)
  return new Promise<string>((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc+json',
      te: 'trailers',
      ...headers,
    })
    const seen = (received: http2.IncomingHttpHeaders) => {
      if (received['grpc-status'] !== undefined) resolve(String(received['grpc-status']))
    }
    stream.on('response', seen)
    stream.on('trailers', seen)
    stream.on('error', reject)
    stream.resume()
    stream.end(webFrame('{"limitId":"cake-member"}'))
  }).finally(() => session.destroy())
}

function webFrame(text: string): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(Buffer.byteLength(text), 1)
  return Buffer.concat([head, Buffer.from(text)])
}
