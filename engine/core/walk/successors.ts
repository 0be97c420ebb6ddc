import type { BitRange, TransitionTable } from './automaton.js'

export interface OfferStage {
  readonly table: TransitionTable
  readonly bits: BitRange
  readonly before: Float64Array
  readonly after: Float64Array
  readonly multipliers: Float64Array
}

export interface LineStage {
  readonly offerStages: readonly OfferStage[]
  readonly assignments: Int32Array
  readonly residuals: Float64Array
  readonly most: number
}

/**
 * Finds the assignments by which states can continue. Shared by walks of a thread.
 *
 * With an assignment a state's bound falls by the lack of each offer with its use, and by the line's lack. None is
 * negative, so an assignment is dropped as soon as the sum is too large.
 */
export class Successors {
  found = new Int32Array(0)
  looks = 0
  gain = 0
  ahead = 0
  private offerStages: readonly OfferStage[] = []
  private assignments: Int32Array = new Int32Array(0)
  private uses = new Int32Array(0)
  private lineLacks = new Float64Array(0)
  private bases = new Int32Array(0)
  private own = new Int32Array(0)
  private loaded = new Uint8Array(0)
  private loadedBases = new Int32Array(0)
  private lacks = new Float64Array(0)
  private worths = new Float64Array(0)
  private climbs = new Float64Array(0)
  private changes = new Int32Array(0)

  reset({ offerStages, assignments, residuals, most }: LineStage): void {
    this.offerStages = offerStages
    this.assignments = assignments
    this.reserve()
    this.loaded.fill(0)
    const { uses, lineLacks } = this
    for (let at = 0, to = 0; at < assignments.length; at++) {
      const assignment = assignments[at]!
      let lack = most - residuals[assignment]!
      for (const { table, multipliers } of offerStages) {
        const use = table.useOf[assignment]!
        lack -= multipliers[use]!
        uses[to++] = use
      }
      lineLacks[at] = lack
    }
  }

  /**
   * Returns the number of assignments found.
   *
   * @param from   start of the state's row
   * @param spare  most that may be lacking
   */
  find(rows: Float64Array, from: number, spare: number): number {
    this.load(rows, from)
    const { offerStages, assignments, uses, lineLacks, own, lacks, found } = this
    const offers = offerStages.length
    let [kept, looks] = [0, 0]
    for (let at = 0, first = 0; at < assignments.length; at++, first += offers) {
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

  go(at: number, row: Float64Array): void {
    const { offerStages, own, worths, climbs, changes } = this
    const assignment = this.assignments[at]!
    let [gain, ahead] = [0, 0]
    for (let of = 0; of < offerStages.length; of++) {
      const { table, bits } = offerStages[of]!
      const transition = own[of]! + table.useOf[assignment]!
      gain += worths[transition]!
      ahead += climbs[transition]!
      row[bits.column]! += changes[transition]!
    }
    this.gain = gain
    this.ahead = ahead
  }

  private reserve(): void {
    const { offerStages, assignments } = this
    const offers = offerStages.length
    if (this.bases.length < offers) {
      this.bases = new Int32Array(2 * offers)
      this.own = new Int32Array(2 * offers)
      this.loadedBases = new Int32Array(2 * offers)
    }
    let [transitionCount, states] = [0, 0]
    for (let of = 0; of < offers; of++) {
      const { stateCount, useCount } = offerStages[of]!.table
      this.bases[of] = transitionCount
      this.loadedBases[of] = states
      transitionCount += stateCount * useCount
      states += stateCount
    }
    if (this.loaded.length < states) this.loaded = new Uint8Array(2 * states)
    if (this.lacks.length < transitionCount) {
      this.lacks = new Float64Array(2 * transitionCount)
      this.worths = new Float64Array(2 * transitionCount)
      this.climbs = new Float64Array(2 * transitionCount)
      this.changes = new Int32Array(2 * transitionCount)
    }
    if (this.found.length < assignments.length) this.found = new Int32Array(2 * assignments.length)
    if (this.uses.length < assignments.length * offers) this.uses = new Int32Array(2 * assignments.length * offers)
    if (this.lineLacks.length < assignments.length) this.lineLacks = new Float64Array(2 * assignments.length)
  }

  // Once for each line and state of an offer.
  private load(rows: Float64Array, from: number): void {
    const { offerStages, bases, own, loaded, loadedBases } = this
    for (let of = 0; of < offerStages.length; of++) {
      const { table, bits } = offerStages[of]!
      const state = (rows[from + bits.column]! >> bits.shift) & bits.mask
      own[of] = bases[of]! + state * table.useCount
      const at = loadedBases[of]! + state
      if (loaded[at] === 1) continue
      loaded[at] = 1
      this.tabulate(offerStages[of]!, state, own[of]!)
    }
  }

  private tabulate({ table, bits, before, after, multipliers }: OfferStage, state: number, base: number): void {
    const { next, worth, gains, useCount } = table
    const { lacks, worths, climbs, changes } = this
    const now = before[state]!
    for (let use = 0, from = state * useCount, to = base; use < useCount; use++, from++, to++) {
      const later = next[from]!
      if (later < 0) {
        lacks[to] = Number.POSITIVE_INFINITY
        continue
      }
      lacks[to] = now + multipliers[use]! - gains[use]! - worth[from]! - after[later]!
      worths[to] = worth[from]!
      climbs[to] = after[later]! - now
      changes[to] = (later - state) << bits.shift
    }
  }
}
