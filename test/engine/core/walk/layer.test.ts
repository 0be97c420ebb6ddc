import t from 'tap'
import { hashOfRow, Layer } from '../../../../engine/core/walk/layer.js'
import { narrowLayer } from '../../../../engine/core/walk/narrow.js'
import { Trail } from '../../../../engine/core/walk/trail.js'
import { type Passing, Tries } from '../../../../engine/core/walk/tries.js'
import { Dice } from '../../../support/dice.js'

await t.test('a layer keeps the greatest gain of each row, however many there are', async (t) => {
  const dice = new Dice(7)
  const layer = new Layer()
  for (const width of [3, 1, 5]) {
    layer.reset(width)
    const known = new Map<string, number>()
    for (let at = 0; at < 3000; at++) {
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

await t.test('of a layer those with the best bounds are retained, and the best with as much begun', async (t) => {
  const dice = new Dice(8)
  const fields = [0, 1, 2].map((column) => ({ column, shift: 0, mask: 3 }))
  for (let drawn = 0; drawn < 200; drawn++) {
    const layer = new Layer()
    layer.reset(4)
    const most = 2 + dice.below(6)
    for (let at = 0; at < 120; at++) {
      const row = Float64Array.from({ length: 4 }, (_, column) => (column === 3 ? at : dice.below(3)))
      const put = layer.put(row, hashOfRow(row, 4), dice.below(most))
      layer.aheads[put] = dice.below(most) / 2
      layer.trails[put] = at
    }
    const statesKept = 1 + dice.below(100)
    const states = Array.from({ length: layer.count }, (_, state) => ({
      trail: layer.trails[state]!,
      reach: layer.gains[state]! + layer.aheads[state]!,
      begun: layer.rows.slice(state * 4, state * 4 + 3).filter((value) => value !== 0).length,
    }))
    const best = (of: typeof states, count: number) =>
      [...of].sort((a, b) => b.reach - a.reach || a.trail - b.trail).slice(0, count)
    const kept = new Set(best(states, Math.ceil(statesKept / 2)))
    const others = [0, 1, 2, 3].map((count) => states.filter((each) => !kept.has(each) && each.begun === count))
    const groups = others.filter(({ length }) => length > 0)
    for (const group of groups)
      for (const each of best(group, Math.ceil(statesKept / 2 / groups.length))) kept.add(each)
    const leftOut = states.filter((each) => !kept.has(each)).map(({ reach }) => reach)
    t.equal(narrowLayer(layer, statesKept, fields), Math.max(Number.NEGATIVE_INFINITY, ...leftOut))
    const wanted = states.filter((each) => kept.has(each)).map(({ trail }) => trail)
    t.same([...layer.trails.subarray(0, layer.count)], wanted)
  }
})

await t.test('a trail numbers all its steps, and forgets them', async (t) => {
  const trail = new Trail()
  for (let time = 0; time < 2; time++) {
    trail.reset()
    for (let at = 0; at < 5000; at++) t.equal(trail.add(at - 1, at % 7), at)
    t.same([trail.befores[4999], trail.taken[4999], trail.befores[0]], [4998, 4999 % 7, -1])
  }
})

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0)

/** Two offers to a column, of 5 bits each. */
function rowOf(states: readonly number[]): Float64Array {
  const row = new Float64Array(2)
  for (const [offer, state] of states.entries()) row[offer >> 1]! += state << (5 * (offer & 1))
  return row
}

/** Allocations over some offers, in any order, with states whose moves are open or not. */
function drawCrossing(dice: Dice) {
  const offers = 1 + dice.below(4)
  const ways = Array.from({ length: 1 + dice.below(30) }, () => Array.from({ length: offers }, () => dice.below(3)))
  if (dice.below(2) === 0) ways.sort((a, b) => Number(a.join('')) - Number(b.join('')))
  const passings = Array.from({ length: offers }, (_, offer): Passing => {
    const drawn = (count: number, most: number) => Float64Array.from({ length: count }, () => dice.below(most))
    const next = Int32Array.from({ length: 12 }, () => (dice.below(4) === 0 ? -1 : dice.below(4)))
    const stop = {
      place: 0,
      stateCount: 4,
      useCount: 3,
      useOf: ways.map((way) => way[offer]!),
      units: drawn(3, 3),
      gains: drawn(3, 4),
      next,
      worth: drawn(12, 4),
    }
    const [after, charges] = [drawn(4, 9), drawn(3, 5)]
    // The maximum of an offer before the line, so that no lack is negative.
    const before = Float64Array.from({ length: 4 }, (_, state) =>
      [0, 1, 2].reduce((most, use) => {
        const to = next[state * 3 + use]!
        const all = to < 0 ? 0 : stop.gains[use]! + stop.worth[state * 3 + use]! + after[to]! - charges[use]!
        return Math.max(most, all)
      }, 0),
    )
    return { stop, field: { column: offer >> 1, shift: 5 * (offer & 1), mask: 31 }, before, after, charges }
  })
  const rests = Float64Array.from(ways, () => dice.below(4))
  const chargesOf = (way: number) => passings.reduce((sum, { charges }, of) => sum + charges[ways[way]![of]!]!, 0)
  const most = Math.max(...ways.map((_, way) => rests[way]! + chargesOf(way)))
  return { passings, ways: Int32Array.from(ways, (_, way) => way), rests, most }
}

await t.test('a state continues by exactly the allocations that lack no more than they may', async (t) => {
  const dice = new Dice(9)
  const tries = new Tries()
  for (let drawn = 0; drawn < 400; drawn++) {
    const crossing = drawCrossing(dice)
    const { passings, ways, rests, most } = crossing
    tries.reset(crossing)
    const states = passings.map(() => dice.below(4))
    const row = rowOf(states)
    for (const spare of [0, 3, 9, 30]) {
      const wanted = [...ways].filter((way) => {
        let all = rests[way]! - most
        for (const [of, { stop, before, after }] of passings.entries()) {
          const move = states[of]! * 3 + stop.useOf[way]!
          if (stop.next[move]! < 0) return false
          all += stop.gains[stop.useOf[way]!]! + stop.worth[move]! + after[stop.next[move]!]! - before[states[of]!]!
        }
        return -all <= spare
      })
      const found = tries.find(row, 0, spare)
      t.same([...tries.found.subarray(0, found)], wanted)
      for (const way of wanted) {
        const moves = passings.map(({ stop }, of) => states[of]! * 3 + stop.useOf[way]!)
        const next = passings.map(({ stop }, of) => stop.next[moves[of]!]!)
        const reached = rowOf(states)
        tries.go(way, reached)
        t.same(reached, rowOf(next))
        t.equal(tries.gain, sumOf(passings.map(({ stop }, of) => stop.worth[moves[of]!]!)))
        t.equal(tries.ahead, sumOf(passings.map(({ before, after }, of) => after[next[of]!]! - before[states[of]!]!)))
      }
    }
  }
})
