import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { aBasket, aSale } from '../../e2e/basket.js'
import { eventually, startService, unhurried } from '../../e2e/service.js'
import { until } from '../../support/until.js'
import { aCollector, attributesOf, type SentSpan } from './a-collector.js'

const programme = join(import.meta.dirname, '..', '..', 'e2e', 'programme.json')
const env = { ...unhurried, LOYALTY_PROGRAM: programme, LOYALTY_SECRETS: 'a-secret-for-traces' }
/** Sends pending spans every 100 ms. */
const soon = { OTEL_BSP_SCHEDULE_DELAY: '100' }
const member = 'anna'

function traceparent(flags = '01') {
  const traceId = randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return { traceId, spanId, header: `00-${traceId}-${spanId}-${flags}` }
}

const named = (spans: readonly SentSpan[], name: string) => spans.find((span) => span.name === name)

/** Makes the service print each module of OpenTelemetry's SDK that it loads, and a line at its end. */
const hooks = `import {writeSync} from 'node:fs';export async function load(url,context,next){
if(/opentelemetry.(sdk|exporter)/.test(url))writeSync(2,'sdk module\\n');return next(url,context)}`
const preload = `import {register} from 'node:module';import {isMainThread} from 'node:worker_threads';if(isMainThread){
register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});process.on('exit',()=>process.stderr.write('that is all\\n'))}`
const countsModules = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` }

async function modulesLoaded(output: readonly string[]): Promise<number> {
  await until(
    () => output,
    (lines) => lines.includes('that is all'),
  )
  return output.filter((line) => line === 'sdk module').length
}

t.test('a basket leaves one tree of spans under the context of its POS, without member and secret', async (t) => {
  const collector = await aCollector(t)
  const service = await startService({
    env: { ...env, ...soon, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=shop' },
  })
  t.teardown(() => service.stop())
  const pos = traceparent()
  const basket = aBasket(member).line({ productId: 'coffee', unitPrice: 450 })
  const answer = await service.send('/v1/pos/basket', basket.text(), { headers: { traceparent: pos.header } })
  t.equal(answer.status, 200)
  const spans = await until(
    () => collector.spans.filter(({ traceId }) => traceId === pos.traceId),
    (spans) => named(spans, 'basket') !== undefined,
  )

  const root = named(spans, 'basket')!
  t.equal(root.parentSpanId, pos.spanId, 'the request stands under the POS')
  t.equal(answer.headers['traceresponse'], `00-${pos.traceId}-${root.spanId}-01`)
  t.match(attributesOf(root), {
    'http.response.status_code': 200,
    'loyalty.outcome': 'applied',
    'loyalty.calculation_id': basket.body()['calculationId'],
    'loyalty.request_id': answer.headers['x-request-id'],
  })
  const path = ['receive', 'facts.peek', 'engine.readBasket', 'ledger.calculations.confirm', 'answer']
  for (const name of path) {
    const span = named(spans, name)
    t.equal(span?.parentSpanId, root.spanId, `${name} stands under it`)
    t.ok(BigInt(span!.endTimeUnixNano) >= BigInt(span!.startTimeUnixNano), `${name} ends after it starts`)
  }
  t.match(attributesOf(named(spans, 'engine.readBasket')!), { 'loyalty.search.optimal': true })
  t.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length)

  const record = service.output.find((line) => line.includes(pos.traceId))
  t.match(JSON.parse(record!), { msg: 'request', traceId: pos.traceId, status: 200 })
  t.same([...collector.services], ['loyalty-partner-service'])
  t.equal(collector.headers[0]?.['x-tenant'], 'shop')

  const sale = aSale(basket.body(), { paidTotal: 405 })
  t.equal((await eventually(() => service.send('/v1/pos/sale', JSON.stringify(sale)))).status, 200)
  await service.send('/v1/pos/basket', '{}', { secret: 'wrong', key: randomUUID() })
  await until(
    () => collector.spans,
    (all) =>
      named(all, 'ledger.sales.record') !== undefined && all.filter(({ name }) => name === 'basket').length === 2,
  )
  const refused = collector.spans.filter(({ name }) => name === 'basket').at(-1)!
  t.match(attributesOf(refused), { 'http.response.status_code': 401, 'error.type': 'invalid_signature' })
  t.equal(refused.parentSpanId ?? '', '', 'a call without a context begins a trace')
  for (const secret of [member, env.LOYALTY_SECRETS, 'wrong', 'coffee', 'v1=']) {
    t.notOk(collector.text().includes(secret), `no span contains ${secret}`)
  }
})

t.test('an invalid W3C context begins a new trace, and an unsampled one is not sent', async (t) => {
  const collector = await aCollector(t)
  const service = await startService({
    env: {
      ...env,
      ...soon,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_SERVICE_NAME: 'POS callers',
    },
  })
  t.teardown(() => service.stop())
  const call = (headers: Record<string, string>) =>
    service.send('/v1/pos/basket', aBasket(member).line({ productId: 'tea', unitPrice: 300 }).text(), { headers })
  const unsampled = traceparent('00')
  const { headers } = await call({ traceparent: unsampled.header })
  t.match(headers['traceresponse'], new RegExp(`^00-${unsampled.traceId}-[0-9a-f]{16}-00$`))
  const wrong = [`00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, `ff-${unsampled.header.slice(3)}`, 'x', '']
  const began = await Promise.all(wrong.map((header) => call({ traceparent: header })))
  const ids = began.map(({ headers }) => String(headers['traceresponse']).split('-')[1]!)
  t.equal(new Set(ids).size, wrong.length)
  const roots = await until(
    () => collector.spans.filter(({ name }) => name === 'basket'),
    (roots) => roots.length === wrong.length,
  )
  t.same(roots.map(({ traceId }) => traceId).sort(), [...ids].sort())
  t.notOk(collector.text().includes(unsampled.traceId))
  t.same([...collector.services], ['POS callers'])
})

t.test('a collector that is down costs nothing but its spans', async (t) => {
  const service = await startService({
    env: { ...env, ...soon, ...countsModules, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  })
  const text = aBasket(member).line({ productId: 'coffee', unitPrice: 450 }).text()
  t.equal((await service.send('/v1/pos/basket', text)).status, 200)
  t.equal((await service.send('/v1/pos/basket', text)).headers['idempotent-replayed'], 'true')
  t.equal(await service.stop(), 0)
  t.ok((await modulesLoaded(service.output)) > 0, 'the count below sees what is loaded')
})

t.test('without an endpoint nothing of OpenTelemetry is loaded, and no answer has a trace', async (t) => {
  const service = await startService({ env: { ...env, ...countsModules } })
  const text = aBasket(member).line({ productId: 'coffee', unitPrice: 450 }).text()
  const headers = { traceparent: traceparent().header }
  const answer = await service.send('/v1/pos/basket', text, { headers })
  t.equal(answer.status, 200)
  t.equal(answer.headers['traceresponse'], undefined)
  t.equal(await service.stop(), 0)
  t.notMatch(service.output.join('\n'), /traceId/)
  t.equal(await modulesLoaded(service.output), 0)
})
