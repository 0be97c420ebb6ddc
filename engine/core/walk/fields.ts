import type { Track } from './tracks.js'

/** Where the state of an offer stands in the rows of a walk. */
export interface Field {
  readonly column: number
  readonly shift: number
  readonly mask: number
}

/** Bits of a column: bitwise operations are to take it for a number of 32 bits that is not below 0. */
const columnBits = 31

/** Finds room for the states of all offers, several to a column: rows are short to copy, to hash and to compare. */
export function fieldsOf(tracks: readonly Track[]): { readonly fields: readonly Field[]; readonly columns: number } {
  let [column, shift] = [0, 0]
  const fields = tracks.map(({ stops }): Field => {
    const states = stops.reduce((most, { stateCount }) => Math.max(most, stateCount), 1)
    const bits = 32 - Math.clz32(states - 1)
    if (shift + bits > columnBits) [column, shift] = [column + 1, 0]
    const field = { column, shift, mask: (1 << bits) - 1 }
    shift += bits
    return field
  })
  return { fields, columns: column + 1 }
}

/** How many offers are not in their first state. */
export function begunIn(row: Float64Array, from: number, fields: readonly Field[]): number {
  let begun = 0
  for (let offer = 0; offer < fields.length; offer++) {
    const { column, shift, mask } = fields[offer]!
    if ((row[from + column]! >> shift) & mask) begun++
  }
  return begun
}
