import type { Basket, VenueFacts } from '../../engine/core/basket.js'
import type { CalculationInput } from '../../engine/core/input.js'
import type { Spread } from './measure.js'

/** What every case is told. */
export interface EngineSettings {
  readonly seed: number
  /** Search budget in steps. */
  readonly stepsMax: number
  /** Baskets of `engine/search/realistic`. */
  readonly baskets: number
  /** Seconds that each timed case counts, after a third of it as warm-up. */
  readonly seconds: number
}

/** One line of the report. */
export interface Row {
  /** A path: `engine/price/20x100`. */
  readonly name: string
  readonly spread: Spread
  /** Of the spread. */
  readonly unit: 'us' | 'ms' | 'MB' | 'steps'
  /** What else is to be said, the target's own figure first where it is none of the spread. */
  readonly note: string
  /** What it is held against, and whether it is met; null: it is there to be known. */
  readonly target: { readonly text: string; readonly met: boolean } | null
}

/** Named work of the bench; a case may report several rows, under names that start with its own. */
export interface EngineCase {
  readonly name: string
  /** Rows as they come. */
  run(settings: EngineSettings): Iterable<Row> | AsyncIterable<Row>
}

const discountCode = 'THIRD_PARTY_LOYALTY'

/** What `calculate` takes for a basket of the bench. */
export function inputOf(basket: Basket, venue: VenueFacts, stepsMax: number): CalculationInput {
  const member = { memberId: 'member-1', tier: 'gold', segments: ['newsletter'] }
  return { basket, member, venue, available: {}, discountCode, stepsMax }
}

/** How long a timed case takes, by the seconds that were asked for. */
export function effortOf({ seconds }: EngineSettings, samplesMin = 200) {
  return { warmupMs: seconds * 333, measureMs: seconds * 1000, samplesMin }
}
