import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { type RunningService, signature, startService } from '../../e2e/service.js'
import { e2eProgramme } from '../../gateway/internal/served.js'
import { aGoodBasket } from '../body-row.js'
import { attackNames } from './attacker.js'

/**
 * POS calls beside each attack: how they are answered, and how much memory the gateway takes. With several builds (`--main`,
 * each the path of a `gateway/main.js`) they take turns, so that one run compares them.
 */
const { values, positionals } = parseArgs({
  options: { main: { type: 'string', multiple: true }, seconds: { type: 'string' }, rate: { type: 'string' } },
  allowPositionals: true,
})
const mains = values.main ?? [undefined]
const seconds = Number(values.seconds ?? 10)
const perSecond = Number(values.rate ?? 20)
const timeoutMs = 5_000
const sampleMs = 100
const mib = 1_024

for (const attack of ['none', ...(positionals.length > 0 ? positionals : attackNames)])
  for (const main of mains) await measure(attack, main)

async function measure(attack: string, main: string | undefined): Promise<void> {
  const env = { LOYALTY_PROGRAM: e2eProgramme, LOYALTY_LOG: 'warn' }
  const service = await startService({ env, ...(main === undefined ? {} : { main }) })
  const pool = new Pool(service.url, { connections: 64 })
  const attackers =
    attack === 'none'
      ? null
      : fork(join(import.meta.dirname, 'attacker.js'), [attack, service.url, service.internalUrl])
  try {
    const memory = watchMemory(service)
    const calls = await callsOf(service, pool)
    report(attack, main, { calls, mebibytes: memory() })
  } finally {
    attackers?.kill()
    await pool.destroy()
    await service.stop('SIGKILL')
  }
}

/** One call and its outcome; status 0: no answer in time. */
interface Seen {
  readonly status: number
  readonly tookMs: number
}

async function callsOf(service: RunningService, pool: Pool): Promise<Seen[]> {
  const startedAt = performance.now()
  const open: Promise<Seen>[] = []
  for (let sent = 0; sent < seconds * perSecond; sent += 1) {
    await sleep(startedAt + (sent * 1_000) / perSecond - performance.now())
    open.push(call(service, pool))
  }
  return await Promise.all(open)
}

async function call({ secret }: RunningService, pool: Pool): Promise<Seen> {
  const key = randomUUID()
  const body = JSON.stringify({ ...aGoodBasket(), calculationId: key })
  const at = performance.now()
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': key,
    'pos-signature': signature(secret, Math.floor(Date.now() / 1_000), body),
  }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await pool.request({ path: '/v1/pos/basket', method: 'POST', headers, body, signal })
    await answer.body.dump()
    return { status: answer.statusCode, tookMs: performance.now() - at }
  } catch {
    return { status: 0, tookMs: performance.now() - at }
  }
}

/** Looks at the memory of the gateway now and then; the result ends that and has the most that was seen. */
function watchMemory({ child }: RunningService): () => number {
  let most = 0
  const look = () => {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
    most = Math.max(most, Number(kib ?? 0) / mib)
  }
  const timer = setInterval(look, sampleMs)
  return () => {
    clearInterval(timer)
    return most
  }
}

function report(
  attack: string,
  main: string | undefined,
  { calls, mebibytes }: { readonly calls: readonly Seen[]; readonly mebibytes: number },
): void {
  const count = (status: number) => calls.filter((each) => each.status === status).length
  const took = calls.map(({ tookMs }) => tookMs).sort((left, right) => left - right)
  const quantile = (share: number) => (took[Math.floor((took.length - 1) * share)] ?? Number.NaN).toFixed(0)
  console.log(
    `${attack}${main === undefined ? '' : ` (${main})`}: ${calls.length} POS calls, 200: ${count(200)}, 503: ${count(503)}, ` +
      `no answer in ${timeoutMs / 1_000} s: ${count(0)}; p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, max ${quantile(1)} ms; ` +
      `memory at most ${mebibytes.toFixed(0)} MiB`,
  )
}
