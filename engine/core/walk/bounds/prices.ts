import { scratch } from '../../base/scratch.js'
import type { Stop, Track } from '../tracks.js'
import type { WalkLine } from '../ways.js'

/** Moves along tracks that take as long as one step: measured, about a microsecond. */
const movesPerStep = 250

/** Share of the bound by which it is thought to be too high at most: what is aimed at while no good plans are known. */
const farthest = 0.05

/** Shares of what a unit costs that prices set out from, one after the other while the bound falls. */
const shares = [0.15, 0.25, 0.35, 0.45, 0.55]

/** After how many rounds in vain prices change by half. */
const roundsInVain = 4
const leastPace = 0.01

/**
 * A bound of all plans of a component by prices (a Lagrangian relaxation): every offer buys the units that it has of a
 * line at the line's price, by itself and as is best for it, and every line is served in the way that is best with what
 * its units bring. Whatever the prices, no plans gain more than all of that together; and from each state of each offer
 * it is known what it can still come to, so that a walk leaves out what cannot come up to the best.
 */
export class Prices {
  /** No plans gain more. */
  bound = Number.POSITIVE_INFINITY
  steps = 0
  /** What each offer can still come to, by track, stop and state; behind the last stop one state with 0. */
  readonly ahead: readonly (readonly Float64Array[])[]
  /** What each offer is charged for what it has, by track, stop and use: as they were laid last. */
  readonly charges: readonly (readonly Float64Array[])[]
  /** What the lines from a place on can come to at most, beside the offers. */
  readonly restAhead: Float64Array
  /** What sums of doubles may be short of. */
  readonly allowance: number
  readonly prices: Float64Array
  private readonly best: Float64Array
  /** By place and way: what a way gains beside what its uses gain alone, and its units. */
  readonly rests: readonly Float64Array[]
  private readonly units: readonly Float64Array[]
  /** Units that offers want of each line beyond those that its way gives them. */
  private readonly missing: Float64Array
  /** Steps of one round. */
  stepsPerRound = 0
  /** By place: the ways that are open, and by track and stop the moves. */
  readonly open: Int32Array[]
  /** null while nobody has asked for prices. */
  private moves: Moves[][] | null = null

  constructor(
    private readonly lines: readonly WalkLine[],
    private readonly tracks: readonly Track[],
    { weigh, allowance }: { weigh: (at: number) => number; allowance: number },
  ) {
    this.allowance = allowance
    this.prices = scratch.takeDoubles(lines.length)
    this.best = scratch.takeDoubles(lines.length)
    this.missing = scratch.takeDoubles(lines.length)
    this.restAhead = scratch.takeDoubles(lines.length + 1)
    this.ahead = tracks.map(({ stops }) => {
      const ahead = stops.map(({ stateCount }) => scratch.takeDoubles(stateCount))
      ahead.push(scratch.takeDoubles(1))
      return ahead
    })
    this.charges = tracks.map(({ stops }) => stops.map(({ useCount }) => scratch.takeDoubles(useCount)))
    this.rests = lines.map((line) => weighedGains(line, weigh(line.at)))
    this.units = lines.map(({ gains }) => scratch.takeDoubles(gains.length))
    for (const { stops } of tracks) {
      for (const { place, useOf, gains, units } of stops) {
        for (let way = 0; way < useOf.length; way++) {
          this.rests[place]![way]! -= gains[useOf[way]!]!
          this.units[place]![way]! += units[useOf[way]!]!
        }
      }
    }
    this.open = lines.map(({ gains }) => allOf(gains.length))
    this.countSteps()
    this.evaluate()
  }

  /** Sets out from the share of what units cost that has the lowest bound. */
  start(costs: readonly number[]): void {
    this.layMoves()
    let least = this.bound
    for (const share of shares) {
      for (const [place, cost] of costs.entries()) this.prices[place] = share * cost
      this.evaluate()
      if (this.bound > least) break
      least = this.bound
      this.best.set(this.prices)
    }
    this.prices.set(this.best)
    this.evaluate()
  }

  /** Looks for prices with a lower bound, until it is below `enough`, or it comes no nearer. */
  improve(enough: number, rounds: number): void {
    this.layMoves()
    let [pace, vain, least] = [1, 0, this.bound]
    this.best.set(this.prices)
    for (let round = 0; round < rounds && pace > leastPace && least >= enough; round++) {
      let norm = 0
      for (const each of this.missing) norm += each * each
      if (norm === 0) break
      const factor = (pace * (this.bound - Math.max(enough, least * (1 - farthest)))) / norm
      for (let place = 0; place < this.prices.length; place++) {
        this.prices[place]! += factor * this.missing[place]!
      }
      this.evaluate()
      if (this.bound < least) {
        least = this.bound
        this.best.set(this.prices)
        vain = 0
      } else if (++vain === roundsInVain) {
        pace /= 2
        vain = 0
        this.prices.set(this.best)
        this.evaluate()
      }
    }
    if (this.bound === least) return
    this.prices.set(this.best)
    this.evaluate()
  }

  /** Lays the charges: for each use, its units at the price of the line. */
  layCharges(): void {
    for (const [index, { stops }] of this.tracks.entries()) {
      for (const [at, { place, units }] of stops.entries()) {
        const charges = this.charges[index]![at]!
        for (let use = 0; use < charges.length; use++) charges[use] = this.prices[place]! * units[use]!
      }
    }
  }

  /** Closes ways and moves with which no plans can gain as much as `least`. */
  narrow(least: number): void {
    const spare = this.bound - least
    const losses = this.losses(spare)
    for (const [place, own] of losses.entries()) {
      this.open[place] = this.open[place]!.filter((way) => own[way]! <= spare)
    }
    this.countSteps()
    this.evaluate()
  }

  /** By place: the open ways with which plans could come up to this share of the bound. */
  waysNear(share: number): Int32Array[] {
    const spare = this.bound * (1 - share)
    const losses = this.losses(Number.POSITIVE_INFINITY)
    return this.open.map((own, place) => own.filter((way) => losses[place]![way]! <= spare))
  }

  // What is lost at least with each way, by place; moves that lose more than `most` are closed.
  private losses(most: number): Float64Array[] {
    this.steps += 2 * this.stepsPerRound
    const losses = this.lines.map((_, place) => this.lossesAt(place))
    for (const [index, track] of this.tracks.entries()) this.narrowTrack(index, track, { spare: most, losses })
    return losses
  }

  private layMoves(): Moves[][] {
    this.moves ??= this.tracks.map(({ stops }) => stops.map(movesOf))
    return this.moves
  }

  private countSteps(): void {
    let moves = 0
    for (const { stops } of this.tracks) for (const stop of stops) moves += openMoves(stop)
    const ways = this.open.reduce((sum, own) => sum + own.length, 0)
    this.stepsPerRound = 1 + Math.ceil((moves + ways) / movesPerStep)
  }

  private lossesAt(place: number): Float64Array {
    const [rests, units, price] = [this.rests[place]!, this.units[place]!, this.prices[place]!]
    const most = this.restAhead[place]! - this.restAhead[place + 1]!
    return rests.map((rest, way) => most - rest - price * units[way]!)
  }

  // Closes moves; what the offer comes to less with each use, at the best, is lost by all ways that have it.
  private narrowTrack(
    index: number,
    { stops }: Track,
    { spare, losses }: { spare: number; losses: readonly Float64Array[] },
  ): void {
    const ahead = this.ahead[index]!
    const moves = this.layMoves()[index]!
    const most = ahead[0]![0]!
    let reached = new Float64Array(1)
    for (const [at, stop] of stops.entries()) {
      const { place, useCount, units, useOf, next } = stop
      const [later, price] = [ahead[at + 1]!, this.prices[place]!]
      const { from, use, to, gain: gainOf } = moves[at]!
      const after = new Float64Array(later.length).fill(Number.NEGATIVE_INFINITY)
      const byUse = new Float64Array(useCount).fill(Number.NEGATIVE_INFINITY)
      for (let each = 0; each < from.length; each++) {
        const gain = reached[from[each]!]! + gainOf[each]! - price * units[use[each]!]!
        if (gain > after[to[each]!]!) after[to[each]!] = gain
        const all = gain + later[to[each]!]!
        if (all > byUse[use[each]!]!) byUse[use[each]!] = all
        if (!(most - all <= spare)) next[from[each]! * useCount + use[each]!] = -1
      }
      const own = losses[place]!
      for (let way = 0; way < own.length; way++) own[way]! += most - byUse[useOf[way]!]!
      if (spare < Number.POSITIVE_INFINITY) moves[at] = movesOf(stop)
      reached = after
    }
  }

  // What all comes to at the prices, and where offers want more units than lines give.
  private evaluate(): void {
    this.steps += this.stepsPerRound
    this.missing.fill(0)
    let sum = 0
    for (let place = this.lines.length - 1; place >= 0; place--) {
      sum += this.restOf(place)
      this.restAhead[place] = sum
    }
    for (const [index, track] of this.tracks.entries()) {
      const ahead = this.ahead[index]!
      if (this.moves === null) lookAhead(track, ahead)
      else this.follow(track, this.moves[index]!, ahead)
      if (ahead[0]![0]! > Number.NEGATIVE_INFINITY) this.count(track.stops, ahead)
      sum += ahead[0]![0]!
    }
    this.bound = sum + this.allowance
  }

  private restOf(place: number): number {
    const [rests, units, price] = [this.rests[place]!, this.units[place]!, this.prices[place]!]
    let [most, chosen] = [Number.NEGATIVE_INFINITY, 0]
    const open = this.open[place]!
    for (let at = 0; at < open.length; at++) {
      const rest = rests[open[at]!]! + price * units[open[at]!]!
      if (rest <= most) continue
      most = rest
      chosen = open[at]!
    }
    this.missing[place]! -= units[chosen]!
    return most
  }

  private follow({ stops }: Track, moves: readonly Moves[], ahead: readonly Float64Array[]): void {
    for (let at = stops.length - 1; at >= 0; at--) {
      const { place, units } = stops[at]!
      const { from, use, to, gain } = moves[at]!
      const [here, later, price] = [ahead[at]!, ahead[at + 1]!, this.prices[place]!]
      here.fill(Number.NEGATIVE_INFINITY)
      for (let each = 0; each < from.length; each++) {
        const all = gain[each]! - price * units[use[each]!]! + later[to[each]!]!
        if (all > here[from[each]!]!) here[from[each]!] = all
      }
    }
  }

  private count(stops: Track['stops'], ahead: readonly Float64Array[]): void {
    let state = 0
    for (const [at, { place, useCount, units, gains, next, worth }] of stops.entries()) {
      const [later, price] = [ahead[at + 1]!, this.prices[place]!]
      let [most, chosen] = [Number.NEGATIVE_INFINITY, 0]
      for (let use = 0; use < useCount; use++) {
        const move = state * useCount + use
        if (next[move]! < 0) continue
        const gain = gains[use]! - price * units[use]! + worth[move]! + later[next[move]!]!
        if (gain <= most) continue
        most = gain
        chosen = use
      }
      this.missing[place]! += units[chosen]!
      state = next[state * useCount + chosen]!
    }
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

/** What each way of a line gains, weighed. */
export function weighedGains({ gains }: WalkLine, weight: number): Float64Array {
  const weighed = scratch.takeDoubles(gains.length)
  for (let way = 0; way < gains.length; way++) weighed[way] = gains[way]! * weight
  return weighed
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
