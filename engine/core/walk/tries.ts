import type { Field } from './fields.js'
import type { Stop } from './tracks.js'

/** What the walk needs of one offer of a line. */
export interface Passing {
  readonly stop: Stop
  /** Where the state of the offer stands in a row. */
  readonly field: Field
  /** What the offer can still come to, by state, before the line and after it. */
  readonly before: Float64Array
  readonly after: Float64Array
  /** What the offer is charged there, by use. */
  readonly charges: Float64Array
}

/** A line that is to be passed. */
export interface Crossing {
  /** One per offer of the line. */
  readonly passings: readonly Passing[]
  readonly ways: Int32Array
  /** By way: what it gains beside what its uses gain alone. */
  readonly rests: Float64Array
  /** What the line comes to at most. */
  readonly most: number
}

/**
 * Finds the ways of a line by which a state of the walk can go on, from one state after the other, and where they lead.
 * One serves all walks of a thread.
 *
 * What plans come to at most with a way is what they come to at most from the state on, less what each offer lacks with
 * its use of the line to what it comes to at most from there, and less what the line lacks with the way. None of that is
 * below 0, so a way is left as soon as what some lack is too much.
 */
export class Tries {
  /** Of the ways set out with, by number: those that the last state can go on by. */
  found = new Int32Array(0)
  /** Uses of offers looked at for the last state. */
  looks = 0
  /** What the way gone by last gains for the offers, and what they can still come to less than before. */
  gain = 0
  ahead = 0
  private passings: readonly Passing[] = []
  private ways: Int32Array = new Int32Array(0)
  /** By way, and by offer of the line: the use. */
  private uses = new Int32Array(0)
  /** By way: what the line lacks with it. */
  private lineLacks = new Float64Array(0)
  /** By offer of the line: where its moves stand below, those of the state it is in, and whether these are known. */
  private bases = new Int32Array(0)
  private own = new Int32Array(0)
  private known = new Uint8Array(0)
  private knownBases = new Int32Array(0)
  /** By move of an offer: what it lacks, what comes with it, what can still come to less, and how its column changes. */
  private lacks = new Float64Array(0)
  private worths = new Float64Array(0)
  private climbs = new Float64Array(0)
  private changes = new Int32Array(0)

  /** Sets out at a line. */
  reset({ passings, ways, rests, most }: Crossing): void {
    this.passings = passings
    this.ways = ways
    this.reserve()
    this.known.fill(0)
    const { uses, lineLacks } = this
    for (let at = 0, to = 0; at < ways.length; at++) {
      const way = ways[at]!
      let lack = most - rests[way]!
      for (const { stop, charges } of passings) {
        const use = stop.useOf[way]!
        lack -= charges[use]!
        uses[to++] = use
      }
      lineLacks[at] = lack
    }
  }

  /**
   * Goes on to a state, whose row begins at `from`.
   *
   * @param spare  what may be lacking at most
   * @returns      how many ways it can go on by
   */
  find(rows: Float64Array, from: number, spare: number): number {
    this.load(rows, from)
    const { passings, ways, uses, lineLacks, own, lacks, found } = this
    const offers = passings.length
    let [kept, looks] = [0, 0]
    for (let at = 0, first = 0; at < ways.length; at++, first += offers) {
      let [of, left] = [0, spare - lineLacks[at]!]
      do {
        left -= lacks[own[of]! + uses[first + of]!]!
        of++
      } while (of < offers && left >= 0)
      looks += of
      if (left >= 0) found[kept++] = at
    }
    this.looks = looks
    return kept
  }

  /** Goes one of the ways that were found; `row` is that of the state. */
  go(at: number, row: Float64Array): void {
    const { passings, own, worths, climbs, changes } = this
    const way = this.ways[at]!
    let [gain, ahead] = [0, 0]
    for (let of = 0; of < passings.length; of++) {
      const { stop, field } = passings[of]!
      const move = own[of]! + stop.useOf[way]!
      gain += worths[move]!
      ahead += climbs[move]!
      row[field.column]! += changes[move]!
    }
    this.gain = gain
    this.ahead = ahead
  }

  private reserve(): void {
    const { passings, ways } = this
    const offers = passings.length
    if (this.bases.length < offers) {
      this.bases = new Int32Array(2 * offers)
      this.own = new Int32Array(2 * offers)
      this.knownBases = new Int32Array(2 * offers)
    }
    let [moves, states] = [0, 0]
    for (let of = 0; of < offers; of++) {
      const { stateCount, useCount } = passings[of]!.stop
      this.bases[of] = moves
      this.knownBases[of] = states
      moves += stateCount * useCount
      states += stateCount
    }
    if (this.known.length < states) this.known = new Uint8Array(2 * states)
    if (this.lacks.length < moves) {
      this.lacks = new Float64Array(2 * moves)
      this.worths = new Float64Array(2 * moves)
      this.climbs = new Float64Array(2 * moves)
      this.changes = new Int32Array(2 * moves)
    }
    if (this.found.length < ways.length) this.found = new Int32Array(2 * ways.length)
    if (this.uses.length < ways.length * offers) this.uses = new Int32Array(2 * ways.length * offers)
    if (this.lineLacks.length < ways.length) this.lineLacks = new Float64Array(2 * ways.length)
  }

  // The moves of each offer from the state that it is in: worked out once a line.
  private load(rows: Float64Array, from: number): void {
    const { passings, bases, own, known, knownBases } = this
    for (let of = 0; of < passings.length; of++) {
      const { stop, field } = passings[of]!
      const state = (rows[from + field.column]! >> field.shift) & field.mask
      own[of] = bases[of]! + state * stop.useCount
      const at = knownBases[of]! + state
      if (known[at] === 1) continue
      known[at] = 1
      this.lay(passings[of]!, state, own[of]!)
    }
  }

  private lay({ stop, field, before, after, charges }: Passing, state: number, base: number): void {
    const { next, worth, gains, useCount } = stop
    const { lacks, worths, climbs, changes } = this
    const now = before[state]!
    for (let use = 0, from = state * useCount, to = base; use < useCount; use++, from++, to++) {
      const later = next[from]!
      if (later < 0) {
        lacks[to] = Number.POSITIVE_INFINITY
        continue
      }
      lacks[to] = now + charges[use]! - gains[use]! - worth[from]! - after[later]!
      worths[to] = worth[from]!
      climbs[to] = after[later]! - now
      changes[to] = (later - state) << field.shift
    }
  }
}
