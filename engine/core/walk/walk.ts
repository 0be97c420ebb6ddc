import {
  equalShares,
  nanos,
  nanosIn,
  plainStepsMax,
  plainWidth,
  searches,
  shares,
  statesMax,
  stepsOf,
} from '../base/costs.js'
import { scratch } from '../base/scratch.js'
import { leastMore } from '../base/tolerance.js'
import type { LinePlan } from '../lines/plan.js'
import type { ComponentChoice, Incumbent, SolverTask } from '../model/task.js'
import type { WalkLine } from './assignments.js'
import { type Automaton, bitRangesOf } from './automaton.js'
import { DualAscent } from './bounds/dual-ascent.js'
import { gainsOf, LagrangianBound } from './bounds/lagrangian.js'
import { Backpointers, hashOfRow, Layer } from './layer.js'
import { type OfferStage, Successors } from './successors.js'

interface Setting {
  readonly lines: readonly WalkLine[]
  readonly automata: readonly Automaton[]
}

export class Walk {
  private steps = 0
  private readonly lines: readonly WalkLine[]
  private readonly automata: readonly Automaton[]
  private dualAscent: DualAscent | null = null
  private readonly lagrangian: LagrangianBound
  private readonly offerStages: readonly (readonly OfferStage[])[]
  private readonly gains: readonly Float64Array[]
  private readonly width: number
  private readonly row: Float64Array
  private readonly breadth: number
  /** Least gain over the incumbent that counts: a whole unit if lines weigh the same. */
  private readonly leastMore: number
  private readonly allowance: number
  private readonly backpointers = backpointers
  private nanosEach = 0
  private assignments: readonly Int32Array[]
  private best: Incumbent
  private leftOut = Number.NEGATIVE_INFINITY

  constructor(
    private readonly task: SolverTask,
    { lines, automata }: Setting,
  ) {
    this.lines = lines
    this.automata = automata
    this.best = task.start
    this.allowance = leastMore(task.most)
    this.lagrangian = new LagrangianBound(lines, automata, this.allowance)
    this.assignments = this.lagrangian.open
    const { bitRanges, columns } = bitRangesOf(automata)
    this.width = columns + 1
    this.row = scratch.takeDoubles(this.width)
    this.breadth = Math.max(1, (automata.length + 1) / plainWidth)
    this.gains = lines.map(gainsOf)
    this.leastMore = (task.weights ?? null) === null || task.workedOut !== undefined ? 1 : this.allowance
    const passed = automata.map(() => 0)
    this.offerStages = lines.map(({ offers }) =>
      offers.map((offer) => {
        const at = passed[offer]!++
        const ahead = this.lagrangian.ahead[offer]!
        const multipliers = this.lagrangian.multipliers[offer]![at]!
        return {
          table: automata[offer]!.tables[at]!,
          bits: bitRanges[offer]!,
          before: ahead[at]!,
          after: ahead[at + 1]!,
          multipliers,
        }
      }),
    )
  }

  run(steps: number): ComponentChoice {
    this.steps = steps + this.lagrangian.steps
    let bound = this.lagrangian.bound
    if (this.isOpen(bound))
      bound = Math.min(
        bound,
        this.walk(
          Number.POSITIVE_INFINITY,
          this.steps + Math.min(plainStepsMax, (this.task.stepsMax - this.steps) * shares.plain),
        ),
      )
    bound = this.search(bound)
    const { plans, worth } = this.best
    const most = this.isOpen(bound) ? bound : worth
    const isWhole = (this.task.weights ?? null) === null
    return { plans, worth, bound: isWhole ? Math.floor(most) : most + this.allowance, steps: this.steps }
  }

  private search(most: number): number {
    let bound = most
    for (const { sweeps, near, statesKept } of searches) {
      if (!this.isOpen(bound) || this.steps >= this.task.stepsMax) break
      const dualAscent = this.improved(sweeps)
      bound = Math.min(bound, this.lagrangian.bound)
      if (!this.isOpen(bound)) break
      this.assignments = near === 0 ? this.lagrangian.open : dualAscent.assignmentsNear(near)
      const most = this.walk(statesKept, this.task.stepsMax)
      bound = Math.min(bound, Math.max(most, near * this.lagrangian.bound + this.allowance))
    }
    return bound
  }

  private improved(sweeps: number): DualAscent {
    this.dualAscent ??= new DualAscent(this.lines, this.automata, this.lagrangian)
    const before = this.dualAscent.steps
    this.dualAscent.sweep(this.best.worth + this.leastMore, sweeps, this.task.stepsMax - this.steps)
    this.steps += this.dualAscent.steps - before
    return this.dualAscent
  }

  private isOpen(bound: number): boolean {
    return bound >= this.best.worth + this.leastMore
  }

  private walk(statesKept: number, stepsMax: number): number {
    if (this.steps >= stepsMax) return this.lagrangian.bound
    let [before, after] = layers
    this.leftOut = Number.NEGATIVE_INFINITY
    this.backpointers.reset()
    before.reset(this.width)
    before.put(scratch.takeDoubles(this.width), 0, 0)
    before.backpointers[0] = -1
    before.aheads[0] = this.lagrangian.ahead.reduce((sum, own) => sum + own[0]![0]!, 0)
    for (const stage of this.lines.keys()) {
      if (!this.expand(stage, [before, after], stepsMax)) return this.lagrangian.bound
      const kept = Math.min(statesKept, this.affordable(stage + 1, stepsMax))
      if (after.count > kept) this.narrow(after, kept, this.lagrangian.linesAhead[stage + 1]! + this.allowance)
      ;[before, after] = [after, before]
    }
    this.judgeEnds(before)
    return Math.max(this.best.worth, this.leftOut)
  }

  private affordable(stage: number, stepsMax: number): number {
    const lines = this.lines.length - stage
    if (lines === 0) return Number.POSITIVE_INFINITY
    const steps = (stepsMax - this.steps) * Math.min(shares.first, equalShares / lines)
    return Math.max(1, Math.floor(nanosIn(steps) / (this.nanosEach * this.breadth)))
  }

  private expand(stage: number, [before, after]: readonly [Layer, Layer], stepsMax: number): boolean {
    const { apart } = this.lines[stage]!
    const assignments = this.assignments[stage]!
    const [offerStages, gains, width, row] = [this.offerStages[stage]!, this.gains[stage]!, this.width, this.row]
    const { linesAhead, residuals } = this.lagrangian
    const most = linesAhead[stage]! - linesAhead[stage + 1]!
    const later = linesAhead[stage + 1]! + this.allowance
    const least = this.best.worth + this.leastMore
    after.reset(width)
    successors.reset({ offerStages, assignments, residuals: residuals[stage]!, most })
    const takenMax = nanosIn(stepsMax - this.steps) / this.breadth
    let taken = assignments.length * nanos.entry
    for (let state = 0; state < before.count; state++) {
      const from = state * width
      const [gained, stateAhead] = [before.gains[state]!, before.aheads[state]!]
      const found = successors.find(before.rows, from, gained + stateAhead + most + later + this.allowance - least)
      taken += nanos.state + successors.looks * nanos.look + found * nanos.transition
      for (let each = 0; each < found; each++) {
        const at = successors.found[each]!
        const assignment = assignments[at]!
        for (let column = 0; column < width; column++) row[column] = before.rows[from + column]!
        successors.go(at, row)
        const [gain, ahead] = [gained + gains[assignment]! + successors.gain, stateAhead + successors.ahead]
        if (gain + ahead + later < least) continue
        row[width - 1] = row[width - 1]! * apart.count + apart.numbers[assignment]!
        const put = after.put(row, hashOfRow(row, width), gain)
        if (put < 0) continue
        after.aheads[put] = ahead
        after.backpointers[put] = this.backpointers.add(before.backpointers[state]!, assignment)
      }
      if (after.count > statesMax || taken > takenMax) break
    }
    this.steps += Math.ceil(stepsOf(taken * this.breadth))
    this.nanosEach = taken / before.count
    return after.count <= statesMax && taken <= takenMax
  }

  private narrow(layer: Layer, statesKept: number, later: number): void {
    this.steps += Math.ceil(stepsOf(layer.count * nanos.state * this.breadth))
    this.leftOut = Math.max(this.leftOut, narrowToBeam(layer, statesKept) + later)
  }

  // Gains of ends are bounds until settled: greatest first, until none can be better.
  private judgeEnds(layer: Layer): void {
    for (const [judged, end] of byGain(layer).entries()) {
      const most = layer.gains[end]!
      if (most <= this.best.worth) return
      if (judged > 0 && this.steps > this.task.stepsMax) {
        this.leftOut = Math.max(this.leftOut, most)
        return
      }
      if (!this.judge(this.assignmentsTo(layer.backpointers[end]!))) this.leftOut = Math.max(this.leftOut, most)
    }
  }

  private assignmentsTo(end: number): Int32Array {
    const { befores, taken } = this.backpointers
    const assignments = new Int32Array(this.lines.length)
    for (let stage = assignments.length - 1, at = end; stage >= 0; at = befores[at]!) assignments[stage--] = taken[at]!
    return assignments
  }

  // False if the gain is not exact: plans dropped for these may be better.
  private judge(assignments: Int32Array): boolean {
    this.steps += this.task.judgeSteps
    const { plans, isSure } = plansByAssignments(this.lines, assignments)
    const worth = this.task.judge(plans)
    if (worth !== null && worth > this.best.worth) this.best = { plans, worth }
    return worth !== null && isSure
  }
}

const successors = new Successors()
const backpointers = new Backpointers()

const layers: readonly [Layer, Layer] = [new Layer(), new Layer()]

function byGain(layer: Layer): number[] {
  const states = Array.from({ length: layer.count }, (_, state) => state)
  return states.sort((a, b) => layer.gains[b]! - layer.gains[a]! || a - b)
}

/**
 * Plans of a component, and whether their gain is exact.
 *
 * @param assignmentAt  by stage of the walk
 */
function plansByAssignments(
  lines: readonly WalkLine[],
  assignmentAt: ArrayLike<number>,
): { readonly plans: readonly LinePlan[]; readonly isSure: boolean } {
  const plans = new Array<LinePlan>(lines.length)
  let isSure = true
  for (let stage = 0; stage < lines.length; stage++) {
    const line = lines[stage]!
    plans[line.at] = line.planOf(assignmentAt[stage]!)
    isSure &&= line.isSure(assignmentAt[stage]!)
  }
  return { plans, isSure }
}

let reach = new Float64Array(0)
let sorted = new Float64Array(0)
let kept = new Int32Array(0)

/**
 * Narrows a larger layer to the `statesKept` states of the greatest bound; on a tie the first.
 *
 * @returns  upper bound of states left out, without later lines
 */
function narrowToBeam(layer: Layer, statesKept: number): number {
  const { gains, aheads, count } = layer
  if (reach.length < count) {
    reach = new Float64Array(2 * count)
    sorted = new Float64Array(2 * count)
    kept = new Int32Array(2 * count)
  }
  for (let state = 0; state < count; state++) reach[state] = gains[state]! + aheads[state]!
  const least = leastOf(count, statesKept)
  let ties = statesKept
  for (let state = 0; state < count; state++) if (reach[state]! > least) ties--
  let [most, left] = [Number.NEGATIVE_INFINITY, 0]
  for (let state = 0; state < count; state++) {
    if (reach[state]! > least || (reach[state] === least && ties-- > 0)) kept[left++] = state
    else if (reach[state]! > most) most = reach[state]!
  }
  layer.keep(kept.subarray(0, left))
  return most
}

// Quickselect: the `wanted`-th greatest reach of more states.
function leastOf(count: number, wanted: number): number {
  sorted.set(reach.subarray(0, count))
  const place = count - wanted
  let [low, high] = [0, count - 1]
  while (low < high) {
    const pivot = sorted[(low + high) >> 1]!
    let [left, right] = [low, high]
    while (left <= right) {
      while (sorted[left]! < pivot) left++
      while (sorted[right]! > pivot) right--
      if (left > right) break
      const each = sorted[left]!
      sorted[left++] = sorted[right]!
      sorted[right--] = each
    }
    if (place <= right) high = right
    else if (place >= left) low = left
    else break
  }
  return sorted[place]!
}
