import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ProcessName } from '../config/config.js'
import { type AnsweredRequest, createTrafficCounter, type TrafficCounter, timeBounds } from './traffic.js'

export interface PartCall {
  readonly part: 'ledger' | 'cache' | 'engine'
  readonly call: string
  /** `ok`, or the kind of fault. */
  readonly outcome: string
  readonly durationMs: number
}

const cacheFaults = ['memory_lost', 'contradiction', 'garbage'] as const
export type CacheFault = (typeof cacheFaults)[number]

/** Differences of a sale and its calculation (wire decisions 5): the words of `Discrepancy` in the contract of internal services. */
export const discrepancyKinds = [
  'late_event',
  'superseded',
  'unknown_calculation',
  'status_mismatch',
  'currency_mismatch',
  'venue_mismatch',
  'loyalty_id_mismatch',
  'paid_total_mismatch',
  'discount_total_mismatch',
  'limit_exceeded',
  'value_full',
  'earning_unknown',
  'value_overdrawn',
  'transaction_repeated',
] as const

/** The service's own metrics, in Prometheus's terms. */
export interface Metrics {
  readonly registry: Registry
  answered(request: AnsweredRequest): void
  /** The answers to POSs among them, for people. */
  readonly traffic: TrafficCounter
  called(call: PartCall): void
  /**
   * An endpoint that will be answered: counters of its errors that are alerts one by one start at 0. For Prometheus a counter that begins at
   * 1 has not increased.
   *
   * @param signed  its requests are signed: refused signatures are an alert too
   */
  serves(endpoint: string, signed?: 'signed'): void
  /** A priced basket: steps of its search, and whether its outcome is proven. */
  priced(steps: number, optimal: boolean): void
  /** A calculation with limited or costed benefits: the ledger has granted them, or had too little left. */
  limited(outcome: 'granted' | 'short'): void
  expired(calculations: number): void
  discrepancies(kinds: readonly string[]): void
  /** Redis could not vouch for buckets of its memory, had another answer than the ledger, or held foreign values. */
  cacheFault(kind: CacheFault, count: number): void
  /** Publishes a number that another part has, read at each scrape; where it cannot be read the last one stays. */
  watch(name: string, help: string, read: () => number | Promise<number>): void
  /** The text of `GET /metrics`, and its content type. */
  text(): Promise<string>
  readonly contentType: string
}

/**
 * Interval of sampling the event loop's delay, in milliseconds. Each sample wakes the main thread: at prom-client's own 10 ms they were
 * half the work of an idle gateway. Reported delays include this time.
 */
const loopLookMs = 100

/** Shortest interval between two computations of the page, in milliseconds: any client may ask for it, and often. */
export const pageEveryMs = 1_000

const callBuckets = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
const stepBuckets = [1, 10, 100, 500, 1_000, 2_000, 5_000, 20_000]

/**
 * A registry of the service's own, with the process's usual metrics (memory, descriptors, event loop delay).
 *
 * @param process  label `process` of every sample, where several processes share the ports
 */
export function createMetrics(process?: ProcessName): Metrics {
  const registry = new Registry()
  if (process !== undefined) registry.setDefaultLabels({ process: String(process) })
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopLookMs })
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames, buckets, registers })

  const { answered, serves } = requestMetrics(counter, histogram)
  const traffic = createTrafficCounter()
  const callHelp = 'Calls of ledger, cache and engine, by what was called and what came of it.'
  const calls = counter('loyalty_calls_total', callHelp, ['part', 'call', 'outcome'])
  const callSeconds = histogram('loyalty_call_seconds', 'Time of those calls, by part.', ['part'], callBuckets)
  const steps = histogram('loyalty_search_steps', 'Steps that the search for the best outcome took.', [], stepBuckets)
  const unproven = counter('loyalty_search_unproven_total', 'Baskets whose outcome is not proven to be the best.')
  const limitHelp = 'Calculations that want limited benefits: granted by the ledger, or short.'
  const limits = counter('loyalty_limited_calculations_total', limitHelp, ['outcome'])
  const expired = counter('loyalty_calculations_expired_total', 'Calculations that expired without a sale event.')
  const discrepancies = counter('loyalty_discrepancies_total', 'Discrepancies of recorded sales.', ['kind'])
  const cacheHelp =
    'Redis: buckets of memory that nothing vouched for, answers that differed from the ledger, keys that held garbage.'
  const cacheCounter = counter('loyalty_cache_faults_total', cacheHelp, ['kind'])
  for (const kind of cacheFaults) cacheCounter.inc({ kind }, 0)
  for (const kind of discrepancyKinds) discrepancies.inc({ kind }, 0)
  return {
    ...{ registry, traffic, serves },
    answered(request) {
      answered(request)
      traffic.answered(request)
    },
    called({ part, call, outcome, durationMs }) {
      calls.inc({ part, call, outcome })
      callSeconds.observe({ part }, durationMs / 1000)
    },
    priced(taken, optimal) {
      steps.observe(taken)
      if (!optimal) unproven.inc()
    },
    limited: (outcome) => limits.inc({ outcome }),
    expired: (calculations) => expired.inc(calculations),
    discrepancies(kinds) {
      for (const kind of kinds) discrepancies.inc({ kind })
    },
    cacheFault: (kind, count) => cacheCounter.inc({ kind }, count),
    watch(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const value = await Promise.resolve(read()).catch(() => null)
          if (value !== null) this.set(value)
        },
      })
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

type MakeCounter = <Label extends string>(name: string, help: string, labels?: readonly Label[]) => Counter<Label>
type MakeHistogram = <Label extends string>(
  name: string,
  help: string,
  labels: readonly Label[],
  buckets: number[],
) => Histogram<Label>

function requestMetrics(counter: MakeCounter, histogram: MakeHistogram): Pick<Metrics, 'answered' | 'serves'> {
  const requestHelp = 'Requests answered, by endpoint, status, outcome and error code.'
  const requests = counter('loyalty_requests_total', requestHelp, ['endpoint', 'status', 'outcome', 'code'])
  const durationHelp = 'Time from the complete request to its answer, by endpoint.'
  const durations = histogram('loyalty_request_seconds', durationHelp, ['endpoint'], timeBounds)
  return {
    answered({ endpoint, status, outcome, code, durationMs }) {
      requests.inc({ endpoint, status, outcome, code })
      durations.observe({ endpoint }, durationMs / 1000)
    },
    serves(endpoint, signed) {
      requests.inc({ endpoint, status: 500, outcome: 'failed', code: 'internal_error' }, 0)
      requests.inc({ endpoint, status: 409, outcome: 'refused', code: 'idempotency_conflict' }, 0)
      if (signed === undefined) return
      for (const code of ['invalid_signature', 'stale_timestamp']) {
        requests.inc({ endpoint, status: 401, outcome: 'refused', code }, 0)
      }
    },
  }
}
