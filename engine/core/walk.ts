import type { ComponentChoice, Task } from './component.js'
import type { Serve } from './fill.js'
import { type LinePlan, planLine, stepsFor } from './plan.js'
import type { TieGround } from './tie-model.js'
import { trimBought } from './trim-bought.js'
import { type Coming, type Counter, counterOf, type Standing, type Step } from './walk-counters.js'
import type { Guide } from './walk-guide.js'
import { Layer } from './walk-layer.js'
import { type TiedLine, tiedLines, type WalkLine, type Way, walkLinesOf } from './walk-ways.js'

/** Ways of one line above which a walk is not tried. */
const waysMax = 400

/** Moves, from a state over one line by one way, that take as long as one step. */
const movesPerStep = 8

/** States after a line above which a walk is given up. */
const statesMax = 20_000

/**
 * The best plans of a component by dynamic programming, line after line (3-benefits 4): of all ways to serve the lines
 * so far that leave the same to be done, only the best goes on. Lines come by falling price, so that what is got is
 * never dearer than what was bought for it.
 *
 * @param start  plans to better
 * @returns      the best plans; null, and the steps in vain, where there are too many ways or states
 */
export function walkComponent(
  ground: TieGround,
  task: Task,
  { start, guide, statesKept, stepsMax }: Start,
): { choice: ComponentChoice | null; steps: number } {
  const roles = ground.offers.reduce((sum, { lines }) => sum + lines.length, 0)
  if (roles > stepsMax) return { choice: null, steps: 0 }
  const tied = tiedLines(ground)
  if (tied.some(({ wayCount }) => wayCount > waysMax)) return { choice: null, steps: 0 }
  const steps = tied.reduce((sum, { at, wayCount }) => sum + wayCount * stepsFor(ground.lineOffers[at]!), 0)
  if (steps > stepsMax) return { choice: null, steps: 0 }
  const lines = walkLinesOf(ground, inOrder(ground, tied), task.weights ?? null)
  if (lines === null) return { choice: null, steps: Math.ceil(steps) }
  return new Walk(ground, { ...task, stepsMax }, lines).run({ start, guide, statesKept, stepsMax }, Math.ceil(steps))
}

/** What a walk sets out with. */
export interface Start {
  readonly start: { readonly plans: readonly LinePlan[]; readonly worth: number }
  /** What a relaxation says of single ways; null without one. */
  readonly guide: Guide | null
  /** With a guide: states kept after each line. */
  readonly statesKept: number
  readonly stepsMax: number
}

// Lines whose units are only bought first, then by falling price.
function inOrder({ lines }: TieGround, tied: readonly TiedLine[]): TiedLine[] {
  const isLater = ({ standings }: TiedLine) => Number(standings.includes('either'))
  return [...tied].sort((a, b) => isLater(a) - isLater(b) || lines[b.at]!.price - lines[a.at]!.price || a.at - b.at)
}

interface Place {
  readonly line: WalkLine
  /** One per way, one per offer of the line. */
  readonly steps: readonly (readonly Step[])[]
  readonly counters: readonly Counter[]
  /** First digit of each counter. */
  readonly from: readonly number[]
  /** Whether the line is the last one of the offer. */
  readonly isLast: readonly boolean[]
  /** One per way, 0 or less. */
  readonly penalties: Float64Array
}

class Walk {
  private steps = 0
  private readonly places: readonly Place[]
  private readonly width: number
  /** Most that the lines from a place on can gain. */
  private readonly ahead: Float64Array
  /** Each step of the walk: the one before it, and the way. */
  private readonly befores: number[] = []
  private readonly ways: number[] = []
  private best: { plans: readonly LinePlan[]; worth: number } = { plans: [], worth: 0 }
  /** No plans that were left out gain more than this. */
  private leftOut = Number.NEGATIVE_INFINITY
  /** No plans gain more than this and the penalties of their ways. */
  private most = Number.POSITIVE_INFINITY
  private statesKept = Number.POSITIVE_INFINITY
  private readonly penaltiesAhead: Float64Array

  constructor(
    private readonly ground: TieGround,
    private readonly task: Task,
    lines: readonly WalkLine[],
  ) {
    const counters = ground.offers.map((offer, index) => {
      const weights = lines.flatMap(({ offers, at }) => (offers.includes(index) ? [this.weightOf(at)] : []))
      const range = { least: Math.min(...weights), most: Math.max(...weights) }
      return counterOf(offer, comingOf(ground, lines, index), range)
    })
    const from: number[] = []
    let width = 0
    for (const { digits } of counters) {
      from.push(width)
      width += digits
    }
    this.width = width + 1
    const last = new Map(lines.flatMap(({ offers }, place) => offers.map((offer) => [offer, place] as const)))
    this.places = lines.map((line, place) => ({
      line,
      steps: line.ways.map(({ uses }) => uses.map((use, of) => ({ place, standing: line.standings[of]!, use }))),
      counters: line.offers.map((offer) => counters[offer]!),
      from: line.offers.map((offer) => from[offer]!),
      isLast: line.offers.map((offer) => last.get(offer) === place),
      penalties: new Float64Array(line.ways.length),
    }))
    this.penaltiesAhead = new Float64Array(lines.length + 1)
    this.ahead = new Float64Array(lines.length + 1)
    for (let place = lines.length - 1; place >= 0; place--) {
      let most = 0
      for (const way of lines[place]!.ways) most = Math.max(most, mostOf(way))
      this.ahead[place] = this.ahead[place + 1]! + most * this.weightOf(lines[place]!.at)
    }
  }

  run({ start, guide, statesKept }: Start, steps: number): { choice: ComponentChoice | null; steps: number } {
    this.steps = steps
    this.best = start
    if (guide !== null) {
      this.statesKept = statesKept
      this.follow(guide)
    }
    let [before, after] = layers
    before.reset(this.width)
    before.put(new Float64Array(this.width), 0)
    before.trails[0] = -1
    before.penalties[0] = 0
    for (const place of this.places.keys()) {
      if (!this.pass(place, before, after)) return { choice: null, steps: this.steps }
      ;[before, after] = [after, before]
    }
    this.judgeEnds(before)
    const { plans, worth } = this.best
    return { choice: { plans, worth, bound: Math.max(worth, this.leftOut), steps: this.steps }, steps: this.steps }
  }

  // The penalties of all ways, and the least that the lines ahead can come to.
  private follow(guide: Guide): void {
    const { places } = this
    this.most = guide.most
    for (const { line, penalties } of places) {
      for (const [way, each] of line.ways.entries()) penalties[way] = guide.penaltyOf(line, each)
    }
    for (let place = places.length - 1; place >= 0; place--) {
      const { penalties } = places[place]!
      this.penaltiesAhead[place] = this.penaltiesAhead[place + 1]! + penalties.reduce((a, b) => Math.max(a, b))
    }
  }

  private weightOf(at: number): number {
    return this.task.weights?.[at] ?? 1
  }

  // All states past a line; false where they are too many.
  private pass(place: number, before: Layer, after: Layer): boolean {
    const { line, steps, counters, from, isLast, penalties } = this.places[place]!
    const { width } = this
    const row = new Float64Array(width)
    const ahead = this.ahead[place + 1]!
    const reach = this.most + this.penaltiesAhead[place + 1]!
    const weight = this.weightOf(line.at)
    const moving = Math.ceil((before.count * steps.length) / movesPerStep)
    if (this.steps + moving > this.task.stepsMax) return false
    this.steps += moving
    after.reset(width)
    for (let state = 0; state < before.count; state++) {
      const start = before.gains[state]!
      for (let way = 0; way < steps.length; way++) {
        const penalty = before.penalties[state]! + penalties[way]!
        if (reach + penalty < this.best.worth + 1) continue
        for (let digit = 0; digit < width; digit++) row[digit] = before.rows[state * width + digit]!
        let gain = start + line.ways[way]!.gain * weight
        const own = steps[way]!
        for (let of = 0; of < own.length && gain !== Number.NEGATIVE_INFINITY; of++) {
          const counter = counters[of]!
          gain += counter.advance(row, from[of]!, own[of]!)
          if (!isLast[of]!) continue
          if (!counter.isEnd(row, from[of]!)) gain = Number.NEGATIVE_INFINITY
          row.fill(0, from[of]!, from[of]! + counter.digits)
        }
        if (gain + ahead <= this.best.worth) continue
        row[width - 1] = row[width - 1]! * line.apart.count + line.apart.numbers[way]!
        const put = after.put(row, gain)
        if (put < 0) continue
        after.penalties[put] = penalty
        after.trails[put] = this.ways.length
        this.befores.push(before.trails[state]!)
        this.ways.push(way)
      }
      if (after.count > statesMax) return false
    }
    if (after.count > this.statesKept) this.narrow(after, reach)
    return true
  }

  // Keeps the states to which the relaxation gives most.
  private narrow(layer: Layer, reach: number): void {
    const states = Array.from({ length: layer.count }, (_, state) => state)
    states.sort((a, b) => layer.penalties[b]! - layer.penalties[a]! || layer.gains[b]! - layer.gains[a]! || a - b)
    this.leftOut = Math.max(this.leftOut, reach + layer.penalties[states[this.statesKept]!]!)
    layer.keep(states.slice(0, this.statesKept).sort((a, b) => a - b))
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
    for (let place = this.places.length - 1; place >= 0; place--) {
      const { line } = this.places[place]!
      ways[line.at] = line.ways[this.ways[trail]!]!
      trail = this.befores[trail]!
    }
    this.steps += this.task.judgeSteps
    const serves = ways.map((way) => fixedOf(way!.plan, this.ground))
    const trimmed = trimBought(this.ground, serves)
    const plans = ways.map((way, at) =>
      trimmed[at] === serves[at] ? way!.plan : planLine(lines[at]!, lineOffers[at]!, trimmed[at]!),
    )
    const worth = this.task.judge(plans)
    if (worth !== null && worth > this.best.worth) this.best = { plans, worth }
    return worth !== null && ways.every((way) => way!.isSure)
  }
}

/** Both layers of a walk. */
const layers: readonly [Layer, Layer] = [new Layer(), new Layer()]

function byGain(layer: Layer): number[] {
  const states = Array.from({ length: layer.count }, (_, state) => state)
  return states.sort((a, b) => layer.gains[b]! - layer.gains[a]! || a - b)
}

function fixedOf({ serves }: LinePlan, { offers }: TieGround): readonly Serve[] {
  return serves.filter(({ offer }) => offers.includes(offer))
}

function mostOf({ gain, uses }: Way): number {
  return uses.reduce((sum, { amount }) => sum + amount, gain)
}

// What the lines after each place hold for an offer.
function comingOf({ lines, offers }: TieGround, tied: readonly WalkLine[], index: number): Coming {
  const { shape } = offers[index]!
  const components = shape.kind === 'bundle' ? shape.components.length : 1
  const places = tied.map(({ at, offers: own, standings, roles }) => {
    const of = own.indexOf(index)
    const takes = new Set(roles.flatMap((role) => (role.of === of && !role.isBought ? [role.component] : [])))
    return { ...lines[at]!, standing: of === -1 ? null : standings[of]!, takes }
  })
  const takes: number[][] = []
  const pure: number[] = []
  let after = { takes: Array.from({ length: components }, () => 0), pure: 0 }
  for (let place = places.length - 1; place >= 0; place--) {
    takes[place] = after.takes
    pure[place] = after.pure
    const { pieces, standing, takes: own } = places[place]!
    after = {
      takes: own.size === 0 ? after.takes : after.takes.map((units, at) => units + (own.has(at) ? pieces : 0)),
      pure: after.pure + (standing === 'pure' ? pieces : 0),
    }
  }
  return { pure, takes, level: levelsOf(places), mixes: places.some(({ standing }) => standing === 'either') }
}

// Units that may be bought after each place at the price of the last line up to it whose units could be either.
function levelsOf(places: readonly { price: number; pieces: number; standing: Standing | null }[]): number[] {
  const eithers = places.flatMap(({ standing }, place) => (standing === 'either' ? [place] : []))
  const level = places.map(() => 0)
  let run = 0
  for (let at = eithers.length - 1; at >= 0; at--) {
    const [place, next] = [eithers[at]!, eithers[at + 1]]
    const isSame = next !== undefined && places[next]!.price === places[place]!.price
    run = isSame ? run + places[next]!.pieces : 0
    level.fill(run, place, next ?? places.length)
  }
  return level
}
