import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '../store/cache.js'
import { type BreakerOptions, withBreaker } from '../store/circuit-breaker.js'
import type { EmbeddedLedgerOptions } from '../store/embedded/create-embedded-ledger.js'
import { StoreFault } from '../store/fault.js'
import type { Ledger } from '../store/ledger.js'
import { readMsDefault, saleMsDefault } from '../store/postgres/connection/options.js'
import { hangMsDefault } from '../store/postgres/connection/pulse.js'
import { createPostgresLedger } from '../store/postgres/create-postgres-ledger.js'
import { callMs } from '../store/redis/access.js'
import { createRedisCache } from '../store/redis/create-redis-cache.js'
import type { Config } from './config/config.js'
import { StartFault } from './config/config.js'
import type { Log } from './telemetry/log.js'
import type { Metrics } from './telemetry/metrics.js'
import { observedCache, observedLedger } from './telemetry/observed.js'

/** How long answers stay in Redis once the ledger has them: a POS that repeats does so within minutes. */
const hotAnswerMs = 15 * 60_000
/** How long a ledger that was just opened may take to answer, and the pause between two attempts, in milliseconds. */
const startPatienceMs = 10_000
const startPauseMs = 250
/** The deadline for which the stores' times for one call were chosen (wire decisions 6). */
const usualDeadlineMs = 450

export async function openLedger(config: Config, metrics: Metrics, log: Log): Promise<Ledger> {
  const { databaseUrl, dataFolder, expiryS, idempotencyS, bodyDays, recordDays, eventDays } = config
  const options = {
    expiryS,
    idempotencyS,
    bodyDays,
    recordDays,
    eventDays,
    readMs: shareMs(config, readMsDefault),
    saleMs: shareMs(config, saleMsDefault),
    onFault: (error: unknown) => log.warn({ err: error }, 'ledger'),
    breaker: breakerOptions('ledger', metrics, log),
  }
  try {
    const ledger =
      databaseUrl === null
        ? await openEmbedded({ folder: dataFolder, ...options })
        : await patiently(() =>
            createPostgresLedger({
              url: databaseUrl,
              readUrl: config.databaseReadUrl,
              hangMs: shareMs(config, hangMsDefault),
              ...options,
            }),
          )
    return observedLedger(ledger, metrics)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Host and port alone: the URL may hold a password.
    const where =
      databaseUrl === null ? 'LOYALTY_DATA: the ledger' : `DATABASE_URL: the ledger at ${new URL(databaseUrl).host}`
    throw new StartFault(`${where} cannot be opened: ${reasonOf(error)}`, { cause: error })
  }
}

/** PGlite is loaded where it is used alone. */
async function openEmbedded(options: EmbeddedLedgerOptions): Promise<Ledger> {
  const { createEmbeddedLedger } = await import('../store/embedded/create-embedded-ledger.js')
  return await createEmbeddedLedger(options)
}

export interface CacheWatch {
  readonly log: Log
  /** Set once there is somebody to notify. */
  circuitChanged: (open: boolean) => void
}

export function openCache(config: Config, metrics: Metrics, watch: CacheWatch): Cache | null {
  const { log } = watch
  const { redisUrl, environment, idempotencyS } = config
  if (redisUrl === null) return null
  const cache = createRedisCache({
    url: redisUrl,
    prefix: `loyalty-${environment}`,
    callMs: shareMs(config, callMs),
    lifetimes: { answerMs: Math.min(hotAnswerMs, idempotencyS * 1000) },
    onError: (error) => log.debug({ err: error }, 'cache'),
    onGarbage(keys) {
      metrics.cacheFault('garbage', keys.length)
      log.warn({ keys }, 'Redis held something under our keys that is not ours; it was dropped')
    },
  })
  const { onChange, ...options } = breakerOptions('cache', metrics, log)
  const watched: BreakerOptions = {
    ...options,
    onChange(open) {
      onChange?.(open)
      watch.circuitChanged(open)
    },
  }
  return observedCache(withBreaker('cache', cache, watched), metrics)
}

function breakerOptions(store: 'ledger' | 'cache', metrics: Metrics, log: Log): BreakerOptions {
  let isOpen = false
  metrics.watch(`loyalty_${store}_circuit_open`, `1 while the ${store} is out of reach and its circuit is open.`, () =>
    Number(isOpen),
  )
  return {
    onChange(open) {
      isOpen = open
      log.warn({ store, open }, 'breaker')
    },
  }
}

/** A fault, and what the system or the server said of it. */
function reasonOf(error: Error): string {
  return error instanceof StoreFault && error.cause instanceof Error
    ? `${error.message} (${error.cause.message})`
    : error.message
}

/** A store's time for one call, which was chosen for the usual deadline: a longer one leaves it more, a shorter one cuts it off anyway. */
function shareMs({ deadlineMs }: Config, usualMs: number): number {
  return Math.round(usualMs * Math.max(1, deadlineMs / usualDeadlineMs))
}

/** Waits patiently for a ledger that starts too; rejects with StartFault where it does not answer. */
export async function atStart<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await patiently(work)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    throw new StartFault(`the ledger does not answer: ${error.message}`, { cause: error })
  }
}

/** A ledger that is busy, or starts itself, while this service does is asked again for a while: a slow start is better than none. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + startPatienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreFault) || performance.now() > untilMs) throw error
      await sleep(startPauseMs)
    }
  }
}
