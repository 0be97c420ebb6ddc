import { nanos, stepsOf } from '../../base/costs.js'
import { scratch } from '../../base/scratch.js'
import type { WalkLine } from '../assignments.js'
import type { Automaton, TransitionTable } from '../automaton.js'

/**
 * Lagrangian relaxation of a component: each line and each offer is optimised by itself. For each use the offer pays a
 * multiplier, which the line receives. For any multipliers their sum bounds all plans, and `ahead` bounds the rest after
 * a state. Multipliers start at 0; `DualAscent` improves them.
 */
export class LagrangianBound {
  bound: number
  readonly steps: number
  readonly ahead: readonly (readonly Float64Array[])[]
  readonly multipliers: readonly (readonly Float64Array[])[]
  readonly linesAhead: Float64Array
  readonly residuals: readonly Float64Array[]
  readonly open: Int32Array[]

  constructor(
    lines: readonly WalkLine[],
    automata: readonly Automaton[],
    readonly allowance: number,
  ) {
    this.linesAhead = scratch.takeDoubles(lines.length + 1)
    this.ahead = automata.map(({ tables }) => {
      const ahead = tables.map(({ stateCount }) => scratch.takeDoubles(stateCount))
      ahead.push(scratch.takeDoubles(1))
      return ahead
    })
    this.multipliers = automata.map(({ tables }) => tables.map(({ useCount }) => scratch.takeDoubles(useCount)))
    this.residuals = lines.map((line) => gainsOf(line))
    for (const { tables } of automata) {
      for (const { stage, useOf, gains } of tables) {
        for (let assignment = 0; assignment < useOf.length; assignment++)
          this.residuals[stage]![assignment]! -= gains[useOf[assignment]!]!
      }
    }
    this.open = lines.map(({ gains }) => allOf(gains.length))
    let looks = this.open.reduce((sum, own) => sum + own.length, 0)
    for (const { transitionCount } of automata) looks += transitionCount
    this.steps = 1 + Math.ceil(stepsOf(looks * nanos.look))
    this.bound = this.relaxed(automata) + allowance
  }

  // With all multipliers 0.
  private relaxed(automata: readonly Automaton[]): number {
    let sum = 0
    for (let stage = this.residuals.length - 1; stage >= 0; stage--) {
      sum += this.residuals[stage]!.reduce((most, residual) => Math.max(most, residual), Number.NEGATIVE_INFINITY)
      this.linesAhead[stage] = sum
    }
    for (const [index, automaton] of automata.entries()) {
      boundAhead(automaton, this.ahead[index]!)
      sum += this.ahead[index]![0]![0]!
    }
    return sum
  }
}

function boundAhead({ tables }: Automaton, ahead: readonly Float64Array[]): void {
  for (let at = tables.length - 1; at >= 0; at--) {
    const { stateCount, useCount, next, worth, gains } = tables[at]!
    const [here, later] = [ahead[at]!, ahead[at + 1]!]
    for (let state = 0, transition = 0; state < stateCount; state++) {
      let most = Number.NEGATIVE_INFINITY
      for (let use = 0; use < useCount; use++, transition++) {
        if (next[transition]! < 0) continue
        const all = gains[use]! + worth[transition]! + later[next[transition]!]!
        if (all > most) most = all
      }
      here[state] = most
    }
  }
}

export function gainsOf({ gains }: WalkLine): Float64Array {
  const own = scratch.takeDoubles(gains.length)
  for (let assignment = 0; assignment < gains.length; assignment++) own[assignment] = gains[assignment]!
  return own
}

function allOf(count: number): Int32Array {
  const all = scratch.takeIntegers(count)
  for (let each = 0; each < count; each++) all[each] = each
  return all
}

export interface Transitions {
  readonly from: Int32Array
  readonly use: Int32Array
  readonly to: Int32Array
  readonly gain: Float64Array
}

export function transitionsOf({ stateCount, useCount, next, worth, gains }: TransitionTable): Transitions {
  const count = countOpen({ next })
  const [from, use, to] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)]
  const gain = new Float64Array(count)
  let at = 0
  for (let state = 0, transition = 0; state < stateCount; state++) {
    for (let each = 0; each < useCount; each++, transition++) {
      if (next[transition]! < 0) continue
      from[at] = state
      use[at] = each
      to[at] = next[transition]!
      gain[at++] = gains[each]! + worth[transition]!
    }
  }
  return { from, use, to, gain }
}

function countOpen({ next }: Pick<TransitionTable, 'next'>): number {
  let count = 0
  for (let transition = 0; transition < next.length; transition++) if (next[transition]! >= 0) count++
  return count
}
