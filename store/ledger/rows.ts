/** Calculations or sales that one list looks at: some 100 ms. */
export const lookedMax = 20_000

/** Which rows of a list: the cursor of the last one that was seen, null at the beginning, and how many at most. */
export interface Rows<Cursor> {
  readonly after: Cursor | null
  readonly limit: number
}
