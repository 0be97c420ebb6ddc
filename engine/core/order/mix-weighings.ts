import type { Weighing } from './weigh-orders.js'

/** Under which weights plans are to be found, and what is known then. */
export interface Mixing {
  /** What any plans cost at least under the weights, and the best plans found. */
  readonly choose: (weighing: Pick<Weighing, 'weightOf'>) => { readonly least: number; readonly plans: Costs }
  /** Whether a bound suffices, or the budget is spent. */
  readonly isEnough: (net: number) => boolean
}

/** What the plans of all lines cost under a weighing. */
export type Costs = (weighing: Weighing) => number

/** Multipliers that are tried. */
const roundsMax = 4

/**
 * A bound for the greater of two weighings, which no single one of them may come near: any part of the one and the rest of
 * the other is a weighing too (a Lagrangian multiplier). The part under which the bound is greatest is looked for by
 * cutting planes: what plans cost is a straight line over the parts, and the next part is where the lines of the best plans
 * on both sides meet.
 *
 * @param ends  the best plans found under each of the two
 * @returns     what the basket costs at least
 */
export function mixedNet(
  [first, second]: readonly [Weighing, Weighing],
  ends: readonly [Costs, Costs],
  { choose, isEnough }: Mixing,
): number {
  let [rising, falling] = [lineOf(ends[0]), lineOf(ends[1])]
  let most = Number.NEGATIVE_INFINITY
  for (let round = 0; round < roundsMax && rising.slope > 0 && falling.slope < 0; round++) {
    const part = (falling.start - rising.start) / (rising.slope - falling.slope)
    if (!(part > 0 && part < 1) || isEnough(most)) break
    const weightOf = (at: number) => (1 - part) * first.weightOf(at) + part * second.weightOf(at)
    const { least, plans } = choose({ weightOf })
    most = Math.max(most, least + (1 - part) * first.added + part * second.added)
    const line = lineOf(plans)
    if (line.start + line.slope * part >= rising.start + rising.slope * part - tolerance) break
    if (line.slope > 0) rising = line
    else falling = line
  }
  return most

  function lineOf(costs: Costs) {
    const start = costs(first)
    return { start, slope: costs(second) - start }
  }
}

/** Minor units by which plans must cost less for another part to be looked for. */
const tolerance = 0.01
