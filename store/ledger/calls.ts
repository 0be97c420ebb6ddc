/** A change that is made once, however often it is requested. */
export interface Command {
  /** UUID; the same one for a repeated attempt. */
  readonly requestId: string
  /** SHA-256 of the change: the same request id with another one is a conflict. */
  readonly digest: Uint8Array
  /** Such as `MemberService/BlockMember`. */
  readonly call: string
  readonly actor: string
  /** The reason, for the audit record. Absent or empty: nothing is stored. */
  readonly reason?: string
}

/** The request id was used for another change: nothing was done. */
export type CommandConflict = { readonly kind: 'request_id_conflict' }

/** Calculations or sales that one list looks at: some 100 ms. */
export const lookedMax = 20_000

/** The rows of a list to return: after a cursor, null at the beginning, and their maximum number. */
export interface Rows<Cursor> {
  readonly after: Cursor | null
  readonly limit: number
}
