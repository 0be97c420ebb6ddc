import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { request } from 'undici'
import { loggedField } from '../../../gateway/pos/logged.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { createMemberMark } from '../../../gateway/telemetry/pseudonym.js'
import { aBasket, aSale } from '../../e2e/basket.js'
import { eventually, startService, unhurried } from '../../e2e/service.js'
import { until } from '../../support/until.js'
import { aCall, aListener, secret } from '../pos/a-listener.js'

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

t.test('a member has one pseudonym a day, which only the key explains', (t) => {
  const noon = Date.parse('2026-11-21T12:00:00Z')
  let nowMs = noon
  const mark = createMemberMark('a key', () => nowMs)
  const today = mark('4711')
  t.match(today, /^[0-9a-f]{16}$/)
  nowMs = Date.parse('2026-11-21T23:59:59.999Z')
  t.equal(mark('4711'), today)
  t.not(mark('4712'), today)
  t.not(createMemberMark('another key', () => noon)('4711'), today)
  nowMs += 1
  t.not(mark('4711'), today, 'the next day has another one')
  t.end()
})

t.test('the records of a service carry the pseudonym that the command line prints, and no loyalty id', async (t) => {
  const LOYALTY_LOG_KEY = 'a key of more than 32 characters, for the log'
  const LOYALTY_PROGRAM = join(import.meta.dirname, '..', '..', 'e2e', 'programme.json')
  const service = await startService({ env: { ...unhurried, LOYALTY_LOG_KEY, LOYALTY_PROGRAM } })
  const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 450, note: 'a\n{"msg":"forged"}' })
  t.equal((await eventually(() => service.send('/v1/pos/basket', basket.text()))).status, 200)
  const sale = JSON.stringify(aSale(basket.body(), { paidTotal: 405 }))
  t.equal((await eventually(() => service.send('/v1/pos/sale', sale))).status, 200)
  const nobody = aBasket('nobody","msg":"forged').line({ productId: 'coffee', unitPrice: 450 })
  t.equal((await eventually(() => service.send('/v1/pos/basket', nobody.text()))).status, 200)
  t.equal(await service.stop(), 0)
  const records = service.output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  const answered = records.filter(({ msg, status }) => msg === 'request' && status === 200)
  const lps = join(import.meta.dirname, '..', '..', '..', 'clients', 'lps', 'main.js')
  const markOf = async ({ time }: { time: string }, loyaltyId: string) => {
    const words = [lps, 'log-member', loyaltyId, '--day', time.slice(0, 10)]
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: { ...process.env, LOYALTY_LOG_KEY } })
    return stdout.trim()
  }
  t.same(
    answered.map(({ endpoint, member }) => [endpoint, member]),
    [
      ['basket', await markOf(answered[0], 'anna')],
      ['sale', await markOf(answered[1], 'anna')],
      ['basket', await markOf(answered[2], 'nobody","msg":"forged')],
    ],
  )
  t.notMatch(service.output.join('\n'), /anna|nobody|forged|coffee/)
})

t.test('records name venue, register and the faulty field, of a refused body too', async (t) => {
  const service = await startService({ env: { ...unhurried } })
  const context = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: 'register-2', channel: 'pos' }
  const body = (change: object, line: object = {}) => {
    const basket = aBasket('TEST-UNCHANGED', context)
      .with({ currency: 'NOK' })
      .line({ productId: 'x', unitPrice: 1 })
      .body()
    return JSON.stringify({ ...basket, ...change, lines: [{ ...basket['lines'][0], ...line }] })
  }
  const status = async (text: string) => (await eventually(() => service.send('/v1/pos/basket', text))).status
  t.equal(await status(body({})), 200)
  t.equal(await status(body({}, { noDiscount: 'no' })), 400)
  t.equal(await status(body({ totals: { gross: 1, lineDiscount: 0, orderDiscount: 0, net: 7 } })), 422)
  t.equal(await status(body({ context: { ...context, venueId: 'elsewhere' } })), 422)
  t.equal(await status(body({}).replace('{', '{"MEMBER-4711":1,"MEMBER-4711":2,')), 400)
  const hostile = { ...context, venueId: '"\u202e\u2028;rm -rf', cashRegisterId: 'TEST-UNCHANGED' }
  t.equal(await status(body({ context: hostile })), 422)
  t.equal(await service.stop(), 0)
  const records = service.output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  t.same(
    records
      .filter(({ msg }) => msg === 'request')
      .map(({ status, venue, register, field }) => [status, venue, register, field ?? null]),
    [
      [200, 'oslo-cafe', 'register-2', null],
      [400, 'oslo-cafe', 'register-2', 'lines[0].noDiscount'],
      [422, 'oslo-cafe', 'register-2', 'totals.net'],
      [422, 'elsewhere', 'register-2', 'context.venueId'],
      [400, 'oslo-cafe', 'register-2', '*'],
      [422, '????rm -rf', undefined, 'context.venueId'],
    ],
  )
  t.notMatch(service.output.join('\n'), /MEMBER-4711|TEST-UNCHANGED|\u202e/)
})

t.test('a field is logged under names of the contract alone, and bounded', (t) => {
  const rows: [unknown, string | null][] = [
    ['lines[3].discounts[0].percentage', 'lines[3].discounts[0].percentage'],
    ['Idempotency-Key', 'Idempotency-Key'],
    ['lines[0].4711', 'lines[0].*'],
    ['anna', '*'],
    ['lines[x]', '*'],
    ['', null],
    [undefined, null],
    [`${'lines.'.repeat(100)}anna`, 'lines.lines.lines.lines.lines.lines.lines.lines'],
  ]
  for (const [field, logged] of rows) t.equal(loggedField(field), logged, String(field).slice(0, 40))
  t.end()
})
