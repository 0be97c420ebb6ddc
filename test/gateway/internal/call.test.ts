import t, { type Test } from 'tap'
import { request } from 'undici'
import { EngineFault } from '../../../engine/index.js'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { documentBytesMax, internalLimits } from '../../../gateway/internal/limits.js'
import type { Tracing } from '../../../gateway/telemetry/tracing.js'
import { callTime } from '../../../store/call-deadline.js'
import { StoreFault } from '../../../store/fault.js'
import { aListener } from './a-listener.js'
import { aGrpcClient, pathOf } from './grpc-client.js'

const { getLimit } = LimitService.method
const { validateProgramme } = ProgrammeService.method
const token = 'read-this'

/** A listener whose LimitService the test controls. */
async function aService(t: Test, answer: () => Promise<object>, tracing: Tracing | null = null) {
  const server = await aListener(t, {
    tracing,
    routes(router) {
      router.service(LimitService, { getLimit: answer })
      router.service(ProgrammeService, { validateProgramme: () => ({}) })
    },
  })
  const call = async (headers: Record<string, string> = {}) => {
    const { statusCode, body } = await request(`${server.origin}${pathOf(getLimit)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: '{}',
    })
    // biome-ignore lint/suspicious/noExplicitAny: an answer is looked into freely
    return { status: statusCode, json: (await body.json()) as any }
  }
  return { ...server, call }
}

t.test('a call ends with its deadline, wherever it waits, and is counted', async (t) => {
  const { call, metrics } = await aService(t, () => new Promise(() => {}))
  const { status, json } = await call({ 'connect-timeout-ms': '100' })
  t.equal(status, 504)
  t.match(json, { code: 'deadline_exceeded', details: [{ debug: { reason: 'DEADLINE_EXCEEDED' } }] })
  t.match(
    await metrics.text(),
    'loyalty_requests_total{endpoint="LimitService/GetLimit",status="504",outcome="refused",code="deadline_exceeded"} 1',
  )
})

t.test('the ledger gets the rest of the deadline', async (t) => {
  const given: number[] = []
  const { call } = await aService(t, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    given.push(callTime(1_000_000))
    return {}
  })
  await call({ 'connect-timeout-ms': '20000' })
  await call()
  t.ok(given[0]! > 0 && given[0]! <= 20_000, `${given[0]}`)
  t.ok(given[1]! > 20_000 && given[1]! <= internalLimits.callMs, `${given[1]}`)
  t.equal(callTime(7), 7, 'outside of calls there is no deadline')
})

t.test('a store that gave up at the deadline is not reported as out of reach', async (t) => {
  const { call } = await aService(t, () => {
    // Nothing else runs in between, so that the store is the first to notice.
    while (callTime(1_000_000) > 0);
    return Promise.reject(new StoreFault('ledger', 'timeout'))
  })
  const { status, json } = await call({ 'connect-timeout-ms': '5' })
  t.equal(status, 504)
  t.match(json, { code: 'deadline_exceeded', details: [{ debug: { reason: 'DEADLINE_EXCEEDED' } }] })
})

t.test(
  'faults of stores and threads are unavailable with a retry delay, a bug is internal and only logged',
  async (t) => {
    const thrown: Error[] = []
    const { call, records } = await aService(t, () => Promise.reject(thrown.pop()))
    for (const error of [
      new StoreFault('ledger', 'unreachable'),
      new StoreFault('ledger', 'in_doubt'),
      new StoreFault('ledger', 'timeout'),
      new EngineFault('queue_full'),
    ]) {
      thrown.push(error)
      const { status, json } = await call()
      t.equal(status, 503, error.message)
      t.match(json, {
        code: 'unavailable',
        details: [{ debug: { reason: 'UNAVAILABLE' } }, { type: 'google.rpc.RetryInfo', debug: { retryDelay: '1s' } }],
      })
    }
    const errors = () => records.filter((record) => JSON.parse(record).level >= 50)
    t.equal(errors().length, 0)
    thrown.push(new Error('the secret of member-1'))
    const { status, json } = await call()
    t.equal(status, 500)
    t.match(json, { code: 'internal', message: 'unexpected error', details: [{ debug: { reason: 'INTERNAL_ERROR' } }] })
    t.equal(errors().length, 1)
    t.match(errors()[0], 'the secret of member-1')
  },
)

t.test('a message above its bound is refused before it is decoded: 64 KiB, with a programme 32 MiB', async (t) => {
  const { target } = await aService(t, async () => ({}))
  const client = aGrpcClient(t, target, token)
  const large = 'x'.repeat(64 * 1024)
  const tooLarge = { kind: 'refused', code: 8, reason: 'MESSAGE_TOO_LARGE' }
  t.match(await client.unary(getLimit, { limitId: large }), tooLarge)
  t.match(await client.unary(validateProgramme, { document: large }), { kind: 'answered' })
  const over = 'x'.repeat(documentBytesMax + large.length)
  t.match(await client.unary(validateProgramme, { document: over }), tooLarge)
  const connect = await request(`http://${target}${pathOf(getLimit)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ limitId: large }),
  })
  t.equal(connect.statusCode, 429)
  t.match(await connect.body.json(), {
    code: 'resource_exhausted',
    details: [{ debug: { reason: 'MESSAGE_TOO_LARGE' } }],
  })
})

t.test('JSON that no message holds is invalid_argument and does no harm', async (t) => {
  const { target } = await aService(t, async () => ({}))
  const rows = [
    `{"unknownField":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    `{"limitId":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
    '{"limitId":1e30}',
    '{"limitId":"a"',
    '[]',
    'null',
    '\u0000',
    '{"limitId":"a","limit":"b"}',
  ]
  for (const body of rows) {
    const answer = await request(`http://${target}${pathOf(getLimit)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    })
    const text = await answer.body.text()
    t.match([answer.statusCode, text], [400, /"code":"invalid_argument"/], body.slice(0, 30))
  }
  const client = aGrpcClient(t, target, token)
  // Nested groups, which no message of ours has.
  const nested = await client.raw(pathOf(getLimit), Buffer.alloc(10_000, 0x7b))
  t.match(nested, { kind: 'refused', code: 3 })
  t.match(await client.unary(getLimit, {}), { kind: 'answered' })
  const proto = await request(`http://${target}${pathOf(getLimit)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"__proto__":{"limitId":"x"},"constructor":1}',
  })
  t.equal(proto.statusCode, 400)
  t.equal(({} as Record<string, unknown>)['limitId'], undefined)
  await proto.body.dump()
})

t.test('every call leaves one record with its caller, its end and its trace, without its content', async (t) => {
  const spans: string[] = []
  const tracing: Tracing = {
    receive(endpoint, headers) {
      spans.push(`${endpoint} under ${headers['traceparent']}`)
      return {
        traceId: 'the-trace',
        context: 'the-context',
        within: (work) => work(),
        step: (_name, work) => work(),
        answered: ({ outcome }) => void spans.push(outcome),
        end: () => void spans.push('end'),
      }
    },
    over: (_part, target) => target,
    close: async () => {},
  }
  const answers = [async () => ({}), () => Promise.reject(new StoreFault('ledger', 'timeout'))]
  const { call, calls, records, origin } = await aService(t, () => answers.shift()!(), tracing)
  await call({ traceparent: 'the-parent' })
  await call()
  await request(`${origin}${pathOf(getLimit)}`, {
    method: 'POST',
    headers: { authorization: 'Bearer wrong' },
    body: '{}',
  })
  t.match(calls(), [
    { msg: 'call', endpoint: 'LimitService/GetLimit', status: 200, outcome: 'served', traceId: 'the-trace' },
    { msg: 'call', endpoint: 'LimitService/GetLimit', status: 503, outcome: 'unavailable', code: 'unavailable' },
    { msg: 'call', endpoint: 'LimitService/GetLimit', status: 401, caller: 'nobody', code: 'unauthenticated' },
  ])
  t.match(calls()[0].caller, /^reader-[0-9a-f]{8}$/)
  const under = ['LimitService/GetLimit under the-parent', 'LimitService/GetLimit under undefined']
  t.same(spans, [under[0], 'served', 'end', under[1], 'unavailable', 'end'])
  t.notMatch(records.join(), /read-this|wrong/)
})
