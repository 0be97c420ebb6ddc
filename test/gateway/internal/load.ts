import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'hdr-histogram-js'
import { Dice } from '../../support/dice.js'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { startRedis } from '../../support/servers/start-redis.js'
import { type Served, startServed } from './served.js'

/** A whole service for the measuring commands of this folder, and how to stop it. */
export interface Measured {
  readonly served: Served
  /** null: embedded stores. */
  readonly databaseUrl: string | null
  stop(): Promise<void>
}

/**
 * @param stores  `real`: its own Redis and Postgres, with fsync; `embedded`
 * @param main    entry file of the service; absent: the gateway of this build
 * @param more    settings
 */
export async function startMeasured(
  stores: string,
  main?: string,
  more: Record<string, string> = {},
): Promise<Measured> {
  const env = { LOYALTY_DEADLINE_MS: '450', LOYALTY_LOG: 'warn', ...more }
  if (stores !== 'real') {
    const served = await startServed(env, main)
    return { served, databaseUrl: null, stop: async () => void (await served.service.stop()) }
  }
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres({ fsync: true })])
  const databaseUrl = await postgres.createDatabase()
  const served = await startServed({ ...env, REDIS_URL: redis.url, DATABASE_URL: databaseUrl }, main)
  return {
    served,
    databaseUrl,
    async stop() {
      await served.service.stop()
      await Promise.all([redis.stop(), postgres.stop()])
    },
  }
}

/** Latencies of an open loop, in milliseconds from when a call was due, and the outcomes. */
export interface Loop {
  readonly text: string
  readonly outcomes: ReadonlyMap<string, number>
}

/** Sends at random moments, `rate` a second on average, for this many seconds. */
export async function openLoop(
  { rate, seconds, seed }: { readonly rate: number; readonly seconds: number; readonly seed: number },
  fire: () => Promise<string>,
): Promise<Loop> {
  const dice = new Dice(seed)
  const dues = Array.from({ length: Math.round(rate * seconds) }, () => dice.next() * seconds * 1_000)
  const latency = build({ lowestDiscernibleValue: 1, highestTrackableValue: 600_000_000 })
  const outcomes = new Map<string, number>()
  const startedAt = performance.now()
  const flying: Promise<void>[] = []
  for (const dueMs of dues.sort((a, b) => a - b)) {
    await sleep(Math.max(0, dueMs - (performance.now() - startedAt)))
    // From when it was due, so that a pause of the service or of this process shows.
    const landed = (outcome: string) => {
      latency.recordValue(Math.max(0, Math.round((performance.now() - startedAt - dueMs) * 1_000)))
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    flying.push(fire().then(landed, () => landed('error')))
  }
  await Promise.all(flying)
  const at = (percentile: number) => (latency.getValueAtPercentile(percentile) / 1_000).toFixed(1)
  const words = [...outcomes].map(([word, count]) => `${word} ${count}`).join(', ')
  const text = `${dues.length} baskets: ${words}; p50 ${at(50)}, p95 ${at(95)}, p99 ${at(99)}, max ${(latency.maxValue / 1_000).toFixed(1)} ms`
  return { text, outcomes }
}

/** Memory of a running process, in MB; NaN where the system does not report it. */
export function memoryMb(pid: number | undefined): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024)
  } catch {
    return Number.NaN
  }
}
