import type { Basket, VenueFacts } from '../../engine/core/base/basket.js'
import type { CalculationInput } from '../../engine/core/base/input.js'
import type { BenchCase } from '../cases/bench-case.js'
import type { BenchSettings } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { Spread } from './measure.js'

/** One line of the report. */
export interface Row {
  /** A path: `engine/price/20x100`. */
  readonly name: string
  readonly spread: Spread
  readonly unit: 'us' | 'ms'
  /** Further text; starts with the target's own figure where that is not in the spread. */
  readonly note: string
  /** null: no target. */
  readonly target: { readonly text: string; readonly met: boolean } | null
}

/** A case of the engine alone, without a service. */
export function engineCase(
  name: string,
  run: (settings: BenchSettings) => Iterable<Row> | AsyncIterable<Row>,
): BenchCase {
  return {
    name,
    async *run({ settings }) {
      for await (const row of run(settings)) yield resultOf(row)
    },
  }
}

function resultOf({ name, spread, unit, note, target }: Row): Result {
  const { median, p95, p99, max, count, cpu } = spread
  return {
    name,
    unit,
    spread: { p50: median, p95, p99, p999: null, max, count },
    figures: cpu === null ? [] : [{ name: 'cpu', value: cpu, unit }],
    targets: target === null ? [] : [target],
    note,
  }
}

const discountCode = 'THIRD_PARTY_LOYALTY'

export function inputOf(basket: Basket, venue: VenueFacts, stepsMax: number): CalculationInput {
  const member = { memberId: 'member-1', tier: 'gold', segments: ['newsletter'], balances: { stamps: 500 } }
  return { basket, member, venue, available: {}, discountCode, stepsMax }
}

export function effortOf({ seconds }: BenchSettings, samplesMin = 200) {
  return { warmupMs: seconds * 333, measureMs: seconds * 1000, samplesMin }
}
