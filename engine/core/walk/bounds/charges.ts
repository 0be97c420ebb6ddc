import { scratch } from '../../base/scratch.js'
import type { Stop, Track } from '../tracks.js'
import type { WalkLine } from '../ways.js'
import { type Moves, movesOf, type Prices } from './prices.js'

/** Moves along tracks, and uses of ways, that a sweep looks at in the time of one step. */
const movesPerStep = 250

/** How often a sweep looks at each of them. */
const looksPerMove = 4
const looksPerUse = 7

/** What an offer is charged on one of its lines. */
interface Place {
  /** Index of the offer. */
  readonly offer: number
  /** Number of the line among those of the offer. */
  readonly at: number
  readonly stop: Stop
  /** By use. */
  readonly charges: Float64Array
  /** By use: what the offer comes to at most with it, before it is charged for it. */
  readonly most: Float64Array
  /** By use: what the line and all its offers come to at most with it. */
  readonly whole: Float64Array
  readonly moves: Moves
  /** The first so many moves are open. */
  count: number
}

/**
 * Lowers the bound of the relaxation by dual ascent on its multipliers. Each use that an offer can have of a line has a
 * multiplier of its own, its charge: the offer pays it and the line receives it. Any plans serve each line in one way,
 * whose uses are what the offers have of it, so all that is paid is received: plans gain what offers and lines come to
 * together. With each of them at its best by itself that is no less, whatever the charges are.
 *
 * A sweep goes from line to line, there and back. At a line every offer is first charged, for each use, all that it comes
 * to with it: no offer of the line comes to more than 0 then, and the line to what is best of it and them together, which
 * is no more than what they came to apart. Then each offer is given back, for each use, an equal part of what the best
 * way with it lacks to the best way of all. That is 0 or less, so no offer comes to more than 0; and as a way lacks at
 * least what the best way with any of its uses does, the line comes to no more with it than with the best way. So no
 * sweep raises the bound.
 *
 * Ways may still lack something then at the line alone. On the way back one offer after the other is charged that too: for
 * each use, what the best way with it still lacks. The line comes to no more than before, and offers to less; so much
 * less can states still come to that are not on the way to the best plans.
 *
 * Whether a sweep lowers the bound or not, what Prices take over (what is to come by state, the open ways, the
 * bound) is worked out for the charges as they are.
 *
 * What plans with a way, or a move of an offer, gain at most is known before the parts are given back: what the lines and
 * offers come to, less what is lacking with it. Below what is asked for it is closed, which leaves all plans that gain
 * as much.
 */
export class Charges {
  steps = 0
  /** By place, one per offer of the line. */
  private readonly places: readonly (readonly Place[])[]
  /** By place: what the line comes to at most. */
  private readonly tops: Float64Array
  /** By place and open way: what the line and its offers come to with it. */
  private readonly reach: Float64Array[]
  /** By place: what all else came to at most then, on the way back. */
  private readonly beside: Float64Array
  /** What each offer has come to at most, by track, stop and state. */
  private readonly behind: readonly (readonly Float64Array[])[]

  /** By open way of a line: what the line comes to with it. */
  private readonly held: Float64Array
  /** By use of an offer: what is lacking with it. */
  private readonly lacks: Float64Array

  /** Numbers of the ways that stay open. */
  private readonly kept: Int32Array

  /** Takes over from prices, whose charges, look ahead, open ways and bound it goes on with. */
  constructor(
    lines: readonly WalkLine[],
    tracks: readonly Track[],
    private readonly prices: Prices,
  ) {
    this.tops = scratch.takeDoubles(lines.length)
    this.beside = scratch.takeDoubles(lines.length)
    this.reach = prices.open.map((ways) => scratch.takeDoubles(ways.length))
    this.behind = tracks.map(({ stops }) => {
      const behind = stops.map(({ stateCount }) => scratch.takeDoubles(stateCount))
      behind.push(scratch.takeDoubles(1))
      return behind
    })
    const passed = tracks.map(() => 0)
    this.places = lines.map(({ offers }) => {
      return offers.map((offer): Place => {
        const at = passed[offer]!++
        const stop = tracks[offer]!.stops[at]!
        const charges = prices.charges[offer]![at]!
        const [most, whole] = [scratch.takeDoubles(stop.useCount), scratch.takeDoubles(stop.useCount)]
        const moves = movesOf(stop)
        return { offer, at, stop, charges, most, whole, moves, count: moves.from.length }
      })
    })
    let [longest, widest] = [0, 0]
    for (const ways of prices.open) longest = Math.max(longest, ways.length)
    for (const { charges } of this.places.flat()) widest = Math.max(widest, charges.length)
    this.held = scratch.takeDoubles(longest)
    this.lacks = scratch.takeDoubles(widest)
    this.kept = scratch.takeIntegers(longest)
  }

  /** So often there and back; ways and moves with which no plans can gain as much as `least` are closed. */
  sweep(least: number, times: number): void {
    const { restAhead, ahead, allowance } = this.prices
    for (let time = 0; time < times && this.prices.bound >= least; time++) {
      this.steps += this.stepsPerSweep()
      this.goThere()
      const isOpen = this.goBack(least - 2 * allowance)
      const most = ahead.reduce((sum, own) => sum + own[0]![0]!, restAhead[0]!)
      this.prices.bound = isOpen ? most + allowance : Number.NEGATIVE_INFINITY
    }
  }

  /**
   * By place: the open ways with which plans could come up to this share of the bound. What a way lacks was worked out on
   * the way back, while all came to more than the bound in the end: so the whole of it counts, and not what it lacks.
   */
  waysNear(share: number): Int32Array[] {
    const least = this.prices.bound * share
    return this.prices.open.map((ways, place) =>
      ways.filter((_, each) => this.beside[place]! + this.reach[place]![each]! >= least),
    )
  }

  private stepsPerSweep(): number {
    let looks = 0
    for (const [place, own] of this.places.entries()) {
      looks += looksPerUse * own.length * this.prices.open[place]!.length
      for (const { count } of own) looks += looksPerMove * count
    }
    return 1 + Math.ceil(looks / movesPerStep)
  }

  private goThere(): void {
    for (const [place, own] of this.places.entries()) {
      this.gather(place)
      this.deal(place)
      for (const each of own) this.follow(each)
    }
  }

  // False where some line has no way left: no plans gain as much as was asked for.
  private goBack(least: number): boolean {
    const { tops, places } = this
    const { restAhead } = this.prices
    let most = tops.reduce((sum, top) => sum + top, 0)
    for (let place = places.length - 1; place >= 0; place--) {
      most -= tops[place]!
      this.gather(place)
      if (tops[place] === Number.NEGATIVE_INFINITY) return false
      this.beside[place] = most
      this.narrow(place, least - most)
      this.deal(place)
      this.charge(place)
      for (const each of places[place]!) this.lookAhead(each, least - most)
      restAhead[place] = restAhead[place + 1]! + tops[place]!
      most += tops[place]!
    }
    return true
  }

  // What the offers of a line come to with each use, and the line and they together by each way.
  private gather(place: number): void {
    const own = this.places[place]!
    for (const { offer, at, moves, count, most } of own) {
      const [before, later] = [this.behind[offer]![at]!, this.prices.ahead[offer]![at + 1]!]
      const { from, use, to, gain } = moves
      most.fill(Number.NEGATIVE_INFINITY)
      for (let each = 0; each < count; each++) {
        const all = before[from[each]!]! + gain[each]! + later[to[each]!]!
        if (all > most[use[each]!]!) most[use[each]!] = all
      }
    }
    const [ways, rests, reach] = [this.prices.open[place]!, this.prices.rests[place]!, this.reach[place]!]
    for (let each = 0; each < ways.length; each++) reach[each] = rests[ways[each]!]!
    for (const { stop, most } of own) {
      const { useOf } = stop
      for (let each = 0; each < ways.length; each++) reach[each]! += most[useOf[ways[each]!]!]!
    }
    let top = Number.NEGATIVE_INFINITY
    for (let each = 0; each < ways.length; each++) if (reach[each]! > top) top = reach[each]!
    this.tops[place] = top
  }

  // Each offer is left its part of what is lacking with each use.
  private deal(place: number): void {
    const own = this.places[place]!
    const [ways, reach, top] = [this.prices.open[place]!, this.reach[place]!, this.tops[place]!]
    for (const { stop, charges, most, whole } of own) {
      const { useOf } = stop
      whole.fill(Number.NEGATIVE_INFINITY)
      for (let each = 0; each < ways.length; each++) {
        const use = useOf[ways[each]!]!
        if (reach[each]! > whole[use]!) whole[use] = reach[each]!
      }
      for (let use = 0; use < charges.length; use++) {
        // A use of no way is out of reach; so are ways with uses that the offer cannot come to.
        charges[use] =
          whole[use]! === Number.NEGATIVE_INFINITY
            ? Number.POSITIVE_INFINITY
            : most[use]! - (whole[use]! - top) / own.length
      }
    }
  }

  // Charges offers for what ways still lack: what the line comes to with a way, its uses being dealt, is what all come to
  // with it less what offers were left of that.
  private charge(place: number): void {
    const own = this.places[place]!
    const [ways, reach, top] = [this.prices.open[place]!, this.reach[place]!, this.tops[place]!]
    const { held, lacks } = this
    held.set(reach.subarray(0, ways.length))
    for (const { stop, charges, most } of own) {
      for (let use = 0; use < charges.length; use++) {
        lacks[use] = charges[use] === Number.POSITIVE_INFINITY ? 0 : charges[use]! - most[use]!
      }
      pay(held, ways, { stop, lacks })
    }
    for (const { stop, charges } of own) {
      const { useOf } = stop
      lacks.fill(Number.POSITIVE_INFINITY, 0, charges.length)
      for (let each = 0; each < ways.length; each++) {
        const use = useOf[ways[each]!]!
        if (top - held[each]! < lacks[use]!) lacks[use] = top - held[each]!
      }
      for (let use = 0; use < charges.length; use++) charges[use]! += lacks[use]!
      pay(held, ways, { stop, lacks })
    }
  }

  // What an offer has come to behind a line.
  private follow({ offer, at, charges, moves, count }: Place): void {
    const [before, after] = [this.behind[offer]![at]!, this.behind[offer]![at + 1]!]
    const { from, use, to, gain } = moves
    after.fill(Number.NEGATIVE_INFINITY)
    for (let each = 0; each < count; each++) {
      const all = before[from[each]!]! + gain[each]! - charges[use[each]!]!
      if (all > after[to[each]!]!) after[to[each]!] = all
    }
  }

  private narrow(place: number, least: number): void {
    const [ways, reach] = [this.prices.open[place]!, this.reach[place]!]
    let kept = 0
    for (let each = 0; each < ways.length; each++) {
      if (!(reach[each]! >= least)) continue
      this.kept[kept] = ways[each]!
      reach[kept++] = reach[each]!
    }
    if (kept < ways.length) this.prices.open[place] = this.kept.slice(0, kept)
  }

  // What an offer can still come to before a line, by the moves that stay open.
  private lookAhead(own: Place, least: number): void {
    const { offer, at, stop, charges, most, whole, moves } = own
    const ahead = this.prices.ahead[offer]!
    const [before, here, later] = [this.behind[offer]![at]!, ahead[at]!, ahead[at + 1]!]
    const { from, use, to, gain } = moves
    here.fill(Number.NEGATIVE_INFINITY)
    let kept = 0
    for (let each = 0; each < own.count; each++) {
      const of = use[each]!
      const still = gain[each]! + later[to[each]!]!
      if (!(before[from[each]!]! + still - most[of]! + whole[of]! >= least)) {
        stop.next[from[each]! * stop.useCount + of] = -1
        continue
      }
      if (still - charges[of]! > here[from[each]!]!) here[from[each]!] = still - charges[of]!
      if (kept < each) keepMove(moves, each, kept)
      kept++
    }
    own.count = kept
  }
}

// What the line receives for the use of each way.
function pay(held: Float64Array, ways: Int32Array, { stop, lacks }: { stop: Stop; lacks: Float64Array }): void {
  const { useOf } = stop
  for (let each = 0; each < ways.length; each++) held[each]! += lacks[useOf[ways[each]!]!]!
}

// The open ones come first.
function keepMove({ from, use, to, gain }: Moves, each: number, place: number): void {
  from[place] = from[each]!
  use[place] = use[each]!
  to[place] = to[each]!
  gain[place] = gain[each]!
}
