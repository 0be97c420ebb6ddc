/** A programme that is not in force and is looked at: a draft, or a proposal. */
export interface Subject {
  /** Under which name what is typed about it survives a reload. */
  readonly key: string
  /** JSON. */
  readonly document: string
  /** The version that it was begun with; 0: none was published. */
  readonly baseVersion: number
}
