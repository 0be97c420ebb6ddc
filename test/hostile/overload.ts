import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { signature } from '../e2e/service.js'
import { secret } from '../gateway/pos/a-listener.js'
import { aGoodBasket, aGoodSale } from './body-row.js'

const { values } = parseArgs({
  options: { seconds: { type: 'string' }, times: { type: 'string' }, rate: { type: 'string' } },
})
/** Duration of the overload in seconds, its factor on the capacity, and the capacity per second. */
const seconds = Number(values.seconds ?? 60)
const times = Number(values.times ?? 8)
const rate = Number(values.rate ?? 150)
const salesShare = 0.2
const closedLoopWorkers = 24
const capacitySeconds = 4
const tickMs = 2

/** One call and its outcome. */
interface Seen {
  readonly endpoint: 'basket' | 'sale'
  /** Since the overload began. */
  readonly atMs: number
  readonly tookMs: number
  /** 0: no answer. */
  readonly status: number
}

const server = fork(join(import.meta.dirname, 'overload-server.js'), [String(rate)])
const [port] = await once(server, 'message')
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 512 })
const templates = { basket: aGoodBasket(), sale: aGoodSale() }
try {
  await closedLoop(1)
  const capacity = (await closedLoop(capacitySeconds)) / capacitySeconds
  report(capacity, await openLoop(capacity), await untilNormal())
} finally {
  await pool.destroy()
  server.kill()
}

/** 200s per second that a few POS callers get, each waiting for its answer. */
async function closedLoop(forSeconds: number): Promise<number> {
  const endMs = performance.now() + forSeconds * 1_000
  let answered = 0
  const pooled = async () => {
    while (performance.now() < endMs) if ((await call('basket', 0)).status === 200) answered += 1
  }
  await Promise.all(Array.from({ length: closedLoopWorkers }, pooled))
  return answered
}

/** Sends a multiple of the capacity, whether the service answers or not. */
async function openLoop(capacity: number): Promise<Seen[]> {
  const startedAt = performance.now()
  const open: Promise<Seen>[] = []
  for (let sent = 0; performance.now() - startedAt < seconds * 1_000; await sleep(tickMs)) {
    const due = ((performance.now() - startedAt) / 1_000) * capacity * times
    for (; sent < due; sent += 1) open.push(call(sent % (1 / salesShare) === 0 ? 'sale' : 'basket', startedAt))
  }
  return await Promise.all(open)
}

/** Milliseconds from the end of the overload until 20 baskets in a row are answered 200 within 100 ms each. */
async function untilNormal(): Promise<number> {
  const startedAt = performance.now()
  for (let row = 0; row < 20; ) {
    const { status, tookMs } = await call('basket', startedAt)
    row = status === 200 && tookMs < 100 ? row + 1 : 0
    if (performance.now() - startedAt > 60_000) return Number.POSITIVE_INFINITY
  }
  return performance.now() - startedAt
}

async function call(endpoint: Seen['endpoint'], since: number): Promise<Seen> {
  const { key, text } = bodyOf(endpoint)
  const at = performance.now()
  const seen = (status: number): Seen => ({ endpoint, atMs: at - since, tookMs: performance.now() - at, status })
  try {
    const { statusCode, body } = await pool.request({
      path: `/v1/pos/${endpoint}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        'pos-signature': signature(secret, Math.floor(Date.now() / 1000), text),
      },
      body: text,
      bodyTimeout: 5_000,
      headersTimeout: 5_000,
    })
    await body.dump()
    return seen(statusCode)
  } catch {
    return seen(0)
  }
}

function bodyOf(endpoint: Seen['endpoint']): { readonly key: string; readonly text: string } {
  const key = randomUUID()
  return { key, text: JSON.stringify({ ...templates[endpoint], calculationId: key }) }
}

function report(capacity: number, seen: readonly Seen[], normalMs: number): void {
  const settled = seen.filter(({ atMs }) => atMs > 1_000)
  const of = (endpoint: string, status: number) =>
    settled.filter((each) => each.endpoint === endpoint && each.status === status)
  const goodput = (of('basket', 200).length + of('sale', 200).length) / (seconds - 1)
  const refused = settled.filter(({ status }) => status === 503).map(({ tookMs }) => tookMs)
  const share = (endpoint: string) =>
    (of(endpoint, 200).length / settled.filter((each) => each.endpoint === endpoint).length) * 100
  const lost = settled.filter(({ status }) => status !== 200 && status !== 503).length
  console.log(
    [
      `capacity ${capacity.toFixed(0)} baskets a second; offered ${(seen.length / seconds).toFixed(0)} a second for ${seconds} s, a fifth of them sale events`,
      `answered 200: ${goodput.toFixed(0)} a second (${((goodput / capacity) * 100).toFixed(0)} % of capacity); ${share('basket').toFixed(1)} % of baskets, ${share('sale').toFixed(1)} % of sale events`,
      `200s: p50 ${quantile(
        of('basket', 200).map(({ tookMs }) => tookMs),
        0.5,
      )} ms, p99 ${quantile(
        of('basket', 200).map(({ tookMs }) => tookMs),
        0.99,
      )} ms as the client sees it`,
      `503s: ${refused.length}, p50 ${quantile(refused, 0.5)} ms, p99 ${quantile(refused, 0.99)} ms as the client sees it; neither 200 nor 503: ${lost}`,
      `normal again after ${normalMs.toFixed(0)} ms`,
    ].join('\n'),
  )
}

function quantile(list: readonly number[], share: number): string {
  const sorted = [...list].sort((left, right) => left - right)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)
}
