export interface Command {
  readonly requestId: string
  /** SHA-256 of the change: the same request id with another one is a conflict. */
  readonly digest: Uint8Array
  readonly call: string
  readonly actor: string
  /** The reason, for the audit record. Absent or empty: nothing is stored. */
  readonly reason?: string
}

export type CommandConflict = { readonly kind: 'request_id_conflict' }

/** Calculations or sales that one list looks at: some 100 ms. */
export const lookedMax = 20_000

export interface Rows<Cursor> {
  readonly after: Cursor | null
  readonly limit: number
}
