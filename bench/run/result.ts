import type { CurvePoint, Second } from '../load/tally.js'

/** What a figure is held against, and whether it is met. */
export interface Target {
  readonly text: string
  readonly met: boolean
}

/** Target of every result of a load, where it is missed: the generator sent its requests when they were due. */
export const onTime = 'generator on time'

/** A number beside the percentiles. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
}

export interface ResultSpread {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** null: too few samples, or a case that does not tell. */
  readonly p999: number | null
  readonly max: number
  readonly count: number
}

/** One step of a ladder. */
export interface LadderPoint {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly errors: number
  /** Whether the p99 stayed within the ladder's target, without errors and with a generator on time. */
  readonly held: boolean
  /** false: the generator could not keep its rate. */
  readonly generatorKept: boolean
}

/** What something costs by its size. */
export interface CostPoint {
  readonly size: number
  /** Processor time in microseconds. */
  readonly micros: number
}

/** One line of the report. */
export interface Result {
  /** A path: `gateway/basket/20`. */
  readonly name: string
  readonly unit: 'us' | 'ms' | 'MB' | 'steps'
  readonly spread: ResultSpread
  readonly figures: readonly Figure[]
  readonly targets: readonly Target[]
  readonly note: string
  readonly curve?: readonly CurvePoint[]
  readonly seconds?: readonly Second[]
  readonly ladder?: readonly LadderPoint[]
  /** What the sizes count is `costOf`. */
  readonly cost?: readonly CostPoint[]
  readonly costOf?: string
}

/** Whether all that a result is held against is met; a result without targets is there to be known. */
export function isMet({ targets }: Result): boolean {
  return targets.every(({ met }) => met)
}

/** What a figure is worth nothing without. */
export interface About {
  readonly seed: number
  readonly commit: string
  readonly node: string
  readonly processor: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  /** ISO 8601. */
  readonly startedAt: string
}

/** A whole run, as it is kept for the report. */
export interface Run {
  readonly about: About
  readonly results: readonly Result[]
}
