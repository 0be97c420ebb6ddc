export interface FileState {
  readonly goodAgeS: number
  /** The reason why its present content does not count, one of a small fixed set of words; null: it does. */
  readonly fault: string | null
}
