import http2 from 'node:http2'
import type { Test } from 'tap'
import { request } from 'undici'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { pathOf } from './grpc-client.js'
import type { Served } from './served.js'

const { getLimit } = LimitService.method
const path = pathOf(getLimit)

/** The promises of every service on the wire, shown on one of them. */
export function wireSuite(t: Test, served: () => Served): void {
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

  t.test('a number that no JSON reader may round is refused by its field', async (t) => {
    const { service, tokens } = served()
    for (const amount of ['1.5', '1e20', '"9223372036854775808"', '"x"', 'true']) {
      const answer = await request(`${service.internalUrl}${pathOf(ValueService.method.adjustValue)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' },
        body: `{"currencyId":"stamps","amount":${amount}}`,
      })
      t.match(await answer.body.text(), /"code":"invalid_argument".*amount/, amount)
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
