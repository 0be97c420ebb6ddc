/** How a file stands that is read again and again. */
export interface FileState {
  /** Seconds since it was last seen to hold what is in use. */
  readonly goodAgeS: number
  /** Why its present content does not count, one of a small fixed set of words; null: it does. */
  readonly fault: string | null
}
