import { type BasisLine, partOf } from '../base/basis.js'
import { limitedSplitsMax, nanos, stepsOf, stepsPerLine } from '../base/costs.js'
import { type Money, sumOf } from '../base/money.js'
import {
  hasMaximum,
  heldBy,
  type LineOffers,
  type LinePlan,
  planLine,
  planLineIn,
  replaces,
  stackOn,
} from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import { componentsOf } from '../model/components.js'
import type { BasketInstance, FreeUnits, LineInstance, OfferPartition } from '../model/instance.js'
import type { Component, ComponentChoice } from '../model/task.js'
import { isJudgedTogether, isOnUnits, type Offer } from '../offers/offer.js'
import { isNeutral, lineTask, makeFeasible, putPlans, stepsFirst } from './basket-instance.js'
import { chooseTogether, type Joint } from './choose-together.js'
import { solve } from './solve.js'

export interface LineLevelChoice {
  readonly plans: readonly LinePlan[]
  /** Lower bounds of costs before order discounts, for sums over lines of a kind; not for lines of `joint`. */
  readonly restBounds: readonly Money[]
  /** Components whose lines the order level treats differently; null: none. */
  readonly joint: Joint | null
  readonly components: readonly Component[]
  readonly steps: number
}

interface LineLevelTask {
  readonly partition: Pick<OfferPartition, 'tying' | 'binding'>
  readonly free: readonly FreeUnits[]
  readonly stepsMax: number
}

export function chooseLines(instance: BasketInstance, { partition, free, stepsMax }: LineLevelTask): LineLevelChoice {
  const { alone } = instance.lineInstance
  const components = componentsOf(alone.length, partition)
  const plans = [...alone]
  const restBounds = plans.map(({ restBound }) => restBound)
  const others: Component[] = []
  let steps = 0
  let linesLater = sumOf(components.map(({ lines }) => lines.length))
  for (const component of components) {
    linesLater -= component.lines.length
    if (!isNeutral(instance, component)) {
      others.push(component)
      continue
    }
    const task = lineTask(instance, component, { weights: null, stepsMax: stepsFirst(stepsMax - steps, linesLater) })
    const choice =
      chooseDirectly(instance.lineInstance, component, task.stepsMax) ?? solve(instance.lineInstance, component, task)
    steps += choice.steps
    putPlans(plans, component, choice.plans)
    takeOff(instance, component, { gain: choice.bound, restBounds })
  }
  let joint: Joint | null = null
  if (others.length > 0) {
    makeFeasible(instance, plans)
    joint = chooseTogether(instance, others, { plans, restBounds, free, stepsMax: stepsMax - steps })
    steps += joint.steps
    for (const [at, plan] of joint.plans) plans[at] = plan
  }
  return { plans, restBounds, joint, components, steps }
}

// All gaining lines have the same weight, so any of them may carry the gain.
function takeOff(
  { lineInstance, canGain }: BasketInstance,
  component: Component,
  { gain, restBounds }: { gain: Money; restBounds: Money[] },
): void {
  let left = gain
  for (const at of component.lines) {
    const held = heldBy(lineInstance.lines[at]!)
    const taken = canGain[at]! ? Math.min(left, held) : 0
    restBounds[at] = held - taken
    left -= taken
  }
}

/**
 * The best plans of a component, if a short rule proves them for any quantities within `stepsMax`; otherwise null.
 *
 * Unit limits on one line below stackable benefits: less before those never leaves more after, so the split that takes
 * most is best. A maximum: plans without it, if it does not limit, or comes in full on top of all others.
 */
function chooseDirectly(
  lineInstance: LineInstance,
  { lines, offers }: Component,
  stepsMax: number,
): ComponentChoice | null {
  if (offers.some((offer) => !isOnUnits(offer) || (isJudgedTogether(offer) && !hasMaximum(offer)))) return null
  const offeredLines = lines.map((at) => ({ line: lineInstance.lines[at]!, offers: lineInstance.lineOffers[at]! }))
  if (offeredLines.some(({ line }) => line.cluster !== undefined)) return null
  if (offeredLines.some((offered) => offered.offers.stacks.some(hasMaximum))) return null
  if (!offers.some(hasMaximum)) return offeredLines.length === 1 ? limited(offeredLines[0]!, offers, stepsMax) : null
  return offers.length === 1 && offers[0]!.unitsMax === Number.POSITIVE_INFINITY
    ? maximised(offeredLines, offers[0]!)
    : null
}

interface LineAndOffers {
  readonly line: BasisLine
  readonly offers: LineOffers
}

function isBare({ line, offers: { untied, stacks } }: LineAndOffers): boolean {
  return line.own === 0 && untied.length === 0 && stacks.length > 0
}

// On a tie of rests, the split with fewest units.
function limited(offered: LineAndOffers, offers: readonly Offer[], stepsMax: number): ComponentChoice | null {
  const { line, offers: own } = offered
  const count = offers.reduce((splits, { unitsMax }) => splits * (Math.min(line.pieces, unitsMax) + 1), 1)
  const steps = Math.ceil(stepsOf(count * nanos.made))
  if (!isBare(offered) || count > limitedSplitsMax || steps > stepsMax) return null
  const befores: Money[] = []
  eachSplit(line.pieces, offers, (units) => befores.push(line.gross - takenBy(line, offers, units)))
  const sorted = Float64Array.from(befores).sort()
  const restAfter = (split: number) => stackOn(line, own.stacks, sorted[split]!).rest
  const rest = restAfter(0)
  let [last, end] = [0, sorted.length]
  while (end - last > 1) {
    const middle = Math.floor((last + end) / 2)
    if (restAfter(middle) === rest) last = middle
    else end = middle
  }
  let best: { readonly before: Money; readonly sum: number; readonly units: readonly number[] } | null = null
  let split = 0
  eachSplit(line.pieces, offers, (units) => {
    const before = befores[split++]!
    if (before > sorted[last]!) return
    const sum = sumOf(units)
    const isBetter = best === null || sum < best.sum || (sum === best.sum && before < best.before)
    if (isBetter) best = { before, sum, units: [...units] }
  })
  const { units } = best!
  const serves = offers.flatMap((offer, at) => (units[at]! > 0 ? [{ offer, pieces: units[at]!, bought: 0 }] : []))
  const worth = heldBy(line) - rest
  return { plans: [planLine(line, own, serves)], worth, bound: worth, steps }
}

function takenBy(line: BasisLine, offers: readonly Offer[], units: readonly number[]): Money {
  let taken = 0
  for (let index = 0; index < offers.length; index++) {
    const pieces = units[index]!
    if (pieces > 0) taken += offers[index]!.amountOn(line, pieces, partOf(line, pieces, line.gross))
  }
  return taken
}

// Calls `visit` with each split; the array is reused.
function eachSplit(pieces: number, offers: readonly Offer[], visit: (units: readonly number[]) => void): void {
  const units = offers.map(() => 0)
  const descend = (index: number, free: number) => {
    const offer = offers[index]
    if (offer === undefined) return visit(units)
    const most = Math.min(free, offer.unitsMax)
    for (units[index] = 0; units[index]! <= most; units[index]!++) descend(index + 1, free - units[index]!)
    units[index] = 0
  }
  descend(0, pieces)
}

function maximised(offeredLines: readonly LineAndOffers[], offer: Offer): ComponentChoice | null {
  const lines = offeredLines.map(({ line }) => line)
  const plans = offeredLines.map(({ line, offers: { untied, stacks } }) =>
    planLine(line, { untied: [...untied, offer].sort((a, b) => a.rank - b.rank), stacks }),
  )
  const settled = settleLines(lines, plans)
  if (settled === null) return null
  const held = sumOf(lines.map(heldBy))
  const worth = held - sumOf(settled.lines.map(({ rest }) => rest))
  const uncapped = held - sumOf(plans.map(({ restBound }) => restBound))
  const added = held - sumOf(offeredLines.map((each) => leastWithout(each, offer))) + offer.maximumAmount
  const bound = Math.min(uncapped, added)
  return worth === bound ? { plans, worth, bound, steps: stepsPerLine * lines.length } : null
}

// Lower bound of a line's cost before the offer, which may take own discounts off for others.
function leastWithout({ line, offers }: LineAndOffers, offer: Offer): Money {
  const { restBound } = planLine(line, offers)
  if (line.own === 0 || !replaces(offer)) return restBound
  return Math.min(restBound, planLineIn(line, offers, { off: true, fixed: [] }).restBound)
}
