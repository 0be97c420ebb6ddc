import t from 'tap'
import { narrowToBeam } from '../../../../engine/core/walk/beam.js'
import { Backpointers, hashOfRow, Layer } from '../../../../engine/core/walk/layer.js'
import { type OfferStage, Successors } from '../../../../engine/core/walk/successors.js'
import { Dice } from '../../../support/dice.js'

await t.test('a layer keeps the greatest gain of each row, however many there are', async (t) => {
  const dice = new Dice(7)
  const layer = new Layer()
  for (const width of [3, 1, 5]) {
    layer.reset(width)
    const known = new Map<string, number>()
    for (let at = 0; at < 800; at++) {
      const row = Float64Array.from({ length: width }, () => dice.below(9) * (dice.below(5) === 0 ? 2 ** 33 : 1))
      const gain = dice.below(100)
      const isBetter = gain > (known.get(row.join()) ?? Number.NEGATIVE_INFINITY)
      const put = layer.put(row, hashOfRow(row, width), gain)
      t.equal(put >= 0, isBetter)
      t.equal(layer.numberOf(row), isBetter ? put : layer.numberOf(row))
      if (isBetter) known.set(row.join(), gain)
    }
    t.equal(layer.count, known.size)
    for (let state = 0; state < layer.count; state++) {
      const row = layer.rows.slice(state * width, (state + 1) * width)
      t.equal(layer.gains[state], known.get(row.join()))
      t.equal(layer.hashes[state], hashOfRow(row, width))
    }
  }
})

await t.test('of a layer those with the best bounds are retained, on a tie the first', async (t) => {
  const dice = new Dice(8)
  for (let drawn = 0; drawn < 200; drawn++) {
    const layer = new Layer()
    layer.reset(4)
    const most = 2 + dice.below(6)
    for (let at = 0; at < 120; at++) {
      const row = Float64Array.from({ length: 4 }, (_, column) => (column === 3 ? at : dice.below(3)))
      const put = layer.put(row, hashOfRow(row, 4), dice.below(most))
      layer.aheads[put] = dice.below(most) / 2
      layer.backpointers[put] = at
    }
    const statesKept = 1 + dice.below(layer.count - 1)
    const states = Array.from({ length: layer.count }, (_, state) => ({
      backpointers: layer.backpointers[state]!,
      reach: layer.gains[state]! + layer.aheads[state]!,
    }))
    const byReach = states.toSorted((a, b) => b.reach - a.reach || a.backpointers - b.backpointers)
    const kept = new Set(byReach.slice(0, statesKept))
    const leftOut = states.filter((each) => !kept.has(each)).map(({ reach }) => reach)
    t.equal(narrowToBeam(layer, statesKept), Math.max(Number.NEGATIVE_INFINITY, ...leftOut))
    const wanted = states.filter((each) => kept.has(each)).map(({ backpointers }) => backpointers)
    t.same([...layer.backpointers.subarray(0, layer.count)], wanted)
  }
})

await t.test('backpointers number all steps, and forget them', async (t) => {
  const backpointers = new Backpointers()
  for (let time = 0; time < 2; time++) {
    backpointers.reset()
    for (let at = 0; at < 1500; at++) t.equal(backpointers.add(at - 1, at % 7), at)
    t.same([backpointers.befores[1499], backpointers.taken[1499], backpointers.befores[0]], [1498, 1499 % 7, -1])
  }
})

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0)

/** Two offers to a column, of 5 bits each. */
function rowOf(states: readonly number[]): Float64Array {
  const row = new Float64Array(2)
  for (const [offer, state] of states.entries()) row[offer >> 1]! += state << (5 * (offer & 1))
  return row
}

/** Assignments over some offers, in any order, with states whose transitions are open or not. */
function drawLineStage(dice: Dice) {
  const offers = 1 + dice.below(4)
  const assignments = Array.from({ length: 1 + dice.below(30) }, () =>
    Array.from({ length: offers }, () => dice.below(3)),
  )
  if (dice.below(2) === 0) assignments.sort((a, b) => Number(a.join('')) - Number(b.join('')))
  const offerStages = Array.from({ length: offers }, (_, offer): OfferStage => {
    const drawn = (count: number, most: number) => Float64Array.from({ length: count }, () => dice.below(most))
    const next = Int32Array.from({ length: 12 }, () => (dice.below(4) === 0 ? -1 : dice.below(4)))
    const table = {
      stage: 0,
      stateCount: 4,
      useCount: 3,
      useOf: assignments.map((assignment) => assignment[offer]!),
      gains: drawn(3, 4),
      next,
      worth: drawn(12, 4),
    }
    const [after, multipliers] = [drawn(4, 9), drawn(3, 5)]
    // The maximum of an offer before the line, so that no lack is negative.
    const before = Float64Array.from({ length: 4 }, (_, state) =>
      [0, 1, 2].reduce((most, use) => {
        const to = next[state * 3 + use]!
        const all = to < 0 ? 0 : table.gains[use]! + table.worth[state * 3 + use]! + after[to]! - multipliers[use]!
        return Math.max(most, all)
      }, 0),
    )
    return { table, bits: { column: offer >> 1, shift: 5 * (offer & 1), mask: 31 }, before, after, multipliers }
  })
  const residuals = Float64Array.from(assignments, () => dice.below(4))
  const paidFor = (assignment: number) =>
    offerStages.reduce((sum, { multipliers }, of) => sum + multipliers[assignments[assignment]![of]!]!, 0)
  const most = Math.max(...assignments.map((_, assignment) => residuals[assignment]! + paidFor(assignment)))
  return { offerStages, assignments: Int32Array.from(assignments, (_, assignment) => assignment), residuals, most }
}

await t.test('a state continues by exactly the assignments that lack no more than they may', async (t) => {
  const dice = new Dice(9)
  const successors = new Successors()
  for (let drawn = 0; drawn < 120; drawn++) {
    const lineStage = drawLineStage(dice)
    const { offerStages, assignments, residuals, most } = lineStage
    successors.reset(lineStage)
    const states = offerStages.map(() => dice.below(4))
    const row = rowOf(states)
    for (const spare of [0, 3, 9, 30]) {
      const wanted = [...assignments].filter((assignment) => {
        let all = residuals[assignment]! - most
        for (const [of, { table, before, after }] of offerStages.entries()) {
          const transition = states[of]! * 3 + table.useOf[assignment]!
          if (table.next[transition]! < 0) return false
          all +=
            table.gains[table.useOf[assignment]!]! +
            table.worth[transition]! +
            after[table.next[transition]!]! -
            before[states[of]!]!
        }
        return -all <= spare
      })
      const found = successors.find(row, 0, spare)
      t.same([...successors.found.subarray(0, found)], wanted)
      for (const assignment of wanted) {
        const transitions = offerStages.map(({ table }, of) => states[of]! * 3 + table.useOf[assignment]!)
        const next = offerStages.map(({ table }, of) => table.next[transitions[of]!]!)
        const reached = rowOf(states)
        successors.go(assignment, reached)
        t.same(reached, rowOf(next))
        t.equal(successors.gain, sumOf(offerStages.map(({ table }, of) => table.worth[transitions[of]!]!)))
        t.equal(
          successors.ahead,
          sumOf(offerStages.map(({ before, after }, of) => after[next[of]!]! - before[states[of]!]!)),
        )
      }
    }
  }
})
