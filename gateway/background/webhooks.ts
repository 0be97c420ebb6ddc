import { Counter } from 'prom-client'
import { StoreFault } from '../../store/fault.js'
import type { AttemptEnd, DueDelivery, WebhookLag } from '../../store/ledger/events.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { Log } from '../telemetry/log.js'
import type { Metrics } from '../telemetry/metrics.js'
import { idOfEvent } from './event-id.js'
import { createSendWebhook, type SendOutcome, type Sent, sendMs } from './send-webhook.js'
import type { Reach } from './webhook-address.js'

/** Additional time in which no other gateway makes an attempt, in milliseconds. */
const claimSpareMs = 20_000
const attemptsMax = 16
/** Interval at which a gateway reads the age of the oldest delivery, in milliseconds. */
const lagEveryMs = 10_000
/** The pause after the first failed attempt; each later one is twice as long, up to the longest. */
const retryFirstMs = 5_000
const retryMostMs = 3_600_000
/** Relative spread of pauses, so that a receiver does not get everything at once when it is back. */
const retrySpread = 0.1
/** Time for the attempts of a delivery, and time without any delivery after which a webhook counts as failing. */
export const patienceMs = 3 * 86_400_000
/** The longest pause that a receiver may ask for: there is time left for a last attempt. */
const pauseMostMs = 86_400_000
const outcomes = [
  'delivered',
  'gone',
  'status',
  'redirect',
  'timeout',
  'connection',
  'address',
  'stopped',
  'given_up',
] as const

interface Parts {
  readonly adminLedger: Pick<AdminLedger, 'webhooks'>
  readonly reach: Reach
  readonly metrics: Metrics
  readonly log: Log
  /** Default `sendMs`. */
  readonly timeoutMs?: number
}

export interface Webhooks {
  /** Begins the deliveries that are due. Rejects with StoreFault. */
  look(): Promise<void>
  /** Attempts under way are broken off, and made again by another gateway or later. */
  stop(): Promise<void>
}

/**
 * Sends events to webhooks: at least once, each member's in order. Several gateways share the work; each delivery is claimed by one of
 * them, and free again after half a minute without its report.
 */
export function createWebhooks({ adminLedger, reach, metrics, log, timeoutMs = sendMs }: Parts): Webhooks {
  const stopping = new AbortController()
  const send = createSendWebhook({ reach, timeoutMs })
  const counted = watchDeliveries(metrics, () => lag)
  const busy = new Map<string, number>()
  const attempts = new Set<Promise<void>>()
  let lag: WebhookLag = { pending: 0, oldestS: 0, failing: 0 }
  let laggedAtMs = Number.NEGATIVE_INFINITY
  // A second look at once would not count what the first one takes.
  const looks = createLooks(lookNow, stopping.signal)

  async function attempt(delivery: DueDelivery): Promise<void> {
    const sent = await send(delivery, stopping.signal)
    counted(sent.outcome)
    const state = await adminLedger.webhooks.finish(delivery, endOf(sent, delivery.attempt))
    if (state !== 'failed') return
    const { webhookId } = delivery
    if (sent.outcome === 'gone') {
      log.warn({ webhookId, event: idOfEvent(delivery) }, 'a webhook answered 410 and is disabled')
      return
    }
    counted('given_up')
    log.warn({ webhookId, event: idOfEvent(delivery), outcome: sent.text }, 'a webhook did not take an event')
  }

  function begin(delivery: DueDelivery): void {
    const { webhookId } = delivery
    busy.set(webhookId, (busy.get(webhookId) ?? 0) + 1)
    const running = attempt(delivery)
      .catch((error: unknown) => report(log, error))
      .finally(() => {
        busy.set(webhookId, busy.get(webhookId)! - 1)
        attempts.delete(running)
        looks.begin().catch((error: unknown) => report(log, error))
      })
    attempts.add(running)
  }

  async function lookNow(): Promise<void> {
    const terms = { max: attemptsMax, busy: Object.fromEntries(busy), claimMs: timeoutMs + claimSpareMs }
    for (const delivery of await adminLedger.webhooks.take(terms)) begin(delivery)
    if (performance.now() - laggedAtMs < lagEveryMs) return
    laggedAtMs = performance.now()
    lag = await adminLedger.webhooks.lag(patienceMs)
  }

  return {
    look: looks.begin,
    async stop() {
      stopping.abort()
      await looks.ended()
      await Promise.all(attempts)
    },
  }
}

function endOf(sent: Sent, attempt: number): AttemptEnd {
  const { outcome, text, retryAfterMs = 0 } = sent
  const ending = outcome === 'delivered' || outcome === 'gone' || outcome === 'stopped' ? outcome : 'failed'
  const pauseMs = Math.round(Math.min(retryAfterMs, pauseMostMs))
  const retryMs = ending === 'failed' ? Math.max(retryMsAfter(attempt), pauseMs) : 0
  return { ending, outcome: text, retryMs, pauseMs, patienceMs }
}

function retryMsAfter(attempt: number): number {
  const spread = 1 + retrySpread * (2 * Math.random() - 1)
  return Math.round(Math.min(retryFirstMs * 2 ** (attempt - 1), retryMostMs) * spread)
}

/** One look at a time; one that is asked for meanwhile follows it. */
function createLooks(look: () => Promise<void>, stopping: AbortSignal) {
  let looking: Promise<void> | null = null
  let again = false
  async function run(): Promise<void> {
    do {
      again = false
      await look()
    } while (again && !stopping.aborted)
  }
  return {
    async begin(): Promise<void> {
      if (stopping.aborted) return
      again = looking !== null
      looking ??= run().finally(() => {
        looking = null
      })
      await looking
    },
    async ended(): Promise<void> {
      await looking?.catch(() => {})
    },
  }
}

function watchDeliveries(metrics: Metrics, lag: () => WebhookLag): (outcome: SendOutcome | 'given_up') => void {
  const counter = new Counter({
    name: 'loyalty_webhook_deliveries_total',
    help: 'Attempts to deliver an event to a webhook, by how they ended; given_up: after three days.',
    labelNames: ['outcome'],
    registers: [metrics.registry],
  })
  for (const outcome of outcomes) counter.inc({ outcome }, 0)
  metrics.watch('loyalty_webhook_pending', 'Deliveries that are not finished.', () => lag().pending)
  metrics.watch('loyalty_webhook_lag_seconds', 'Age of the oldest of them.', () => lag().oldestS)
  metrics.watch(
    'loyalty_webhook_failing',
    'Webhooks that took nothing for three days, or are disabled.',
    () => lag().failing,
  )
  return (outcome) => counter.inc({ outcome })
}

/** A ledger out of reach is asked again; events sent meanwhile are sent again. */
function report(log: Log, error: unknown): void {
  if (!(error instanceof StoreFault)) log.error({ err: error }, 'webhooks')
}
