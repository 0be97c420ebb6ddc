import type { Stop } from './walk-tracks.js'

/** What the walk needs of one offer of a line. */
export interface Passing {
  /** Index among the offers. */
  readonly offer: number
  readonly stop: Stop
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
 * Finds the ways of a line by which a state of the walk can go on, from one state after the other. One serves all walks
 * of a thread.
 *
 * What plans come to at most with a way is what they come to at most from the state on, less what each offer lacks with
 * its use of the line to what it comes to at most from there, and less what the line lacks with the way. None of that is
 * below 0, so what some offers lack alone rules out all ways with those uses. Ways stand in the order in which they were
 * dealt, so that ways with the same uses of the first offers follow each other and are passed over at once.
 */
export class Tries {
  /** Of the ways set out with, by number: those that the last state can go on by. */
  found = new Int32Array(0)
  private passings: readonly Passing[] = []
  private count = 0
  /** Of a state, by offer and use. */
  private lacks = new Float64Array(0)
  /** By way: what the line lacks. */
  private lineLacks = new Float64Array(0)
  /** By way: the first offer that has another use than by the way before. */
  private changes = new Int32Array(0)
  /** By way and offer: where the lack of the use is, and the next way with other uses of the offers up to that one. */
  private uses = new Int32Array(0)
  private skips = new Int32Array(0)
  /** What offers lack together, up to each. */
  private sums = new Float64Array(0)

  /** Sets out at a line. */
  reset({ passings, ways, rests, most }: Crossing): void {
    const offers = passings.length
    this.passings = passings
    this.count = ways.length
    this.reserve()
    const { lineLacks, uses } = this
    for (let at = 0; at < ways.length; at++) lineLacks[at] = most - rests[ways[at]!]!
    let from = 0
    for (let of = 0; of < offers; of++) {
      const { stop, charges } = passings[of]!
      const { useOf, useCount } = stop
      for (let at = 0, to = of; at < ways.length; at++, to += offers) {
        const use = useOf[ways[at]!]!
        uses[to] = from + use
        lineLacks[at]! -= charges[use]!
      }
      from += useCount
    }
    this.compare(offers)
  }

  /**
   * Goes on to a state, whose digits are at `from`.
   *
   * @param spare  what may be lacking at most
   * @returns      how many ways it can go on by
   */
  find(rows: Float64Array, from: number, spare: number): number {
    this.load(rows, from)
    const { count, passings, lacks, lineLacks, changes, uses, skips, sums, found } = this
    const offers = passings.length
    let [at, kept] = [0, 0]
    while (at < count) {
      let of = changes[at]!
      let sum = sums[of]!
      const own = at * offers
      while (of < offers) {
        sum += lacks[uses[own + of]!]!
        if (!(sum <= spare)) break
        sums[++of] = sum
      }
      if (of < offers) at = skips[own + of]!
      else {
        if (sum + lineLacks[at]! <= spare) found[kept++] = at
        at++
      }
    }
    return kept
  }

  private reserve(): void {
    const { count, passings } = this
    const uses = passings.reduce((sum, { stop }) => sum + stop.useCount, 0)
    if (this.lacks.length < uses) this.lacks = new Float64Array(2 * uses)
    if (this.sums.length <= passings.length) this.sums = new Float64Array(2 * passings.length + 1)
    if (this.found.length < count) {
      this.found = new Int32Array(2 * count)
      this.changes = new Int32Array(2 * count)
      this.lineLacks = new Float64Array(2 * count)
    }
    if (this.uses.length < count * passings.length) {
      this.uses = new Int32Array(2 * count * passings.length)
      this.skips = new Int32Array(2 * count * passings.length)
    }
  }

  // From the last way to the first: where ways have other uses than the one before.
  private compare(offers: number): void {
    const { count, changes, uses, skips } = this
    for (let at = count - 1; at >= 0; at--) {
      const [own, later] = [at * offers, (at + 1) * offers]
      const changed = at + 1 < count ? changes[at + 1]! : -1
      for (let of = 0; of < offers; of++) skips[own + of] = of >= changed ? at + 1 : skips[later + of]!
      let same = 0
      if (at > 0) while (same < offers - 1 && uses[own - offers + same] === uses[own + same]) same++
      changes[at] = same
    }
  }

  private load(rows: Float64Array, from: number): void {
    const { passings, lacks } = this
    let to = 0
    for (let of = 0; of < passings.length; of++) {
      const { offer, stop, before, after, charges } = passings[of]!
      const { next, worth, gains, useCount } = stop
      const own = rows[from + offer]!
      const now = before[own]!
      for (let use = 0, move = own * useCount; use < useCount; use++, move++) {
        const later = next[move]!
        lacks[to++] =
          later < 0 ? Number.POSITIVE_INFINITY : now + charges[use]! - gains[use]! - worth[move]! - after[later]!
      }
    }
  }
}
