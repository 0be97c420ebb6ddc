import type { Automaton } from './automaton.js'
import type { LagrangianBound } from './bounds/lagrangian.js'

/**
 * The best assignments with one offer, by stage: a longest path through its automaton. With all multipliers 0 it
 * attains the bound.
 */
export function bestPath({ tables }: Automaton, { ahead, residuals }: LagrangianBound): Int32Array {
  const assignments = new Int32Array(tables.length)
  let state = 0
  for (const [at, { stage, useCount, useOf, gains, next, worth }] of tables.entries()) {
    const later = ahead[0]![at + 1]!
    let [most, chosen] = [Number.NEGATIVE_INFINITY, 0]
    for (let use = 0; use < useCount; use++) {
      const transition = state * useCount + use
      const gain =
        next[transition]! < 0 ? Number.NEGATIVE_INFINITY : gains[use]! + worth[transition]! + later[next[transition]!]!
      if (gain > most) [most, chosen] = [gain, use]
    }
    state = next[state * useCount + chosen]!
    let best = Number.NEGATIVE_INFINITY
    for (let assignment = 0; assignment < useOf.length; assignment++) {
      if (useOf[assignment] === chosen && residuals[stage]![assignment]! > best)
        [best, assignments[stage]] = [residuals[stage]![assignment]!, assignment]
    }
  }
  return assignments
}
