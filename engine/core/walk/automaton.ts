import { statesMax } from '../base/costs.js'
import { scratch } from '../base/scratch.js'
import type { WalkLine } from './assignments.js'
import { Layer } from './layer.js'
import type { LineUse, StateMachine, Use } from './state-machines.js'

export interface TransitionTable {
  readonly stage: number
  readonly stateCount: number
  readonly useCount: number
  readonly useOf: readonly number[]
  readonly gains: Float64Array
  readonly next: Int32Array
  readonly worth: Float64Array
}

export interface Automaton {
  readonly tables: readonly TransitionTable[]
  readonly transitionCount: number
}

/**
 * The automaton of an offer, with the transitions made; `tables` is null if it is too large.
 *
 * @param stages  of its lines in the walk, ascending
 * @param index   of the offer in the instance
 */
export function automatonOf(
  lines: readonly WalkLine[],
  { index, stages }: { index: number; stages: readonly number[] },
  { machine, transitionsMax }: { machine: StateMachine; transitionsMax: number },
): Pick<Automaton, 'transitionCount'> & { readonly tables: Automaton['tables'] | null } {
  const tables: TransitionTable[] = []
  let [states, after] = layers
  states.reset(machine.digits)
  const row = scratch.takeDoubles(machine.digits)
  states.numberOf(row)
  let transitionCount = 0
  for (let lineNumber = 0; lineNumber < stages.length; lineNumber++) {
    const stage = stages[lineNumber]!
    const line = lines[stage]!
    const of = line.offers.indexOf(index)
    const uses = line.uses[of]!
    const gains = gainsOf(line, of)
    const own = states.count * uses.length
    if (transitionCount + own > transitionsMax || states.count > statesMax) return { tables: null, transitionCount }
    transitionCount += own
    const isLast = lineNumber === stages.length - 1
    const lineUses = uses.map((use) => ({ lineNumber, eligibility: line.eligibilities[of]!, use }))
    const { next, worth } = expand(machine, lineUses, { row, states, after: isLast ? null : after })
    tables.push({
      stage,
      stateCount: states.count,
      useCount: uses.length,
      useOf: line.useOf[of]!,
      gains,
      next,
      worth,
    })
    ;[states, after] = [after, states]
  }
  return { tables, transitionCount }
}

const layers: readonly [Layer, Layer] = [new Layer(), new Layer()]

function expand(
  machine: StateMachine,
  lineUses: readonly LineUse[],
  { row, states, after }: { row: Float64Array; states: Layer; after: Layer | null },
): Pick<TransitionTable, 'next' | 'worth'> {
  const { digits } = machine
  const next = scratch.takeIntegers(states.count * lineUses.length).fill(-1)
  const worth = scratch.takeDoubles(next.length)
  after?.reset(digits)
  for (let state = 0, transition = 0; state < states.count; state++) {
    for (let use = 0; use < lineUses.length; use++, transition++) {
      for (let digit = 0; digit < digits; digit++) row[digit] = states.rows[state * digits + digit]!
      const gain = machine.advance(row, 0, lineUses[use]!)
      if (gain === Number.NEGATIVE_INFINITY || (after === null && !machine.isEnd(row, 0))) continue
      worth[transition] = gain
      next[transition] = after === null ? 0 : after.numberOf(row)
    }
  }
  return { next, worth }
}

// If no other offer has units of the line.
function gainsOf({ uses, useOf, gains, busy }: WalkLine, of: number): Float64Array {
  const own = uses[of]!
  const numbers = useOf[of]!
  const idle = own.map(isIdle)
  const most = scratch.takeDoubles(own.length).fill(Number.NEGATIVE_INFINITY)
  let least = Number.NEGATIVE_INFINITY
  for (let assignment = 0; assignment < numbers.length; assignment++) {
    const use = numbers[assignment]!
    if (busy[assignment]! > (idle[use]! ? 0 : 1)) continue
    const gain = gains[assignment]!
    if (gain > most[use]!) most[use] = gain
    if (idle[use]! && gain > least) least = gain
  }
  for (let use = 0; use < own.length; use++) {
    most[use] = most[use] === Number.NEGATIVE_INFINITY ? 0 : most[use]! - least
  }
  return most
}

function isIdle({ bought, taken }: Use): boolean {
  return bought === 0 && taken.every((units) => units === 0)
}

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
