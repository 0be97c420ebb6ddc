import type { ComponentChoice, Task } from './component.js'
import type { Serve } from './fill.js'
import { type LinePlan, planLine, stepsFor } from './plan.js'
import type { TieGround } from './tie-model.js'
import { trimBought } from './trim-bought.js'
import { comingOf, cycleOf } from './walk-coming.js'
import { type Cycle, counterOf } from './walk-counters.js'
import { Layer } from './walk-layer.js'
import { Prices } from './walk-prices.js'
import { type Stop, type Track, trackOf } from './walk-tracks.js'
import { dealingOf, type TiedLine, tiedLines, type WalkLine, type Way, walkLinesOf } from './walk-ways.js'

/** Ways of one line above which a walk is not tried. */
const waysMax = 1000

/** Moves, from a state over one line by one way, that take as long as one step: those that lead on, and all. */
const movesPerStep = 8
const triesPerStep = 60

/** States after a line above which a walk is given up. */
const statesMax = 20_000

/** Share of the budget for a first walk without prices, and of the rest for finding prices. */
const plainShare = 0.1
const pricesShare = 0.3

/** States kept after each line in walks that look for good plans, one walk after the other, before the one for all. */
const narrowWalks = [20, 150]

/**
 * The best plans of a component by dynamic programming, line after line (3-benefits 4): of all ways to serve the lines
 * so far that leave the same to be done, only the best goes on, and only while it can still come up to the best plans
 * known. Lines come by falling price, so that what is got is never dearer than what was bought for it.
 *
 * @param start  plans to better
 * @returns      the best plans found, with a bound; null, and the steps in vain, where there are too many ways
 */
export function walkComponent(
  ground: TieGround,
  task: Task,
  { start, stepsMax }: Start,
): { choice: ComponentChoice | null; steps: number } {
  const roles = ground.offers.reduce((sum, { lines }) => sum + lines.length, 0)
  if (roles > stepsMax) return { choice: null, steps: 0 }
  const isEven = (task.weights ?? null) === null
  const cycles = ground.offers.map((offer) => (isEven ? cycleOf(ground, offer) : null))
  const dealt = []
  let cost = 0
  for (const tied of inOrder(ground, tiedLines(ground))) {
    const dealing = dealingOf(ground, tied, { cycles, most: waysMax })
    if (dealing === null) return { choice: null, steps: Math.ceil(cost) }
    const { free, stacks } = ground.lineOffers[tied.at]!
    const isPlain = free.length + stacks.length === 0 && ground.lines[tied.at]!.own === 0
    cost += dealing.wayCount * (isPlain ? plainSteps : stepsFor(ground.lineOffers[tied.at]!))
    if (cost > stepsMax) return { choice: null, steps: 0 }
    dealt.push({ ...tied, ...dealing })
  }
  const steps = Math.ceil(cost)
  const lines = walkLinesOf(ground, dealt, task.weights ?? null)
  if (lines === null) return { choice: null, steps }
  const weigh = (at: number) => task.weights?.[at] ?? 1
  const tracks = tracksOf(ground, lines, { cycles, weigh, movesMax: (stepsMax - steps) * trackMovesPerStep })
  if (tracks === null) return { choice: null, steps: 2 * steps }
  const moves = tracks.reduce((sum, track) => sum + track.moves, 0)
  const walk = new Walk(ground, { ...task, stepsMax }, { lines, tracks, weigh, start })
  return walk.run(steps + Math.ceil(moves / trackMovesPerStep))
}

/** Moves of tracks that are laid in the time of one step. */
const trackMovesPerStep = 3

/** What a walk sets out with. */
export interface Start {
  readonly start: { readonly plans: readonly LinePlan[]; readonly worth: number }
  readonly stepsMax: number
}

/** Steps of a way of a line on which nothing else counts. */
const plainSteps = 0.2

interface Laying {
  /** By offer: the counts of a `buy_get` whose units are dealt by falling price. */
  readonly cycles: readonly (Cycle | null)[]
  readonly weigh: (at: number) => number
  readonly movesMax: number
}

function tracksOf(ground: TieGround, lines: readonly WalkLine[], { cycles, weigh, movesMax }: Laying): Track[] | null {
  const tracks: Track[] = []
  let left = movesMax
  for (const [index, offer] of ground.offers.entries()) {
    const weights = lines.flatMap(({ offers, at }) => (offers.includes(index) ? [weigh(at)] : []))
    const range = { least: Math.min(...weights), most: Math.max(...weights) }
    const counter = counterOf(offer, comingOf(ground, lines, index), { ...range, cycle: cycles[index]! })
    const track = trackOf(lines, index, { counter, weigh, movesMax: left })
    if (track === null) return null
    left -= track.moves
    tracks.push(track)
  }
  return tracks
}

// Lines whose units are only bought first, then by falling price.
function inOrder({ lines }: TieGround, tied: readonly TiedLine[]): TiedLine[] {
  const isLater = ({ standings }: TiedLine) => Number(standings.includes('either'))
  return [...tied].sort((a, b) => isLater(a) - isLater(b) || lines[b.at]!.price - lines[a.at]!.price || a.at - b.at)
}

/** What the walk needs of one offer of a line. */
interface Passing {
  /** Index among the offers. */
  readonly offer: number
  readonly stop: Stop
  /** What the offer can still come to, by state, before the line and after it. */
  readonly before: Float64Array
  readonly after: Float64Array
}

interface Setting {
  readonly lines: readonly WalkLine[]
  /** One per offer. */
  readonly tracks: readonly Track[]
  readonly weigh: (at: number) => number
  readonly start: Start['start']
}

class Walk {
  private steps = 0
  private readonly lines: readonly WalkLine[]
  private readonly prices: Prices
  private readonly places: readonly (readonly Passing[])[]
  private readonly gains: readonly Float64Array[]
  private readonly width: number
  /** Each step of the walk: the one before it, and the way. */
  private befores: number[] = []
  private ways: number[] = []
  private best: { plans: readonly LinePlan[]; worth: number }
  /** No plans that were left out gain more than this. */
  private leftOut = Number.NEGATIVE_INFINITY

  constructor(
    private readonly ground: TieGround,
    private readonly task: Task,
    { lines, tracks, weigh, start }: Setting,
  ) {
    this.lines = lines
    this.best = start
    this.prices = new Prices(lines, tracks, weigh)
    this.width = tracks.length + 1
    this.gains = lines.map(({ ways, at }) => Float64Array.from(ways, ({ gain }) => gain * weigh(at)))
    const passed = tracks.map(() => 0)
    this.places = lines.map(({ offers }) =>
      offers.map((offer) => {
        const at = passed[offer]!++
        const ahead = this.prices.ahead[offer]!
        return { offer, stop: tracks[offer]!.stops[at]!, before: ahead[at]!, after: ahead[at + 1]! }
      }),
    )
  }

  run(steps: number): { choice: ComponentChoice; steps: number } {
    this.steps = steps + this.prices.steps
    let bound = this.walk(Number.POSITIVE_INFINITY, this.share(plainShare))
    if (this.isOpen(bound)) {
      this.improvePrices(pricesShare)
      bound = this.prices.bound
      for (const statesKept of narrowWalks) {
        if (this.isOpen(bound)) bound = Math.min(bound, this.walk(statesKept, this.task.stepsMax))
      }
      if (this.isOpen(bound)) bound = Math.min(bound, this.walk(Number.POSITIVE_INFINITY, this.task.stepsMax))
    }
    const { plans, worth } = this.best
    const choice = { plans, worth, bound: this.isOpen(bound) ? bound : worth, steps: this.steps }
    return { choice, steps: this.steps }
  }

  private share(of: number): number {
    return this.steps + (this.task.stepsMax - this.steps) * of
  }

  private improvePrices(share: number): void {
    const before = this.prices.steps
    this.prices.improve(this.best.worth, before + (this.task.stepsMax - this.steps) * share)
    this.steps += this.prices.steps - before
  }

  /** Whether there may be plans that gain more than the best: where lines count alike, a whole unit more. */
  private isOpen(bound: number): boolean {
    return (this.task.weights ?? null) === null ? bound >= this.best.worth + 1 : bound > this.best.worth
  }

  // From the first line to the last; no plans gain more than what it returns, or than the best.
  private walk(statesKept: number, stepsMax: number): number {
    if (this.steps >= stepsMax) return this.prices.bound
    let [before, after] = layers
    this.leftOut = Number.NEGATIVE_INFINITY
    this.befores = []
    this.ways = []
    before.reset(this.width)
    before.put(new Float64Array(this.width), 0)
    before.trails[0] = -1
    before.aheads[0] = this.prices.ahead.reduce((sum, own) => sum + own[0]![0]!, 0)
    for (const place of this.lines.keys()) {
      if (!this.pass(place, [before, after], stepsMax)) return this.prices.bound
      if (after.count > statesKept) this.narrow(after, statesKept, this.prices.restAhead[place + 1]!)
      ;[before, after] = [after, before]
    }
    this.judgeEnds(before)
    return Math.max(this.best.worth, this.leftOut)
  }

  // All states past a line; false where they are too many.
  private pass(place: number, [before, after]: readonly [Layer, Layer], stepsMax: number): boolean {
    const { ways, apart } = this.lines[place]!
    const [passings, gains, width] = [this.places[place]!, this.gains[place]!, this.width]
    const row = new Float64Array(width)
    const rest = this.prices.restAhead[place + 1]! + boundAllowance
    const tries = Math.ceil((before.count * ways.length) / triesPerStep)
    if (this.steps + tries > stepsMax) return false
    this.steps += tries
    after.reset(width)
    let moves = 0
    for (let state = 0; state < before.count; state++) {
      const from = state * width
      for (let way = 0; way < ways.length; way++) {
        let gain = before.gains[state]! + gains[way]!
        let ahead = before.aheads[state]!
        for (let of = 0; of < passings.length; of++) {
          const { offer, stop, before: now, after: later } = passings[of]!
          const own = before.rows[from + offer]!
          const move = own * stop.useCount + stop.useOf[way]!
          const next = stop.next[move]!
          if (next < 0) {
            ahead = Number.NEGATIVE_INFINITY
            break
          }
          gain += stop.worth[move]!
          ahead += later[next]! - now[own]!
          row[offer] = next
        }
        if (!this.isOpen(gain + ahead + rest)) continue
        for (let column = 0; column < width; column++) row[column] = before.rows[from + column]!
        for (const { offer, stop } of passings) {
          row[offer] = stop.next[row[offer]! * stop.useCount + stop.useOf[way]!]!
        }
        row[width - 1] = row[width - 1]! * apart.count + apart.numbers[way]!
        moves++
        const put = after.put(row, gain)
        if (put < 0) continue
        after.aheads[put] = ahead
        after.trails[put] = this.ways.length
        this.befores.push(before.trails[state]!)
        this.ways.push(way)
      }
      if (after.count > statesMax || this.steps + moves / movesPerStep > stepsMax) {
        this.steps += Math.ceil(moves / movesPerStep)
        return false
      }
    }
    this.steps += Math.ceil(moves / movesPerStep)
    return true
  }

  // Keeps the states that can come to most.
  private narrow(layer: Layer, statesKept: number, rest: number): void {
    const reach = layer.gains.subarray(0, layer.count).map((gain, state) => gain + layer.aheads[state]!)
    const states = Array.from({ length: layer.count }, (_, state) => state)
    states.sort((a, b) => reach[b]! - reach[a]! || layer.gains[b]! - layer.gains[a]! || a - b)
    this.leftOut = Math.max(this.leftOut, reach[states[statesKept]!]! + rest + boundAllowance)
    layer.keep(states.slice(0, statesKept).sort((a, b) => a - b))
  }

  // What an end gains is known once it is worked out: the best first, until no other can gain more.
  private judgeEnds(layer: Layer): void {
    for (const [judged, end] of byGain(layer).entries()) {
      const most = layer.gains[end]!
      if (most <= this.best.worth) return
      if (judged > 0 && this.steps > this.task.stepsMax) {
        this.leftOut = Math.max(this.leftOut, most)
        return
      }
      if (!this.judge(layer.trails[end]!)) this.leftOut = Math.max(this.leftOut, most)
    }
  }

  // Works an end out; false where others may be better that were given up for it, the gain on a line not being proven.
  private judge(end: number): boolean {
    const { lines, lineOffers } = this.ground
    const ways = lines.map((): Way | null => null)
    let trail = end
    for (let place = this.lines.length - 1; place >= 0; place--) {
      const line = this.lines[place]!
      ways[line.at] = line.ways[this.ways[trail]!]!
      trail = this.befores[trail]!
    }
    this.steps += this.task.judgeSteps
    const serves = ways.map((way) => fixedOf(way!.plan(), this.ground))
    const trimmed = trimBought(this.ground, serves)
    const plans = ways.map((way, at) =>
      trimmed[at] === serves[at] ? way!.plan() : planLine(lines[at]!, lineOffers[at]!, trimmed[at]!),
    )
    const worth = this.task.judge(plans)
    if (worth !== null && worth > this.best.worth) this.best = { plans, worth }
    return worth !== null && ways.every((way) => way!.isSure)
  }
}

/** What sums of doubles may be short of. */
const boundAllowance = 1e-4

/** Both layers of a walk. */
const layers: readonly [Layer, Layer] = [new Layer(), new Layer()]

function byGain(layer: Layer): number[] {
  const states = Array.from({ length: layer.count }, (_, state) => state)
  return states.sort((a, b) => layer.gains[b]! - layer.gains[a]! || a - b)
}

function fixedOf({ serves }: LinePlan, { offers }: TieGround): readonly Serve[] {
  return serves.filter(({ offer }) => offers.includes(offer))
}
