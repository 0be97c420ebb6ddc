import { nanos, stepsOf } from '../../base/costs.js'
import { scratch } from '../../base/scratch.js'
import type { WalkLine } from '../assignments.js'
import type { Automaton, TransitionTable } from '../automaton.js'
import { type LagrangianBound, type Transitions, transitionsOf } from './lagrangian.js'

/** The multipliers of an offer on one of its lines, and what they are improved with. */
interface OfferDuals {
  /** Index of the offer. */
  readonly offer: number
  /** Number of the line among those of the offer. */
  readonly at: number
  readonly table: TransitionTable
  /** By use. */
  readonly multipliers: Float64Array
  /** By use: what the offer comes to at most with it, before it pays for it. */
  readonly most: Float64Array
  /** By use: what the line and all its offers come to at most with it. */
  readonly whole: Float64Array
  readonly transitions: Transitions
  /** The first so many transitions are open. */
  count: number
}

/**
 * Lowers the bound of the relaxation by dual ascent on its multipliers. Each use that an offer can have of a line has a
 * multiplier of its own: the offer pays it and the line receives it. Any plans have one assignment for each line, whose
 * uses are what the offers have of it, so all that is paid is received: plans gain what offers and lines come to
 * together. With each of them at its best by itself that is no less, whatever the multipliers are.
 *
 * A sweep goes from line to line, there and back. At a line the multiplier of every offer for each use is first raised
 * to all that it comes to with it: no offer of the line comes to more than 0 then, and the line to what is best of it
 * and them together, which is no more than what they came to apart. Then each offer is given back, for each use, an
 * equal part of what the best assignment with it lacks to the best assignment of all. That is 0 or less, so no offer
 * comes to more than 0; and as an assignment lacks at least what the best assignment with any of its uses does, the
 * line comes to no more with it than with the best assignment. So no sweep raises the bound.
 *
 * Assignments may still lack something then at the line alone. On the return the multipliers of one offer after the
 * other are raised by that too: for each use, what the best assignment with it still lacks. The line comes to no more
 * than before, and offers to less; so much less can states still come to that do not lead to the best plans.
 *
 * Whether a sweep lowers the bound or not, what LagrangianBound takes over (what is to come by state, the
 * open assignments, the bound) is worked out for the multipliers as they are.
 *
 * What plans with an assignment, or a transition of an offer, gain at most is known before the parts are given back:
 * what the lines and offers come to, less what is lacking with it. Below what is asked for it is closed, which leaves
 * all plans that gain as much.
 */
export class DualAscent {
  steps = 0
  /** By stage, one per offer of the line. */
  private readonly offerDuals: readonly (readonly OfferDuals[])[]
  /** By stage: what the line comes to at most. */
  private readonly tops: Float64Array
  /** By stage and open assignment: what the line and its offers come to with it. */
  private readonly reach: Float64Array[]
  /** By stage: what all else came to at most then, on the return. */
  private readonly beside: Float64Array
  /** What each offer has come to at most, by automaton, table and state. */
  private readonly behind: readonly (readonly Float64Array[])[]

  /** By open assignment of a line: what the line comes to with it. */
  private readonly held: Float64Array
  /** By use of an offer: what is lacking with it. */
  private readonly lacks: Float64Array

  /** Numbers of the assignments that stay open. */
  private readonly kept: Int32Array

  /** Goes on with the multipliers, bounds ahead, open assignments and bound of a relaxation. */
  constructor(
    lines: readonly WalkLine[],
    automata: readonly Automaton[],
    private readonly lagrangian: LagrangianBound,
  ) {
    this.tops = scratch.takeDoubles(lines.length)
    this.beside = scratch.takeDoubles(lines.length)
    this.reach = lagrangian.open.map((assignments) => scratch.takeDoubles(assignments.length))
    this.behind = automata.map(({ tables }) => {
      const behind = tables.map(({ stateCount }) => scratch.takeDoubles(stateCount))
      behind.push(scratch.takeDoubles(1))
      return behind
    })
    const passed = automata.map(() => 0)
    this.offerDuals = lines.map(({ offers }) => {
      return offers.map((offer): OfferDuals => {
        const at = passed[offer]!++
        const table = automata[offer]!.tables[at]!
        const multipliers = lagrangian.multipliers[offer]![at]!
        const [most, whole] = [scratch.takeDoubles(table.useCount), scratch.takeDoubles(table.useCount)]
        const transitions = transitionsOf(table)
        return { offer, at, table, multipliers, most, whole, transitions, count: transitions.from.length }
      })
    })
    let [longest, widest] = [0, 0]
    for (const assignments of lagrangian.open) longest = Math.max(longest, assignments.length)
    for (const { multipliers } of this.offerDuals.flat()) widest = Math.max(widest, multipliers.length)
    this.held = scratch.takeDoubles(longest)
    this.lacks = scratch.takeDoubles(widest)
    this.kept = scratch.takeIntegers(longest)
  }

  /**
   * So often there and back; assignments and transitions with which no plans can gain as much as `least` are closed.
   */
  sweep(least: number, times: number): void {
    const { restAhead, ahead, allowance } = this.lagrangian
    for (let time = 0; time < times && this.lagrangian.bound >= least; time++) {
      this.steps += this.stepsPerSweep()
      this.goThere()
      const isOpen = this.goBack(least - 2 * allowance)
      const most = ahead.reduce((sum, own) => sum + own[0]![0]!, restAhead[0]!)
      this.lagrangian.bound = isOpen ? most + allowance : Number.NEGATIVE_INFINITY
    }
  }

  /**
   * By stage: the open assignments with which plans could come up to this share of the bound. What an assignment lacks
   * was worked out on the return, while all came to more than the bound in the end: so the whole of it counts, and not
   * what it lacks.
   */
  assignmentsNear(share: number): Int32Array[] {
    const least = this.lagrangian.bound * share
    return this.lagrangian.open.map((assignments, stage) =>
      assignments.filter((_, each) => this.beside[stage]! + this.reach[stage]![each]! >= least),
    )
  }

  private stepsPerSweep(): number {
    let taken = 0
    for (const [stage, own] of this.offerDuals.entries()) {
      taken += nanos.state * own.length * this.lagrangian.open[stage]!.length
      for (const { count } of own) taken += nanos.entry * count
    }
    return 1 + Math.ceil(stepsOf(taken))
  }

  private goThere(): void {
    for (const [stage, own] of this.offerDuals.entries()) {
      this.gather(stage)
      this.distribute(stage)
      for (const each of own) this.follow(each)
    }
  }

  // False where some line has no assignment left: no plans gain as much as was asked for.
  private goBack(least: number): boolean {
    const { tops, offerDuals } = this
    const { restAhead } = this.lagrangian
    let most = tops.reduce((sum, top) => sum + top, 0)
    for (let stage = offerDuals.length - 1; stage >= 0; stage--) {
      most -= tops[stage]!
      this.gather(stage)
      if (tops[stage] === Number.NEGATIVE_INFINITY) return false
      this.beside[stage] = most
      this.narrow(stage, least - most)
      this.distribute(stage)
      this.raise(stage)
      for (const each of offerDuals[stage]!) this.boundAhead(each, least - most)
      restAhead[stage] = restAhead[stage + 1]! + tops[stage]!
      most += tops[stage]!
    }
    return true
  }

  // What the offers of a line come to with each use, and the line and they together by each assignment.
  private gather(stage: number): void {
    const own = this.offerDuals[stage]!
    for (const { offer, at, transitions, count, most } of own) {
      const [before, later] = [this.behind[offer]![at]!, this.lagrangian.ahead[offer]![at + 1]!]
      const { from, use, to, gain } = transitions
      most.fill(Number.NEGATIVE_INFINITY)
      for (let each = 0; each < count; each++) {
        const all = before[from[each]!]! + gain[each]! + later[to[each]!]!
        if (all > most[use[each]!]!) most[use[each]!] = all
      }
    }
    const [assignments, rests, reach] = [
      this.lagrangian.open[stage]!,
      this.lagrangian.rests[stage]!,
      this.reach[stage]!,
    ]
    for (let each = 0; each < assignments.length; each++) reach[each] = rests[assignments[each]!]!
    for (const { table, most } of own) {
      const { useOf } = table
      for (let each = 0; each < assignments.length; each++) reach[each]! += most[useOf[assignments[each]!]!]!
    }
    let top = Number.NEGATIVE_INFINITY
    for (let each = 0; each < assignments.length; each++) if (reach[each]! > top) top = reach[each]!
    this.tops[stage] = top
  }

  // Each offer is left its part of what is lacking with each use.
  private distribute(stage: number): void {
    const own = this.offerDuals[stage]!
    const [assignments, reach, top] = [this.lagrangian.open[stage]!, this.reach[stage]!, this.tops[stage]!]
    for (const { table, multipliers, most, whole } of own) {
      const { useOf } = table
      whole.fill(Number.NEGATIVE_INFINITY)
      for (let each = 0; each < assignments.length; each++) {
        const use = useOf[assignments[each]!]!
        if (reach[each]! > whole[use]!) whole[use] = reach[each]!
      }
      for (let use = 0; use < multipliers.length; use++) {
        // A use of no assignment is out of reach; so are assignments with uses that the offer cannot come to.
        multipliers[use] =
          whole[use]! === Number.NEGATIVE_INFINITY
            ? Number.POSITIVE_INFINITY
            : most[use]! - (whole[use]! - top) / own.length
      }
    }
  }

  // Raises multipliers by what assignments still lack: what the line comes to with an assignment, its uses being paid
  // for, is what all come to with it less what offers were left of that.
  private raise(stage: number): void {
    const own = this.offerDuals[stage]!
    const [assignments, reach, top] = [this.lagrangian.open[stage]!, this.reach[stage]!, this.tops[stage]!]
    const { held, lacks } = this
    held.set(reach.subarray(0, assignments.length))
    for (const { table, multipliers, most } of own) {
      for (let use = 0; use < multipliers.length; use++) {
        lacks[use] = multipliers[use] === Number.POSITIVE_INFINITY ? 0 : multipliers[use]! - most[use]!
      }
      pay(held, assignments, { table, lacks })
    }
    for (const { table, multipliers } of own) {
      const { useOf } = table
      lacks.fill(Number.POSITIVE_INFINITY, 0, multipliers.length)
      for (let each = 0; each < assignments.length; each++) {
        const use = useOf[assignments[each]!]!
        if (top - held[each]! < lacks[use]!) lacks[use] = top - held[each]!
      }
      for (let use = 0; use < multipliers.length; use++) multipliers[use]! += lacks[use]!
      pay(held, assignments, { table, lacks })
    }
  }

  // What an offer has come to behind a line.
  private follow({ offer, at, multipliers, transitions, count }: OfferDuals): void {
    const [before, after] = [this.behind[offer]![at]!, this.behind[offer]![at + 1]!]
    const { from, use, to, gain } = transitions
    after.fill(Number.NEGATIVE_INFINITY)
    for (let each = 0; each < count; each++) {
      const all = before[from[each]!]! + gain[each]! - multipliers[use[each]!]!
      if (all > after[to[each]!]!) after[to[each]!] = all
    }
  }

  private narrow(stage: number, least: number): void {
    const [assignments, reach] = [this.lagrangian.open[stage]!, this.reach[stage]!]
    let kept = 0
    for (let each = 0; each < assignments.length; each++) {
      if (!(reach[each]! >= least)) continue
      this.kept[kept] = assignments[each]!
      reach[kept++] = reach[each]!
    }
    if (kept < assignments.length) this.lagrangian.open[stage] = this.kept.slice(0, kept)
  }

  // What an offer can still come to before a line, by the transitions that stay open.
  private boundAhead(own: OfferDuals, least: number): void {
    const { offer, at, table, multipliers, most, whole, transitions } = own
    const ahead = this.lagrangian.ahead[offer]!
    const [before, here, later] = [this.behind[offer]![at]!, ahead[at]!, ahead[at + 1]!]
    const { from, use, to, gain } = transitions
    here.fill(Number.NEGATIVE_INFINITY)
    let kept = 0
    for (let each = 0; each < own.count; each++) {
      const of = use[each]!
      const still = gain[each]! + later[to[each]!]!
      if (!(before[from[each]!]! + still - most[of]! + whole[of]! >= least)) {
        table.next[from[each]! * table.useCount + of] = -1
        continue
      }
      if (still - multipliers[of]! > here[from[each]!]!) here[from[each]!] = still - multipliers[of]!
      if (kept < each) keepTransition(transitions, each, kept)
      kept++
    }
    own.count = kept
  }
}

// What the line receives for the use of each assignment.
function pay(
  held: Float64Array,
  assignments: Int32Array,
  { table, lacks }: { table: TransitionTable; lacks: Float64Array },
): void {
  const { useOf } = table
  for (let each = 0; each < assignments.length; each++) held[each]! += lacks[useOf[assignments[each]!]!]!
}

// The open ones come first.
function keepTransition({ from, use, to, gain }: Transitions, each: number, stage: number): void {
  from[stage] = from[each]!
  use[stage] = use[each]!
  to[stage] = to[each]!
  gain[stage] = gain[each]!
}
