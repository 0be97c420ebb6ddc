import type { Basket, VenueFacts } from '../../engine/core/base/basket.js'
import type { CalculationInput } from '../../engine/core/base/input.js'
import type { Spread } from './measure.js'

export interface EngineSettings {
  readonly seed: number
  /** Search budget in steps. */
  readonly stepsMax: number
  readonly baskets: number
  /** Counted seconds of each timed case; a third of that precedes as warm-up. */
  readonly seconds: number
}

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

export interface EngineCase {
  readonly name: string
  run(settings: EngineSettings): Iterable<Row> | AsyncIterable<Row>
}

const discountCode = 'THIRD_PARTY_LOYALTY'

export function inputOf(basket: Basket, venue: VenueFacts, stepsMax: number): CalculationInput {
  const member = { memberId: 'member-1', tier: 'gold', segments: ['newsletter'], balances: { stamps: 500 } }
  return { basket, member, venue, available: {}, discountCode, stepsMax }
}

export function effortOf({ seconds }: EngineSettings, samplesMin = 200) {
  return { warmupMs: seconds * 333, measureMs: seconds * 1000, samplesMin }
}
