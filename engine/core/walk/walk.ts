import { scratch } from '../base/scratch.js'
import type { ComponentChoice, Incumbent, SolverTask } from '../model/task.js'
import type { TieGround } from '../model/tie-ground.js'
import { leastMore } from '../model/tolerance.js'
import { Charges } from './bounds/charges.js'
import { gainsOf, Prices } from './bounds/prices.js'
import { type Field, fieldsOf } from './fields.js'
import { hashOfRow, Layer } from './layer.js'
import { narrowLayer } from './narrow.js'
import { plansByWays } from './plans-by-ways.js'
import { readTrack } from './read-track.js'
import type { Track } from './tracks.js'
import { Trail } from './trail.js'
import { type Passing, Tries } from './tries.js'
import type { WalkLine } from './ways.js'

/**
 * What a walk does in the time of one step, in uses that are looked at for a state among the ways of a line; and what a
 * state, and a move from it by a way, take besides.
 */
const looksPerStep = 360
const looksPerState = 11
const looksPerMove = 20

/** The same for a way before the first state. */
const looksPerWay = 4

/** Share of what is left of the budget that one line may take: so many times an equal one, and no more than that. */
const equalShares = 6
const lineShareMax = 0.7

/** Offers that a state may have to remember without a move taking longer. */
const widthPlain = 32

/** States after a line above which a walk is given up. */
const statesMax = 20_000

/** Share of the budget for a first walk without prices, and how much that is at most. */
const plainShare = 0.05
const plainStepsMax = 150

/**
 * Sweeps of dual ascent, and the walk that follows: by ways with which plans could come up to a share of the bound, over
 * so many states after each line; good plans first, then all.
 */
const searches = [
  { sweeps: 3, near: 0.98, statesKept: 20 },
  { sweeps: 6, near: 0.99, statesKept: 100 },
  { sweeps: 8, near: 0.995, statesKept: 300 },
  { sweeps: 0, near: 0, statesKept: Number.POSITIVE_INFINITY },
]

/** What a walk sets out with. */
interface Setting {
  readonly lines: readonly WalkLine[]
  /** One per offer. */
  readonly tracks: readonly Track[]
}

/** The states of a component after each of its lines, and the best plans among the ways to them. */
export class Walk {
  private steps = 0
  private readonly lines: readonly WalkLine[]
  private readonly tracks: readonly Track[]
  /** null before the first sweep. */
  private charges: Charges | null = null
  private readonly prices: Prices
  private readonly places: readonly (readonly Passing[])[]
  private readonly gains: readonly Float64Array[]
  /** Where the states of offers stand in a row; ways that are told apart count in the column behind. */
  private readonly fields: readonly Field[]
  private readonly width: number
  private readonly row: Float64Array
  /** By how much longer a move takes than over few offers. */
  private readonly breadth: number
  /** What any better plans gain more at least: where lines count alike, a whole unit. */
  private readonly leastMore: number
  /** What sums of doubles may be short of. */
  private readonly allowance: number
  private readonly trail = trail
  /** What a state took at the last line that was passed, in looks. */
  private looksEach = 0
  /** By place: the ways to go on by. */
  private ways: readonly Int32Array[]
  private best: Incumbent
  /** No plans that were left out gain more than this. */
  private leftOut = Number.NEGATIVE_INFINITY

  constructor(
    private readonly ground: TieGround,
    private readonly task: SolverTask,
    { lines, tracks }: Setting,
  ) {
    this.lines = lines
    this.tracks = tracks
    this.best = task.start
    this.allowance = leastMore(task.most)
    this.prices = new Prices(lines, tracks, this.allowance)
    this.ways = this.prices.open
    const { fields, columns } = fieldsOf(tracks)
    this.fields = fields
    this.width = columns + 1
    this.row = scratch.takeDoubles(this.width)
    this.breadth = Math.max(1, (tracks.length + 1) / widthPlain)
    this.gains = lines.map(gainsOf)
    this.leastMore = (task.weights ?? null) === null || task.workedOut !== undefined ? 1 : this.allowance
    const passed = tracks.map(() => 0)
    this.places = lines.map(({ offers }) =>
      offers.map((offer) => {
        const at = passed[offer]!++
        const ahead = this.prices.ahead[offer]!
        const charges = this.prices.charges[offer]![at]!
        return {
          stop: tracks[offer]!.stops[at]!,
          field: fields[offer]!,
          before: ahead[at]!,
          after: ahead[at + 1]!,
          charges,
        }
      }),
    )
  }

  run(steps: number): ComponentChoice {
    this.steps = steps + this.prices.steps
    let bound = this.prices.bound
    if (this.tracks.length === 1) this.judge(readTrack(this.tracks[0]!, this.prices))
    if (this.isOpen(bound))
      bound = Math.min(
        bound,
        this.walk(
          Number.POSITIVE_INFINITY,
          this.steps + Math.min(plainStepsMax, (this.task.stepsMax - this.steps) * plainShare),
        ),
      )
    bound = this.search(bound)
    const { plans, worth } = this.best
    const most = this.isOpen(bound) ? bound : worth
    const isWhole = (this.task.weights ?? null) === null
    return { plans, worth, bound: isWhole ? Math.floor(most) : most + this.allowance, steps: this.steps }
  }

  // One after the other while there may be better plans.
  private search(most: number): number {
    let bound = most
    for (const { sweeps, near, statesKept } of searches) {
      if (!this.isOpen(bound) || this.steps >= this.task.stepsMax) break
      const charges = this.improved(sweeps)
      bound = Math.min(bound, this.prices.bound)
      if (!this.isOpen(bound)) break
      this.ways = near === 0 ? this.prices.open : charges.waysNear(near)
      const most = this.walk(statesKept, this.task.stepsMax)
      bound = Math.min(bound, Math.max(most, near * this.prices.bound + this.allowance))
    }
    return bound
  }

  private improved(sweeps: number): Charges {
    this.charges ??= new Charges(this.lines, this.tracks, this.prices)
    const before = this.charges.steps
    this.charges.sweep(this.best.worth + this.leastMore, sweeps)
    this.steps += this.charges.steps - before
    return this.charges
  }

  /** Whether there may be better plans. */
  private isOpen(bound: number): boolean {
    return bound >= this.best.worth + this.leastMore
  }

  // From the first line to the last; no plans gain more than what it returns, or than the best.
  private walk(statesKept: number, stepsMax: number): number {
    if (this.steps >= stepsMax) return this.prices.bound
    let [before, after] = layers
    this.leftOut = Number.NEGATIVE_INFINITY
    this.trail.reset()
    before.reset(this.width)
    before.put(scratch.takeDoubles(this.width), 0, 0)
    before.trails[0] = -1
    before.aheads[0] = this.prices.ahead.reduce((sum, own) => sum + own[0]![0]!, 0)
    for (const place of this.lines.keys()) {
      if (!this.pass(place, [before, after], stepsMax)) return this.prices.bound
      const kept = Math.min(statesKept, this.affordable(place + 1, stepsMax))
      if (after.count > kept) this.narrow(after, kept, this.prices.restAhead[place + 1]! + this.allowance)
      ;[before, after] = [after, before]
    }
    this.judgeEnds(before)
    return Math.max(this.best.worth, this.leftOut)
  }

  // States that can be followed from a place on, where as many steps are to be left for every line.
  private affordable(place: number, stepsMax: number): number {
    const lines = this.lines.length - place
    if (lines === 0) return Number.POSITIVE_INFINITY
    const steps = (stepsMax - this.steps) * Math.min(lineShareMax, equalShares / lines)
    return Math.max(1, Math.floor((steps * looksPerStep) / (this.looksEach * this.breadth)))
  }

  // All states past a line; false where they are too many.
  private pass(place: number, [before, after]: readonly [Layer, Layer], stepsMax: number): boolean {
    const { apart } = this.lines[place]!
    const ways = this.ways[place]!
    const [passings, gains, width, row] = [this.places[place]!, this.gains[place]!, this.width, this.row]
    const { restAhead, rests } = this.prices
    const most = restAhead[place]! - restAhead[place + 1]!
    const rest = restAhead[place + 1]! + this.allowance
    const least = this.best.worth + this.leastMore
    after.reset(width)
    tries.reset({ passings, ways, rests: rests[place]!, most })
    const looksMax = ((stepsMax - this.steps) * looksPerStep) / this.breadth
    let looks = ways.length * looksPerWay
    for (let state = 0; state < before.count; state++) {
      const from = state * width
      const [gained, coming] = [before.gains[state]!, before.aheads[state]!]
      const found = tries.find(before.rows, from, gained + coming + most + rest + this.allowance - least)
      looks += looksPerState + tries.looks + found * looksPerMove
      for (let each = 0; each < found; each++) {
        const at = tries.found[each]!
        const way = ways[at]!
        for (let column = 0; column < width; column++) row[column] = before.rows[from + column]!
        tries.go(at, row)
        const [gain, ahead] = [gained + gains[way]! + tries.gain, coming + tries.ahead]
        if (gain + ahead + rest < least) continue
        row[width - 1] = row[width - 1]! * apart.count + apart.numbers[way]!
        const put = after.put(row, hashOfRow(row, width), gain)
        if (put < 0) continue
        after.aheads[put] = ahead
        after.trails[put] = this.trail.add(before.trails[state]!, way)
      }
      if (after.count > statesMax || looks > looksMax) break
    }
    this.steps += Math.ceil((looks * this.breadth) / looksPerStep)
    this.looksEach = looks / before.count
    return after.count <= statesMax && looks <= looksMax
  }

  private narrow(layer: Layer, statesKept: number, rest: number): void {
    this.steps += Math.ceil((layer.count * this.breadth) / statesPerStep)
    this.leftOut = Math.max(this.leftOut, narrowLayer(layer, statesKept, this.fields) + rest)
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
      if (!this.judge(this.waysTo(layer.trails[end]!))) this.leftOut = Math.max(this.leftOut, most)
    }
  }

  private waysTo(end: number): Int32Array {
    const { befores, taken } = this.trail
    const ways = new Int32Array(this.lines.length)
    for (let place = ways.length - 1, at = end; place >= 0; at = befores[at]!) ways[place--] = taken[at]!
    return ways
  }

  // Works plans out; false where others may be better that were given up for them, the gain on a line not being proven.
  private judge(ways: Int32Array): boolean {
    this.steps += this.task.judgeSteps
    const { plans, isSure } = plansByWays(this.ground, this.lines, ways)
    const worth = this.task.judge(plans)
    if (worth !== null && worth > this.best.worth) this.best = { plans, worth }
    return worth !== null && isSure
  }
}

/** States narrowed in the time of one step. */
const statesPerStep = 30

const tries = new Tries()
const trail = new Trail()

/** Both layers of a walk. */
const layers: readonly [Layer, Layer] = [new Layer(), new Layer()]

function byGain(layer: Layer): number[] {
  const states = Array.from({ length: layer.count }, (_, state) => state)
  return states.sort((a, b) => layer.gains[b]! - layer.gains[a]! || a - b)
}
