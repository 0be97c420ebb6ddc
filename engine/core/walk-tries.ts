import type { Stop } from './walk-tracks.js'

/** What the walk needs of one offer of a line. */
export interface Passing {
  /** Index among the offers. */
  readonly offer: number
  readonly stop: Stop
  /** What the offer can still come to, by state, before the line and after it. */
  readonly before: Float64Array
  readonly after: Float64Array
}

/**
 * What all offers of a line come to by each of its ways, from one state of the walk after the other: every use is looked
 * up once for a state, however many ways have it. One serves all walks of a thread.
 */
export class Tries {
  private values = new Float64Array(0)
  /** By way and offer: where the value of the use is. */
  private uses = new Int32Array(0)
  private offers = 0

  /** Sets out at a line, for some of its ways. */
  reset(passings: readonly Passing[], ways: Int32Array): void {
    const count = passings.reduce((sum, { stop }) => sum + stop.useCount, 0)
    if (this.values.length < count) this.values = new Float64Array(2 * count)
    if (this.uses.length < ways.length * passings.length) this.uses = new Int32Array(2 * ways.length * passings.length)
    this.offers = passings.length
    let from = 0
    for (let of = 0; of < passings.length; of++) {
      const { useOf, useCount } = passings[of]!.stop
      for (let at = 0, to = of; at < ways.length; at++, to += passings.length) this.uses[to] = from + useOf[ways[at]!]!
      from += useCount
    }
  }

  /** Goes on to a state, whose digits are at `from`. */
  load(passings: readonly Passing[], rows: Float64Array, from: number): void {
    const { values } = this
    let to = 0
    for (let of = 0; of < passings.length; of++) {
      const { offer, stop, before, after } = passings[of]!
      const { next, worth, useCount } = stop
      const own = rows[from + offer]!
      const now = before[own]!
      for (let use = 0, move = own * useCount; use < useCount; use++, move++) {
        const later = next[move]!
        values[to++] = later < 0 ? Number.NEGATIVE_INFINITY : worth[move]! + after[later]! - now
      }
    }
  }

  /** By how much what the offers come to changes by a way: its index among those set out with. */
  valueOf(at: number): number {
    const { values, uses, offers } = this
    let value = 0
    for (let each = at * offers, end = each + offers; each < end; each++) value += values[uses[each]!]!
    return value
  }
}
