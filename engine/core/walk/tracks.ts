import { scratch } from '../base/scratch.js'
import type { Counter, Step, Use } from './counters.js'
import { Layer } from './layer.js'
import type { WalkLine } from './ways.js'

/** What one offer can have of one of its lines, from every state that it can be in there. */
export interface Stop {
  /** Place of the line in the walk. */
  readonly place: number
  readonly stateCount: number
  readonly useCount: number
  /** Index of the use by way of the line. */
  readonly useOf: readonly number[]
  /** Units of the line, by use. */
  readonly units: Float64Array
  /** What the line gains by a use alone over no use of anybody, weighed. */
  readonly gains: Float64Array
  /** By state and use: the state at the next stop, 0 behind the last one; -1 where no end can be reached. */
  readonly next: Int32Array
  /** By state and use: the gain that comes with it. */
  readonly worth: Float64Array
}

/** All that one offer can have of its lines, one after the other: its counter, written out. */
export interface Track {
  readonly stops: readonly Stop[]
  /** Moves from a state by a use, of all stops. */
  readonly moves: number
}

/** States of one offer at one line above which no track is laid. */
const statesMax = 4000

/**
 * Lays the track of an offer; null where it has too many states or moves.
 *
 * @param places  of its lines in the walk, ascending
 * @param index   of the offer in the ground
 */
export function trackOf(
  lines: readonly WalkLine[],
  { index, places }: { index: number; places: readonly number[] },
  { counter, movesMax }: { counter: Counter; movesMax: number },
): Track | null {
  const stops: Stop[] = []
  let [states, after] = layers
  states.reset(counter.digits)
  const row = scratch.takeDoubles(counter.digits)
  states.numberOf(row)
  let moves = 0
  for (let stop = 0; stop < places.length; stop++) {
    const place = places[stop]!
    const line = lines[place]!
    const of = line.offers.indexOf(index)
    const uses = line.uses[of]!
    const gains = gainsOf(line, of)
    moves += states.count * uses.length
    if (moves > movesMax || states.count > statesMax) return null
    const isLast = stop === places.length - 1
    const steps = uses.map((use) => ({ stop, standing: line.standings[of]!, use }))
    const { next, worth } = pass(counter, steps, { row, states, after: isLast ? null : after })
    const units = scratch.takeDoubles(uses.length)
    for (let use = 0; use < uses.length; use++) units[use] = unitsOf(uses[use]!)
    stops.push({
      place,
      stateCount: states.count,
      useCount: uses.length,
      useOf: line.useOf[of]!,
      units,
      gains,
      next,
      worth,
    })
    ;[states, after] = [after, states]
  }
  return { stops, moves }
}

/** The states of an offer at one of its lines, and at the next. */
const layers: readonly [Layer, Layer] = [new Layer(), new Layer()]

// Moves all states past a line, to those behind it; null: behind the last line.
function pass(
  counter: Counter,
  steps: readonly Step[],
  { row, states, after }: { row: Float64Array; states: Layer; after: Layer | null },
): Pick<Stop, 'next' | 'worth'> {
  const { digits } = counter
  const next = scratch.takeIntegers(states.count * steps.length).fill(-1)
  const worth = scratch.takeDoubles(next.length)
  after?.reset(digits)
  for (let state = 0, move = 0; state < states.count; state++) {
    for (let use = 0; use < steps.length; use++, move++) {
      for (let digit = 0; digit < digits; digit++) row[digit] = states.rows[state * digits + digit]!
      const gain = counter.advance(row, 0, steps[use]!)
      if (gain === Number.NEGATIVE_INFINITY || (after === null && !counter.isEnd(row, 0))) continue
      worth[move] = gain
      next[move] = after === null ? 0 : after.numberOf(row)
    }
  }
  return { next, worth }
}

function unitsOf({ bought, taken }: Use): number {
  let units = bought
  for (let component = 0; component < taken.length; component++) units += taken[component]!
  return units
}

// What a line gains by each use of an offer where nobody else has anything of it.
function gainsOf({ uses, useOf, gains, busy }: WalkLine, of: number): Float64Array {
  const own = uses[of]!
  const numbers = useOf[of]!
  const idle = own.map(isIdle)
  const most = scratch.takeDoubles(own.length).fill(Number.NEGATIVE_INFINITY)
  let least = Number.NEGATIVE_INFINITY
  for (let way = 0; way < numbers.length; way++) {
    const use = numbers[way]!
    if (busy[way]! > (idle[use]! ? 0 : 1)) continue
    const gain = gains[way]!
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
