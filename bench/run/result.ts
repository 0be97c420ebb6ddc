export interface Target {
  readonly text: string
  readonly met: boolean
}

/** Target of every load, shown when missed: the generator sent its requests on time. */
export const onTime = 'generator on time'

/** A number besides the percentiles. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
}

export interface ResultSpread {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** null: too few samples, or not measured. */
  readonly p999: number | null
  readonly max: number
  readonly count: number
}

/** One row of a table below a result; all rows have the same columns, named by the first row's cells. */
export interface TableRow {
  readonly name: string
  readonly cells: readonly Figure[]
}

export interface Result {
  /** A path: `gateway/basket/20`. */
  readonly name: string
  readonly unit: 'us' | 'ms' | 'MB'
  readonly spread: ResultSpread
  readonly figures: readonly Figure[]
  readonly targets: readonly Target[]
  readonly note: string
  readonly table?: readonly TableRow[]
}

/** True when every target is met, or there is none. */
export function isMet({ targets }: Result): boolean {
  return targets.every(({ met }) => met)
}

/** The conditions of a run, needed to read its figures. */
export interface About {
  readonly seed: number
  readonly commit: string
  readonly node: string
  readonly processor: string
  readonly cores: number
}
