import { nanos, stepsOf } from '../../base/costs.js'
import { scratch } from '../../base/scratch.js'
import type { WalkLine } from '../assignments.js'
import type { Automaton, TransitionTable } from '../automaton.js'
import { type LagrangianBound, type Transitions, transitionsOf } from './lagrangian.js'

interface OfferDuals {
  readonly offer: number
  readonly at: number
  readonly table: TransitionTable
  readonly multipliers: Float64Array
  readonly most: Float64Array
  readonly whole: Float64Array
  readonly transitions: Transitions
  count: number
}

/** Lowers the bound by changing multipliers; no step raises it. Proof: docs/search.md, Components. */
export class DualAscent {
  steps = 0
  private readonly offerDuals: readonly (readonly OfferDuals[])[]
  private readonly tops: Float64Array
  private readonly reach: Float64Array[]
  private readonly beside: Float64Array
  private readonly behind: readonly (readonly Float64Array[])[]

  private readonly held: Float64Array
  private readonly lacks: Float64Array

  private readonly kept: Int32Array

  /** Continues with, and updates, the state of `lagrangian`. */
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

  sweep(least: number, times: number, stepsMax: number): void {
    const { linesAhead, ahead, allowance } = this.lagrangian
    const end = this.steps + stepsMax
    for (let time = 0; time < times && this.lagrangian.bound >= least && this.steps < end; time++) {
      this.steps += this.stepsPerSweep()
      this.goThere()
      const isOpen = this.goBack(least - 2 * allowance)
      const most = ahead.reduce((sum, own) => sum + own[0]![0]!, linesAhead[0]!)
      this.lagrangian.bound = isOpen ? most + allowance : Number.NEGATIVE_INFINITY
    }
  }

  /** Open assignments whose bound reaches this share of the relaxation's, by stage. */
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

  private goBack(least: number): boolean {
    const { tops, offerDuals } = this
    const { linesAhead } = this.lagrangian
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
      linesAhead[stage] = linesAhead[stage + 1]! + tops[stage]!
      most += tops[stage]!
    }
    return true
  }

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
    const [assignments, residuals, reach] = [
      this.lagrangian.open[stage]!,
      this.lagrangian.residuals[stage]!,
      this.reach[stage]!,
    ]
    for (let each = 0; each < assignments.length; each++) reach[each] = residuals[assignments[each]!]!
    for (const { table, most } of own) {
      const { useOf } = table
      for (let each = 0; each < assignments.length; each++) reach[each]! += most[useOf[assignments[each]!]!]!
    }
    let top = Number.NEGATIVE_INFINITY
    for (let each = 0; each < assignments.length; each++) if (reach[each]! > top) top = reach[each]!
    this.tops[stage] = top
  }

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
        // Uses of no open assignment are unreachable.
        multipliers[use] =
          whole[use]! === Number.NEGATIVE_INFINITY
            ? Number.POSITIVE_INFINITY
            : most[use]! - (whole[use]! - top) / own.length
      }
    }
  }

  // The line's gain with its payments: the total less the parts left to offers.
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

function pay(
  held: Float64Array,
  assignments: Int32Array,
  { table, lacks }: { table: TransitionTable; lacks: Float64Array },
): void {
  const { useOf } = table
  for (let each = 0; each < assignments.length; each++) held[each]! += lacks[useOf[assignments[each]!]!]!
}

function keepTransition({ from, use, to, gain }: Transitions, each: number, place: number): void {
  from[place] = from[each]!
  use[place] = use[each]!
  to[place] = to[each]!
  gain[place] = gain[each]!
}
