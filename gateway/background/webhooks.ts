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
/** Intervals at which a gateway looks for due deliveries, and for the age of the oldest, in milliseconds. */
const lookMs = 500
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

/**
 * Sends events to webhooks for as long as the service runs: at least once, each member's in order. Several gateways share the work; each
 * delivery is claimed by one of them, and free again after half a minute without its report.
 *
 * @returns a function that stops it; attempts under way are broken off, and made again by another gateway or later
 */
export function startWebhooks({ adminLedger, reach, metrics, log, timeoutMs = sendMs }: Parts): () => Promise<void> {
  const stopping = new AbortController()
  const send = createSendWebhook({ reach, timeoutMs })
  const counted = watchDeliveries(metrics, () => lag)
  const busy = new Map<string, number>()
  const attempts = new Set<Promise<void>>()
  const pause = createPause(stopping.signal)
  let lag: WebhookLag = { pending: 0, oldestS: 0, failing: 0 }

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
        pause.end()
      })
    attempts.add(running)
  }

  async function look(): Promise<void> {
    const terms = { max: attemptsMax, busy: Object.fromEntries(busy), claimMs: timeoutMs + claimSpareMs }
    for (const delivery of await adminLedger.webhooks.take(terms)) begin(delivery)
  }

  async function run(): Promise<void> {
    let laggedAtMs = Number.NEGATIVE_INFINITY
    while (!stopping.signal.aborted) {
      const paused = pause.begin(lookMs)
      await look().catch((error: unknown) => report(log, error))
      if (performance.now() - laggedAtMs > lagEveryMs) {
        laggedAtMs = performance.now()
        lag = await adminLedger.webhooks.lag(patienceMs).catch(() => lag)
      }
      await paused
    }
  }

  const running = run()
  return async () => {
    stopping.abort()
    await running
    await Promise.all(attempts)
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

/** A pause that may be ended early, even before it begins. */
function createPause(stopping: AbortSignal) {
  let end = () => {}
  stopping.addEventListener('abort', () => end())
  return {
    begin(ms: number): Promise<void> {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    end: () => end(),
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
