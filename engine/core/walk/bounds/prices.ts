import { scratch } from '../../base/scratch.js'
import type { Stop, Track } from '../tracks.js'
import type { WalkLine } from '../ways.js'

/** Moves along tracks that take as long as one step: measured, about a microsecond. */
const movesPerStep = 250

/**
 * The Lagrangian relaxation of a component: every line is served by itself, every offer is applied by itself, and what an
 * offer has of a line need not agree with how the line is served. Multipliers charge the offer for each use of a line
 * and pay the line for it. Whatever they are, no plans gain more than lines and offers together; and from each state of
 * each offer it is known what it can still come to, so that a walk leaves out what cannot come up to the best.
 *
 * All multipliers are 0 at first; `Charges` improves them.
 */
export class Prices {
  /** No plans gain more. */
  bound: number
  /** What setting out took. */
  readonly steps: number
  /** What each offer can still come to, by track, stop and state; behind the last stop one state with 0. */
  readonly ahead: readonly (readonly Float64Array[])[]
  /** The multipliers: what each offer is charged for what it has, by track, stop and use. */
  readonly charges: readonly (readonly Float64Array[])[]
  /** What the lines from a place on can come to at most, beside the offers. */
  readonly restAhead: Float64Array
  /** By place and way: what a way gains beside what its uses gain alone. */
  readonly rests: readonly Float64Array[]
  /** By place: the ways that are open. */
  readonly open: Int32Array[]

  /** @param allowance  what sums of doubles may be short of */
  constructor(
    lines: readonly WalkLine[],
    tracks: readonly Track[],
    readonly allowance: number,
  ) {
    this.restAhead = scratch.takeDoubles(lines.length + 1)
    this.ahead = tracks.map(({ stops }) => {
      const ahead = stops.map(({ stateCount }) => scratch.takeDoubles(stateCount))
      ahead.push(scratch.takeDoubles(1))
      return ahead
    })
    this.charges = tracks.map(({ stops }) => stops.map(({ useCount }) => scratch.takeDoubles(useCount)))
    this.rests = lines.map((line) => gainsOf(line))
    for (const { stops } of tracks) {
      for (const { place, useOf, gains } of stops) {
        for (let way = 0; way < useOf.length; way++) this.rests[place]![way]! -= gains[useOf[way]!]!
      }
    }
    this.open = lines.map(({ gains }) => allOf(gains.length))
    let looks = this.open.reduce((sum, own) => sum + own.length, 0)
    for (const { moves } of tracks) looks += moves
    this.steps = 1 + Math.ceil(looks / movesPerStep)
    this.bound = this.relaxed(tracks) + allowance
  }

  // What lines and offers come to together where nothing is charged.
  private relaxed(tracks: readonly Track[]): number {
    let sum = 0
    for (let place = this.rests.length - 1; place >= 0; place--) {
      sum += this.rests[place]!.reduce((most, rest) => Math.max(most, rest), Number.NEGATIVE_INFINITY)
      this.restAhead[place] = sum
    }
    for (const [index, track] of tracks.entries()) {
      lookAhead(track, this.ahead[index]!)
      sum += this.ahead[index]![0]![0]!
    }
    return sum
  }
}

// What an offer can still come to where nothing has a price yet.
function lookAhead({ stops }: Track, ahead: readonly Float64Array[]): void {
  for (let at = stops.length - 1; at >= 0; at--) {
    const { stateCount, useCount, next, worth, gains } = stops[at]!
    const [here, later] = [ahead[at]!, ahead[at + 1]!]
    for (let state = 0, move = 0; state < stateCount; state++) {
      let most = Number.NEGATIVE_INFINITY
      for (let use = 0; use < useCount; use++, move++) {
        if (next[move]! < 0) continue
        const all = gains[use]! + worth[move]! + later[next[move]!]!
        if (all > most) most = all
      }
      here[state] = most
    }
  }
}

/** What each way of a line gains. */
export function gainsOf({ gains }: WalkLine): Float64Array {
  const own = scratch.takeDoubles(gains.length)
  for (let way = 0; way < gains.length; way++) own[way] = gains[way]!
  return own
}

function allOf(count: number): Int32Array {
  const all = scratch.takeIntegers(count)
  for (let each = 0; each < count; each++) all[each] = each
  return all
}

/** The moves of a stop that are open, one by one. */
export interface Moves {
  readonly from: Int32Array
  readonly use: Int32Array
  readonly to: Int32Array
  readonly gain: Float64Array
}

export function movesOf({ stateCount, useCount, next, worth, gains }: Stop): Moves {
  const count = openMoves({ next })
  const [from, use, to] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)]
  const gain = new Float64Array(count)
  let at = 0
  for (let state = 0, move = 0; state < stateCount; state++) {
    for (let each = 0; each < useCount; each++, move++) {
      if (next[move]! < 0) continue
      from[at] = state
      use[at] = each
      to[at] = next[move]!
      gain[at++] = gains[each]! + worth[move]!
    }
  }
  return { from, use, to, gain }
}

function openMoves({ next }: Pick<Stop, 'next'>): number {
  let count = 0
  for (let move = 0; move < next.length; move++) if (next[move]! >= 0) count++
  return count
}
