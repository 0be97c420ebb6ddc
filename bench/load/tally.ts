import { build, type Histogram } from 'hdr-histogram-js'
import type { Landing } from './drive-open-loop.js'

/** Longest latency that is told apart, in microseconds: ten minutes. */
const highestMicros = 600_000_000

/** Percentiles in milliseconds. */
export interface Spread {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** What is counted of one case, or of all together. */
export interface Tally {
  readonly name: string
  readonly count: number
  readonly latency: Spread
  readonly outcomes: ReadonlyMap<string, number>
}

export interface Tallies {
  add(landing: Landing): void
  /** One per basket size, smallest first, then all of them together. */
  cases(): readonly Tally[]
  /** The generator's own lateness. */
  lateness(): Spread
}

/** Outcomes of a 200: every other word is an error. */
export const goodOutcomes: readonly string[] = ['applied', 'unchanged', 'member_not_found']

/** Counts what lands; shots of the warm-up leave only their errors behind. */
export function createTallies(lines: readonly number[]): Tallies {
  const latency = new Map([...lines].sort((left, right) => left - right).map((size) => [size, histogram()]))
  const outcomes = new Map([...latency.keys()].map((size) => [size, new Map<string, number>()]))
  const late = histogram()
  return {
    add({ shot, latencyMs, lateMs, outcome }) {
      const counts = outcomes.get(shot.lines)!
      if (!shot.counted && goodOutcomes.includes(outcome)) return
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      if (!shot.counted) return
      record(latency.get(shot.lines)!, latencyMs)
      record(late, lateMs)
    },
    cases() {
      const sizes = [...latency].map(([size, one]) => tally(`gateway/basket/${size}`, one, outcomes.get(size)!))
      const all = histogram()
      for (const one of latency.values()) all.add(one)
      return sizes.length === 1 ? sizes : [...sizes, tally('gateway/basket/mixed', all, sum([...outcomes.values()]))]
    },
    lateness: () => spreadOf(late),
  }
}

export function errorsIn({ outcomes }: Tally): number {
  return [...outcomes].reduce((errors, [word, count]) => (goodOutcomes.includes(word) ? errors : errors + count), 0)
}

function histogram(): Histogram {
  return build({ lowestDiscernibleValue: 1, highestTrackableValue: highestMicros, numberOfSignificantValueDigits: 3 })
}

function record(into: Histogram, ms: number): void {
  into.recordValue(Math.min(highestMicros, Math.max(0, Math.round(ms * 1000))))
}

function tally(name: string, latency: Histogram, outcomes: ReadonlyMap<string, number>): Tally {
  return { name, count: latency.totalCount, latency: spreadOf(latency), outcomes }
}

function spreadOf(one: Histogram): Spread {
  const at = (percentile: number) => one.getValueAtPercentile(percentile) / 1000
  return { p50: at(50), p95: at(95), p99: at(99), max: one.maxValue / 1000 }
}

function sum(all: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const total = new Map<string, number>()
  for (const one of all) for (const [word, count] of one) total.set(word, (total.get(word) ?? 0) + count)
  return total
}
