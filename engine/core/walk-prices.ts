import type { Track } from './walk-tracks.js'
import type { WalkLine } from './walk-ways.js'

/** Moves along tracks that take as long as one step: measured, about a microsecond. */
const movesPerStep = 250

/** Rounds of finding better prices, and after how many in vain they change by half. */
const roundsMax = 100
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
  /** What the lines from a place on can come to at most, beside the offers. */
  readonly restAhead: Float64Array
  private readonly prices: Float64Array
  private readonly best: Float64Array
  /** By place and way: what a way gains beside what its uses gain alone, and its units. */
  private readonly rests: readonly Float64Array[]
  private readonly units: readonly Float64Array[]
  /** Units that offers want of each line beyond those that its way gives them. */
  private readonly missing: Float64Array
  private readonly stepsPerRound: number

  constructor(
    private readonly lines: readonly WalkLine[],
    private readonly tracks: readonly Track[],
    weigh: (at: number) => number,
  ) {
    this.prices = new Float64Array(lines.length)
    this.best = new Float64Array(lines.length)
    this.missing = new Float64Array(lines.length)
    this.restAhead = new Float64Array(lines.length + 1)
    this.ahead = tracks.map(({ stops }) => [
      ...stops.map(({ stateCount }) => new Float64Array(stateCount)),
      new Float64Array(1),
    ])
    this.rests = lines.map(({ ways, at }) => Float64Array.from(ways, ({ gain }) => gain * weigh(at)))
    this.units = lines.map(({ ways }) => new Float64Array(ways.length))
    for (const { stops } of tracks) {
      for (const { place, useOf, gains, units } of stops) {
        for (let way = 0; way < useOf.length; way++) {
          this.rests[place]![way]! -= gains[useOf[way]!]!
          this.units[place]![way]! += units[useOf[way]!]!
        }
      }
    }
    const moves = tracks.reduce((sum, track) => sum + track.moves, 0)
    const ways = lines.reduce((sum, line) => sum + line.ways.length, 0)
    this.stepsPerRound = Math.ceil((moves + ways) / movesPerStep)
    this.evaluate()
  }

  /** Looks for prices with a lower bound, until it is at most `enough`, or it comes no nearer to it. */
  improve(enough: number, stepsMax: number): void {
    let [pace, vain, least] = [1, 0, this.bound]
    this.best.set(this.prices)
    for (let round = 0; round < roundsMax && pace > leastPace && least > enough; round++) {
      if (this.steps + this.stepsPerRound > stepsMax) break
      let norm = 0
      for (const each of this.missing) norm += each * each
      if (norm === 0) break
      const factor = (pace * (this.bound - enough)) / norm
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

  // What all comes to at the prices, and where offers want more units than lines give.
  private evaluate(): void {
    this.steps += this.stepsPerRound
    this.missing.fill(0)
    let sum = 0
    for (let place = this.lines.length - 1; place >= 0; place--) {
      sum += this.restOf(place)
      this.restAhead[place] = sum
    }
    for (const [index, track] of this.tracks.entries()) sum += this.follow(track, this.ahead[index]!)
    this.bound = sum + Math.max(1e-4, Math.abs(sum) * 1e-11)
  }

  private restOf(place: number): number {
    const [rests, units, price] = [this.rests[place]!, this.units[place]!, this.prices[place]!]
    let [most, chosen] = [Number.NEGATIVE_INFINITY, 0]
    for (let way = 0; way < rests.length; way++) {
      const rest = rests[way]! + price * units[way]!
      if (rest <= most) continue
      most = rest
      chosen = way
    }
    this.missing[place]! -= units[chosen]!
    return most
  }

  private follow({ stops }: Track, ahead: readonly Float64Array[]): number {
    for (let at = stops.length - 1; at >= 0; at--) {
      const { place, stateCount, useCount, units, gains, next, worth } = stops[at]!
      const [here, later, price] = [ahead[at]!, ahead[at + 1]!, this.prices[place]!]
      for (let state = 0, move = 0; state < stateCount; state++) {
        let most = Number.NEGATIVE_INFINITY
        for (let use = 0; use < useCount; use++, move++) {
          if (next[move]! < 0) continue
          const gain = gains[use]! - price * units[use]! + worth[move]! + later[next[move]!]!
          if (gain > most) most = gain
        }
        here[state] = most
      }
    }
    this.count(stops, ahead)
    return ahead[0]![0]!
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
