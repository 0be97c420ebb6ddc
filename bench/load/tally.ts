import { build, type Histogram } from 'hdr-histogram-js'
import { goodOutcomes } from './pos-caller.js'

/** Longest latency recorded, in microseconds: ten minutes. */
const highestMicros = 600_000_000
/** Significant digits of a latency. */
const digits = 3

/** Percentiles in milliseconds. */
export interface Spread {
  readonly min: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  readonly count: number
}

export interface StreamReport {
  /** `basket`, `basket/20`, `sale`. */
  readonly name: string
  readonly latency: Spread
  /** All answers, those of the warm-up included. */
  readonly landed: number
  /** Counted requests by outcome; the sum is `latency.count`. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly errors: number
  readonly warmupErrors: number
}

export interface Landing {
  /** From the due moment, not from sending: a stall of service or generator is included. */
  readonly latencyMs: number
  readonly outcome: string
  readonly counted: boolean
}

export interface Tally {
  add(landing: Landing): void
  report(): StreamReport
}

/** Counts the responses of one kind; from a warm-up only their number and errors. */
export function createTally(name: string): Tally {
  const latency = histogram()
  const outcomes: Record<string, number> = {}
  let landed = 0
  let errors = 0
  let warmupErrors = 0
  return {
    add({ latencyMs, outcome, counted }) {
      const isError = !goodOutcomes.includes(outcome)
      landed += 1
      if (isError) errors += 1
      if (isError && !counted) warmupErrors += 1
      if (!counted) return
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      record(latency, latencyMs)
    },
    report: () => ({ name, latency: spreadOf(latency), landed, outcomes, errors, warmupErrors }),
  }
}

export function createSpread(): { add(ms: number): void; spread(): Spread } {
  const all = histogram()
  return { add: (ms) => record(all, ms), spread: () => spreadOf(all) }
}

function histogram(): Histogram {
  const numberOfSignificantValueDigits = digits
  return build({ lowestDiscernibleValue: 1, highestTrackableValue: highestMicros, numberOfSignificantValueDigits })
}

function record(into: Histogram, ms: number): void {
  into.recordValue(Math.min(highestMicros, Math.max(0, Math.round(ms * 1000))))
}

function spreadOf(one: Histogram): Spread {
  const at = (percentile: number) => one.getValueAtPercentile(percentile) / 1000
  return {
    min: one.totalCount === 0 ? 0 : at(0),
    p50: at(50),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: one.maxValue / 1000,
    count: one.totalCount,
  }
}
