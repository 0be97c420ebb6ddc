import type { Counter, Use } from './walk-counters.js'
import type { WalkLine } from './walk-ways.js'

/** What one offer can have of one of its lines, from every state that it can be in there. */
export interface Stop {
  /** Place of the line in the walk. */
  readonly place: number
  readonly stateCount: number
  readonly useCount: number
  /** Index of the use by way of the line. */
  readonly useOf: Int32Array
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
 * @param weigh   what a minor unit on a line of the ground counts
 */
export function trackOf(
  lines: readonly WalkLine[],
  { index, places }: { index: number; places: readonly number[] },
  { counter, weigh, movesMax }: { counter: Counter; weigh: (at: number) => number; movesMax: number },
): Track | null {
  const stops: Stop[] = []
  let states: Float64Array[] = [new Float64Array(counter.digits)]
  let moves = 0
  for (const [at, place] of places.entries()) {
    const line = lines[place]!
    const of = line.offers.indexOf(index)
    const { uses, useOf, gains } = usesOf(line, of, weigh(line.at))
    moves += states.length * uses.length
    if (moves > movesMax || states.length > statesMax) return null
    const isLast = at === places.length - 1
    const next = new Int32Array(states.length * uses.length).fill(-1)
    const worth = new Float64Array(next.length)
    const known = new Map<string | number, number>()
    const after: Float64Array[] = []
    const row = new Float64Array(counter.digits)
    const steps = uses.map((use) => ({ stop: at, standing: line.standings[of]!, use }))
    for (const [state, digits] of states.entries()) {
      for (const [use, step] of steps.entries()) {
        row.set(digits)
        const gain = counter.advance(row, 0, step)
        if (gain === Number.NEGATIVE_INFINITY || (isLast && !counter.isEnd(row, 0))) continue
        const move = state * uses.length + use
        worth[move] = gain
        next[move] = isLast ? 0 : numberOf(row, known, after)
      }
    }
    const units = Float64Array.from(uses, ({ bought, taken }) => taken.reduce((sum, each) => sum + each, bought))
    stops.push({ place, stateCount: states.length, useCount: uses.length, useOf, units, gains, next, worth })
    states = after
  }
  return { stops, moves }
}

function numberOf(row: Float64Array, known: Map<string | number, number>, states: Float64Array[]): number {
  const name = nameOf(row)
  let number = known.get(name)
  if (number === undefined) {
    number = states.push(row.slice()) - 1
    known.set(name, number)
  }
  return number
}

// As one number, while the digits are small.
function nameOf(row: Float64Array): string | number {
  let name = 0
  for (const digit of row) {
    name = name * digitSpan + digit
    if (digit < 0 || digit >= digitSpan || name > Number.MAX_SAFE_INTEGER) return row.join()
  }
  return name
}

/** Digits below this are named by a number. */
const digitSpan = 256

// The different uses of one offer on a line, and what each gains where nobody else has anything of it.
function usesOf({ ways, busy }: WalkLine, of: number, weight: number) {
  const uses: Use[] = []
  const known = new Map<Use, number>()
  const useOf = new Int32Array(ways.length)
  const most: number[] = []
  let idle = Number.NEGATIVE_INFINITY
  for (const [way, { uses: own, gain }] of ways.entries()) {
    const use = own[of]!
    let number = known.get(use)
    if (number === undefined) {
      number = uses.findIndex((each) => isSame(each, use))
      if (number === -1) {
        number = uses.push(use) - 1
        most.push(Number.NEGATIVE_INFINITY)
      }
      known.set(use, number)
    }
    useOf[way] = number
    const isOwn = isIdle(use)
    if (busy[way]! > Number(!isOwn)) continue
    most[number] = Math.max(most[number]!, gain)
    if (isOwn) idle = Math.max(idle, gain)
  }
  const gains = Float64Array.from(most, (gain) => (gain === Number.NEGATIVE_INFINITY ? 0 : (gain - idle) * weight))
  return { uses, useOf, gains }
}

function isSame(one: Use, other: Use): boolean {
  return (
    one.bought === other.bought &&
    one.amount === other.amount &&
    one.taken.every((units, component) => units === other.taken[component])
  )
}

function isIdle({ bought, taken }: Use): boolean {
  return bought === 0 && taken.every((units) => units === 0)
}
