import { build, type Histogram } from 'hdr-histogram-js'
import { goodOutcomes } from './pos-caller.js'

/** Longest latency recorded, in microseconds: ten minutes. */
const highestMicros = 600_000_000
/** Significant digits of a latency, and of a timeline's. */
const digits = 3
const timelineDigits = 2

/** Percentiles in milliseconds. */
export interface Spread {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  readonly count: number
}

/** Percentile, from 0 to 100, and its latency in milliseconds. */
export type CurvePoint = readonly [percentile: number, ms: number]

export interface Second {
  readonly at: number
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly errors: number
}

export interface StreamReport {
  /** `basket`, `basket/20`, `sale`. */
  readonly name: string
  readonly latency: Spread
  readonly curve: readonly CurvePoint[]
  readonly seconds: readonly Second[]
  /** Counted requests by outcome; the sum is `latency.count`. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly errors: number
  readonly warmupErrors: number
}

export interface Landing {
  readonly stream: string
  readonly dueMs: number
  /** From the due moment, not from sending: a stall of service or generator is included. */
  readonly latencyMs: number
  readonly outcome: string
  readonly counted: boolean
}

export interface Tally {
  add(landing: Landing): void
  report(): StreamReport
}

const curvePercentiles = [
  0, 10, 25, 50, 60, 70, 75, 80, 85, 90, 92.5, 95, 96, 97, 98, 99, 99.5, 99.8, 99.9, 99.95, 99.99,
]

/** Counts the responses of one kind; from a warm-up only errors and the timeline. */
export function createTally(name: string): Tally {
  const latency = histogram(digits)
  const outcomes: Record<string, number> = {}
  const seconds = new Map<number, { readonly histogram: Histogram; errors: number }>()
  let errors = 0
  let warmupErrors = 0
  return {
    add({ dueMs, latencyMs, outcome, counted }) {
      const isError = !goodOutcomes.includes(outcome)
      const second = secondAt(seconds, Math.floor(dueMs / 1000))
      record(second.histogram, latencyMs)
      if (isError) second.errors += 1
      if (isError) errors += 1
      if (isError && !counted) warmupErrors += 1
      if (!counted) return
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      record(latency, latencyMs)
    },
    report: () => ({
      name,
      latency: spreadOf(latency),
      curve: curveOf(latency),
      seconds: [...seconds].sort(([left], [right]) => left - right).map(([at, one]) => secondOf(at, one)),
      outcomes,
      errors,
      warmupErrors,
    }),
  }
}

export function createSpread(): { add(ms: number): void; spread(): Spread } {
  const all = histogram(digits)
  return { add: (ms) => record(all, ms), spread: () => spreadOf(all) }
}

function secondAt(seconds: Map<number, { readonly histogram: Histogram; errors: number }>, at: number) {
  const known = seconds.get(at)
  if (known !== undefined) return known
  const made = { histogram: histogram(timelineDigits), errors: 0 }
  seconds.set(at, made)
  return made
}

function secondOf(at: number, one: { readonly histogram: Histogram; readonly errors: number }): Second {
  const { p50, p99, max, count } = spreadOf(one.histogram)
  return { at, count, p50, p99, max, errors: one.errors }
}

function histogram(numberOfSignificantValueDigits: 2 | 3): Histogram {
  return build({ lowestDiscernibleValue: 1, highestTrackableValue: highestMicros, numberOfSignificantValueDigits })
}

function record(into: Histogram, ms: number): void {
  into.recordValue(Math.min(highestMicros, Math.max(0, Math.round(ms * 1000))))
}

function spreadOf(one: Histogram): Spread {
  const at = (percentile: number) => one.getValueAtPercentile(percentile) / 1000
  return { p50: at(50), p95: at(95), p99: at(99), p999: at(99.9), max: one.maxValue / 1000, count: one.totalCount }
}

function curveOf(one: Histogram): CurvePoint[] {
  if (one.totalCount === 0) return []
  const known = curvePercentiles.filter((percentile) => one.totalCount * (1 - percentile / 100) >= 1)
  const points = known.map((percentile) => [percentile, one.getValueAtPercentile(percentile) / 1000] as const)
  return [...points, [100, one.maxValue / 1000]]
}
