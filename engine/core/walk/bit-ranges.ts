import type { Automaton } from './automaton.js'

export interface BitRange {
  readonly column: number
  readonly shift: number
  readonly mask: number
}

/** Bits of a column: bitwise operations are to take it for a number of 32 bits that is not below 0. */
const columnBits = 31

/** Packs the states of all offers into few columns: rows are quick to copy, hash and compare. */
export function bitRangesOf(automata: readonly Automaton[]): {
  readonly bitRanges: readonly BitRange[]
  readonly columns: number
} {
  let [column, shift] = [0, 0]
  const bitRanges = automata.map(({ tables }): BitRange => {
    const states = tables.reduce((most, { stateCount }) => Math.max(most, stateCount), 1)
    const width = 32 - Math.clz32(states - 1)
    if (shift + width > columnBits) [column, shift] = [column + 1, 0]
    const bits = { column, shift, mask: (1 << width) - 1 }
    shift += width
    return bits
  })
  return { bitRanges, columns: column + 1 }
}
