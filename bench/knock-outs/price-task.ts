/** What a process is to price. */
export interface PriceTask {
  readonly baskets: number
  readonly seed: number
  readonly stepsMax: number
  /** By URL of a file: the text to load instead. */
  readonly replaced: ReadonlyMap<string, string>
}

export interface Answer {
  readonly optimal: boolean
  readonly value: number
  readonly steps: number
}

/** One list per family, in their order, and the processor time of all its pricings. */
export type Answers = readonly { readonly answers: readonly Answer[]; readonly usedMs: number }[]
