import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** One answered request, as the metrics count it; every word is one of a small fixed set. */
export interface AnsweredRequest {
  readonly endpoint: string
  readonly status: number
  /** A basket status, a sale result, or `refused`, `unavailable`, `failed`, `aborted`, `served`. */
  readonly outcome: string
  /** The error code, empty on success. */
  readonly code: string
  readonly durationMs: number
}

/** What the service counts of itself, in Prometheus's terms. */
export interface Metrics {
  readonly registry: Registry
  answered(request: AnsweredRequest): void
  /** Watches a number that somebody else keeps, read at each scrape. */
  watch(name: string, help: string, read: () => number): void
  /** The text of `GET /metrics`, and its content type. */
  text(): Promise<string>
  readonly contentType: string
}

/** A registry of the service's own, the process's usual metrics (memory, descriptors, event loop delay) included. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'loyalty_requests_total',
    help: 'Requests answered, by endpoint, status, outcome and error code.',
    labelNames: ['endpoint', 'status', 'outcome', 'code'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'loyalty_request_seconds',
    help: 'Time from the complete request to its answer, by endpoint.',
    labelNames: ['endpoint'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.35, 0.45, 1],
    registers: [registry],
  })
  return {
    registry,
    answered({ endpoint, status, outcome, code, durationMs }) {
      requests.inc({ endpoint, status, outcome, code })
      durations.observe({ endpoint }, durationMs / 1000)
    },
    watch(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read())
        },
      })
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
