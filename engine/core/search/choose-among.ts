import type { Basis, BasisLine } from '../base/basis.js'
import { shares } from '../base/costs.js'
import { type Money, sumOf } from '../base/money.js'
import { twoRoundings } from '../base/tolerance.js'
import {
  hasMaximum,
  type LineOffers,
  type LinePlan,
  planLine,
  planLineIn,
  plansAlone,
  replaces,
} from '../lines/plan.js'
import { completionOf, partitionOffers } from '../model/components.js'
import type { BasketInstance, Completion, Problem } from '../model/instance.js'
import { isLeft, type Offer } from '../offers/offer.js'
import { haveSameLines, orderBound } from '../order/choose-orders.js'
import { netBefore, type Settled } from '../order/orders.js'
import { isPercentage, weighedOver } from '../order/weigh-orders.js'
import {
  type BasketChoice,
  basketInstanceOf,
  makeFeasible,
  ordersOver,
  settleBest,
  settleSteps,
  stepsTaken,
} from './basket-instance.js'
import { chooseLines, type LineLevelChoice } from './choose-lines.js'
import { staysUnbounded } from './choose-together.js'
import { chooseWithinRounding } from './choose-within-rounding.js'

export function chooseAmong(problem: Problem, all: readonly Offer[]): BasketChoice {
  const offers = all.filter(isLeft)
  const within = chooseWithin(problem, offers, true)
  if (isProven(within.chosen) || within.instance.cappedStacks.length === 0) return within.chosen
  const chosen = tightened(problem, offers, within)
  if (!within.isTied || isProven(chosen)) return chosen
  // With the ties of stackable maxima components may exceed the budget; without these ties fewer do.
  const stepsMax = Math.max(0, problem.stepsMax - chosen.steps)
  const apart = chooseWithin({ ...problem, stepsMax }, offers, false)
  const other = replanned(apart, stepsMax - apart.chosen.steps)
  const settled = other.settled.value > chosen.settled.value ? other.settled : chosen.settled
  const bound = Math.max(settled.value, Math.min(chosen.bound, apart.chosen.bound))
  return { settled, bound, steps: chosen.steps + apart.chosen.steps + other.steps }
}

function isProven({ settled, bound }: BasketChoice): boolean {
  return bound <= settled.value
}

interface Within {
  readonly chosen: BasketChoice
  readonly completion: Completion
  readonly level: LineLevelChoice
  readonly instance: BasketInstance
  readonly isTied: boolean
}

function chooseWithin(problem: Problem, offers: readonly Offer[], mayTie: boolean): Within {
  const { basis } = problem
  const whole = partitionOffers(basis, offers, problem.alone)
  const partition = mayTie ? whole : { ...whole, binding: [] }
  const { lineOffers } = partition
  const completion = completionOf(problem, offers)
  const lineInstance = { lines: basis.lines, lineOffers, alone: plansAlone(basis.lines, lineOffers) }
  const instance = basketInstanceOf({ basis, lineInstance, orderOffers: completion.orderOffers }, partition)
  const stepsMax = mayTie && instance.cappedStacks.length > 0 ? problem.stepsMax * shares.capped : problem.stepsMax
  const level = chooseLines(instance, { partition, free: completion.free, stepsMax })
  const settled =
    settleBest(completion, level.plans, level.joint?.orders) ?? settleFeasible(completion, instance, level.plans)
  const chosen = withBound(instance, level, { completion, settled, stepsMax })
  return { chosen, completion, level, instance, isTied: partition.binding.length > 0 }
}

function settleFeasible(completion: Completion, instance: BasketInstance, plans: readonly LinePlan[]) {
  const feasible = [...plans]
  makeFeasible(instance, feasible)
  return settleBest(completion, feasible)!
}

interface Found {
  readonly completion: Completion
  readonly settled: Settled
  readonly stepsMax: number
}

// Lower bounds of lines bound the net only if the POS's order discounts stay in place; weighings always do.
function withBound(
  instance: BasketInstance,
  level: LineLevelChoice,
  { completion, settled, stepsMax }: Found,
): BasketChoice {
  const { joint, restBounds, components, steps } = level
  const { value, plan } = settled
  const before = netBefore(completion.basis, completion.free)
  const most = joint?.most ?? (staysInPlace(completion.basis, restBounds) ? mostWith(completion, restBounds) : before)
  if (most <= value) return { settled, bound: value, steps }
  const choices = joint === null ? weighedOver(instance, restBounds, before) : joint.choices
  if (choices === null) return { settled, bound: most, steps }
  const known = { components, choices, plans: plan.lines, restBounds, value, before, stepsMax: stepsMax - steps }
  const found = chooseWithinRounding(instance, known)
  const best = found.value > value ? settleBest(completion, found.plans)! : settled
  return { settled: best, bound: Math.max(best.value, Math.min(most, found.most)), steps: steps + found.steps }
}

function staysInPlace({ lines }: Basis, rests: readonly Money[]): boolean {
  return lines.every(({ allocations }, at) => sumOf(allocations.map(({ amount }) => amount)) <= rests[at]!)
}

function mostWith({ basis, orderOffers, free }: Completion, rests: readonly Money[]): number {
  return netBefore(basis, free) - orderBound(basis, rests, orderOffers)
}

// The optimum without stackable maxima, plus these, is a bound. With a limiting maximum other plans may be better.
function tightened(problem: Problem, offers: readonly Offer[], within: Within): BasketChoice {
  const { chosen, instance } = within
  const { cappedStacks } = instance
  const { settled, steps } = replanned(within, problem.stepsMax - chosen.steps)
  const isLeft = new Set(cappedStacks)
  const others = offers.filter((offer) => !isLeft.has(offer))
  const stepsLeft = problem.stepsMax - chosen.steps - steps
  // Another search would cost as much and bound nothing.
  const isUseless = stepsLeft <= 0 || (within.level.joint?.choices === null && staysUnbounded(instance, stepsLeft))
  if (isUseless && others.length > 0) {
    const bound = Math.max(settled.value, chosen.bound)
    return { settled, bound, steps: chosen.steps + steps }
  }
  const without = chooseWithin({ ...problem, stepsMax: Math.max(0, stepsLeft) }, others, false)
  const most = mostBeside(within, without) + offGain({ ...instance.lineInstance, tying: instance.tying })
  const bound = Math.max(settled.value, Math.min(chosen.bound, most))
  return { settled, bound, steps: chosen.steps + steps + without.chosen.steps }
}

// A capped stack adds at most its maximum to the outcome without it.
function mostBeside({ instance, completion }: Within, { chosen, level }: Within): number {
  const { kinds, cappedStacks } = instance
  const isAlike = cappedStacks.every(({ lines }) => lines.every((at) => kinds[at] === kinds[lines[0]!]))
  if (level.joint !== null || !isAlike || completion.orderOffers.hasOrderDiscounts) {
    const { hasOrderDiscounts, normals, stacks } = completion.orderOffers
    const isLevel = () => haveSameLines([...normals, ...stacks].filter(isPercentage))
    const isSummed = !hasOrderDiscounts && (level.joint === null ? isLevel() : level.joint.choices !== null)
    const uses = stacks.length + Math.min(normals.length, 1) + completion.basis.orderDiscounts.length
    const roundings = isSummed || uses <= 1 ? 0 : uses * completion.basis.lines.length
    return (
      (level.joint?.most ?? chosen.bound) + sumOf(cappedStacks.map(({ maximumAmount }) => maximumAmount)) + roundings
    )
  }
  const rests = [...level.restBounds]
  for (const { lines, maximumAmount } of cappedStacks) {
    let left = maximumAmount
    // Lower bounds hold for sums of a kind only.
    for (const at of rests.keys()) {
      if (kinds[at] !== kinds[lines[0]!]) continue
      const taken = Math.min(left, rests[at]!)
      rests[at]! -= taken
      left -= taken
    }
  }
  return mostWith(completion, rests)
}

// Line by line: own discounts off in reliance on a maximum; a maximum left to other lines.
function replanned(
  { chosen, completion, instance, level }: Within,
  stepsMax: number,
): { settled: Settled; steps: number } {
  const { lineOffers } = instance.lineInstance
  const before = netBefore(completion.basis, completion.free)
  let perTrial = Math.max(settleSteps(instance), level.joint?.orders?.steps ?? 0)
  const affordable = stepsMax * shares.first
  let best = chosen.settled
  let steps = 0
  const keep = (at: number, plan: LinePlan) => {
    const plans = best.plan.lines.with(at, plan)
    const orders = ordersOver(instance, plans)
    perTrial = stepsTaken(instance, orders)
    steps += perTrial
    if (orders !== null && before - orders.net > best.value) best = settleBest(completion, plans, orders)!
  }
  for (const [at, { stacks }] of lineOffers.entries()) {
    if (steps + perTrial > affordable) break
    if (!stacks.some(hasMaximum)) continue
    const fixed = best.plan.lines[at]!.serves.filter(({ offer }) => !lineOffers[at]!.untied.includes(offer))
    if (completion.basis.lines[at]!.own > 0)
      keep(at, planLine(completion.basis.lines[at]!, lineOffers[at]!, fixed, true))
    for (const offer of best.plan.lines[at]!.stacks) {
      if (steps + perTrial > affordable) break
      if (!hasMaximum(offer)) continue
      const plan = best.plan.lines[at]!
      keep(at, { ...plan, stacks: plan.stacks.filter((each) => each !== offer) })
    }
  }
  return { settled: best, steps }
}

interface LinesWithTies {
  readonly lines: readonly BasisLine[]
  readonly lineOffers: readonly LineOffers[]
  readonly tying: readonly Offer[]
}

/**
 * Upper bound of the lines' gain by roundings alone if own discounts are off for stackable maxima, before these take
 * anything; minor units. Single pieces have none.
 */
function offGain({ lines, lineOffers, tying }: LinesWithTies): Money {
  const ties = new Int32Array(lines.length)
  for (const offer of tying) {
    for (let index = 0; index < offer.lines.length; index++) ties[offer.lines[index]!]!++
  }
  let most = 0
  for (const [at, line] of lines.entries()) {
    const { untied, stacks } = lineOffers[at]!
    if (line.own === 0 || line.pieces === 1 || !stacks.some((each) => hasMaximum(each) && replaces(each))) continue
    const uncapped = { untied, stacks: stacks.filter((each) => !hasMaximum(each)) }
    // The part that a benefit has of a line is rounded, and its percentage of that.
    if (ties[at]! > 0) most += twoRoundings * Math.min(line.pieces, ties[at]! + untied.length)
    else {
      const [kept, off] = [false, true].map((each) => planLineIn(line, uncapped, { off: each, fixed: [] }))
      most += Math.max(0, kept!.rest - off!.restBound)
    }
  }
  return most
}
