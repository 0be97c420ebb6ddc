import { randomUUID } from 'node:crypto'
import t from 'tap'
import { request } from 'undici'
import { createMetrics } from '../../gateway/metrics.js'
import { until } from '../until.js'
import { aCall, aListener, secret } from './rest/a-listener.js'

t.test('a request leaves one record, without its body, its member, its headers or a secret', async (t) => {
  const metrics = createMetrics()
  const server = await aListener(t, { metrics })
  const body = JSON.stringify({ loyaltyId: 'MEMBER-4711', text: 'a\n{"level":30,"msg":"forged"}\n' })
  const key = randomUUID()
  const headers = aCall(body, { 'idempotency-key': key, 'x-request-id': randomUUID(), 'user-agent': 'a"\u00e9{}' })
  await request(`${server.origin}/v1/pos/basket?loyaltyId=MEMBER-4711`, { method: 'POST', headers, body })
  await request(`${server.origin}/v1/pos/sale`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': 'MEMBER-4711' },
    body,
  })
  await request(`${server.origin}/MEMBER-4711`, {
    method: 'POST',
    headers: { ...headers, 'x-request-id': 'MEMBER-4711' },
    body,
  })

  const records = server.logged()
  t.match(records, [
    {
      msg: 'request',
      level: 30,
      endpoint: 'basket',
      status: 200,
      outcome: 'applied',
      calculationId: key,
      bytesIn: body.length,
    },
    { msg: 'request', endpoint: 'sale', status: 400, outcome: 'refused', code: 'invalid_request', calculationId: null },
    { msg: 'request', endpoint: 'none', status: 404, outcome: 'refused', code: 'invalid_request', calculationId: null },
  ])
  t.equal(records.length, 3)
  t.equal(records[0]?.['requestId'], headers['x-request-id'])
  t.notMatch(server.logText(), new RegExp(`MEMBER|forged|${secret}|v1=`))

  const text = await until(
    () => metrics.text(),
    (text) => text.includes('loyalty_requests_in_flight 0'),
  )
  t.match(text, 'loyalty_requests_total{endpoint="basket",status="200",outcome="applied",code=""} 1')
  t.match(text, 'loyalty_requests_total{endpoint="sale",status="400",outcome="refused",code="invalid_request"} 1')
  t.match(text, 'loyalty_request_seconds_count{endpoint="basket"} 1')
  t.match(text, 'loyalty_requests_in_flight 0')
  t.match(text, /^nodejs_eventloop_lag_p99_seconds /m)
})

t.test('pages are logged at debug, so that probes fill no disk', async (t) => {
  const server = await aListener(t)
  await request(`${server.origin}/health/live`)
  t.match(server.logged(), [{ level: 20, endpoint: 'live', status: 200, outcome: 'served' }])
})
