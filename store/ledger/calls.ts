/** Asks for a change that is made once, however often it is asked for. */
export interface Command {
  /** UUID; the same one for a repeated attempt. */
  readonly requestId: string
  /** SHA-256 of what is asked for: the same request id with another one is a conflict. */
  readonly digest: Uint8Array
  /** Such as `MemberService/BlockMember`. */
  readonly call: string
  readonly actor: string
  /** Why, for the audit record; at most 128 characters. Absent or empty: nothing is stored. */
  readonly reason?: string
}

/** The request id was used for another change: nothing was done. */
export type CommandConflict = { readonly kind: 'request_id_conflict' }

/** Calculations or sales that one list looks at: some 100 ms. */
export const lookedMax = 20_000

/** Which rows of a list: the cursor of the last one that was seen, null at the beginning, and how many at most. */
export interface Rows<Cursor> {
  readonly after: Cursor | null
  readonly limit: number
}
