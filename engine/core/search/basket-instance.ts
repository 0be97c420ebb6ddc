import type { Basis, BasisLine } from '../base/basis.js'
import {
  nanos,
  normalsPlaced,
  searchStepsMin,
  setupRounds,
  shares,
  sharesPlacedMax,
  stepsKeptPerLine,
  stepsOf,
  stepsPerLine,
} from '../base/costs.js'
import { type Money, sumOf } from '../base/money.js'
import { hasMaximum, heldBy, type LinePlan, planLine, stackOn, stepsFor, untouchedPlan } from '../lines/plan.js'
import { restsOf, settleLines } from '../lines/settle-lines.js'
import type { BasketInstance, BasketLevels, Completion, OfferPartition, Problem } from '../model/instance.js'
import type { Component, Penalty, Task } from '../model/task.js'
import { isJudgedTogether, type Offer } from '../offers/offer.js'
import { chooseOrders, linesBounded, type OrderChoice, sharesPlaced } from '../order/choose-orders.js'
import { type Settled, settleAbove } from '../order/orders.js'

export function basketInstanceOf(
  { basis, lineInstance, orderOffers }: BasketLevels,
  { tying, cappedStacks }: Pick<OfferPartition, 'tying' | 'cappedStacks'>,
): BasketInstance {
  const canGain = lineInstance.lineOffers.map(({ untied, stacks }) => untied.length + stacks.length > 0)
  for (const { lines } of tying) for (let index = 0; index < lines.length; index++) canGain[lines[index]!] = true
  return {
    basis,
    lineInstance,
    orderOffers,
    canGain,
    tying,
    cappedStacks,
    areRestsExact: cappedStacks.length === 0 && basis.lines.every(isSimple),
    kinds: kindsOf(canGain.length, [...orderOffers.normals, ...orderOffers.stacks]),
  }
}

// Plans give its exact cost, up to shared amounts.
function isSimple({ own, cluster }: BasisLine): boolean {
  return own === 0 && cluster === undefined
}

/** By line: a number for the set of these offers that have it. */
export function kindsOf(lineCount: number, offers: readonly Offer[]): number[] {
  const kinds = new Array<number>(lineCount).fill(0)
  const inside = new Uint8Array(lineCount)
  const numbers = new Int32Array(2 * lineCount)
  let count = 1
  for (const { lines } of offers) {
    if (lines.length === lineCount) continue
    // All lines differ already.
    if (count === lineCount) break
    inside.fill(0)
    for (let index = 0; index < lines.length; index++) inside[lines[index]!] = 1
    numbers.fill(-1, 0, 2 * count)
    count = 0
    for (let at = 0; at < lineCount; at++) {
      const pair = 2 * kinds[at]! + inside[at]!
      if (numbers[pair] === -1) numbers[pair] = count++
      kinds[at] = numbers[pair]!
    }
  }
  return kinds
}

/**
 * True: all lines of a component that can gain have the same order benefits. Then the greatest gain is best, as order
 * discounts fall by at most the lines' gain.
 */
export function isNeutral({ orderOffers, canGain, kinds }: BasketInstance, { lines }: Component): boolean {
  if (orderOffers.hasOrderDiscounts) return false
  const gaining = lines.filter((at) => canGain[at]!)
  return gaining.every((at) => kinds[at] === kinds[gaining[0]!])
}

/** How the lines of a component count, one entry per line: weights 0 to 1, null: all 1; penalties only with weights. */
export interface ComponentWeights {
  readonly weights: readonly number[] | null
  readonly penalties?: readonly (Penalty | null)[] | null
}

export function lineTask(
  { lineInstance }: BasketLevels,
  component: Component,
  { weights, penalties = null, stepsMax }: ComponentWeights & { stepsMax: number },
): Task {
  const lines = component.lines.map((at) => lineInstance.lines[at]!)
  const areRestsExact = component.lines.every(
    (at) => isSimple(lineInstance.lines[at]!) && !lineInstance.lineOffers[at]!.stacks.some(hasMaximum),
  )
  const costOf = areRestsExact ? costOfExact : costOfAll
  return {
    judge: (plans) => gainOf(lines, costOf(lines, plans), { weights, penalties }),
    weights,
    penalties,
    most: sumOf(lines.map(heldBy)),
    stepsMax,
    judgeSteps: Math.ceil(component.lines.reduce((sum, at) => sum + stepsFor(lineInstance.lineOffers[at]!), 0)),
  }
}

/**
 * Budget of a component; each later line keeps some steps, to be bounded at all.
 *
 * @param linesLater  lines of later components
 */
export function stepsFirst(stepsMax: number, linesLater: number): number {
  return Math.max(stepsMax - linesLater * stepsKeptPerLine, stepsMax * shares.first)
}

export function restsOver(
  { basis, areRestsExact }: BasketInstance,
  plans: readonly LinePlan[],
): readonly Money[] | null {
  return (areRestsExact ? costOfExact : costOfAll)(basis.lines, plans)
}

export function ordersOver(instance: BasketInstance, plans: readonly LinePlan[]): OrderChoice | null {
  const rests = restsOver(instance, plans)
  return rests === null ? null : chooseOrders(instance.basis, rests, instance.orderOffers)
}

export function plansWith(
  plans: readonly LinePlan[],
  { lines }: Component,
  chosen: readonly LinePlan[],
): readonly LinePlan[] {
  const all = [...plans]
  putPlans(all, { lines }, chosen)
  return all
}

export function putPlans(plans: LinePlan[], { lines }: Pick<Component, 'lines'>, chosen: readonly LinePlan[]): void {
  for (let index = 0; index < lines.length; index++) plans[lines[index]!] = chosen[index]!
}

export function settleSteps(instance: BasketLevels): number {
  return Math.ceil(lineLevelSteps(instance) + orderSteps(instance))
}

/**
 * Steps of `settleBest`, or of the order level over plans.
 *
 * @param orders  the result of `chooseOrders`; null if the plans break a rule
 */
export function stepsTaken(instance: BasketLevels, orders: OrderChoice | null): number {
  return Math.ceil(lineLevelSteps(instance) + (orders === null ? 0 : orders.steps + keptSteps(instance.basis)))
}

function lineLevelSteps({ lineInstance }: BasketLevels): number {
  return lineInstance.lineOffers.reduce((sum, offers) => sum + stepsFor(offers), 0)
}

/** Steps to set out for one of several searches of a basket. */
export function setupSteps({ basis, offers }: Pick<Problem, 'basis' | 'offers'>): number {
  const cells = offers.reduce((sum, { lines }) => sum + lines.length, 0)
  return setupRounds * (searchStepsMin + basis.lines.length * stepsPerLine) + Math.ceil(stepsOf(cells * nanos.amount))
}

/** Steps of the order level alone, mostly. */
export function orderSteps({ basis, orderOffers }: Pick<BasketLevels, 'basis' | 'orderOffers'>): number {
  const { normals, stacks } = orderOffers
  const normal = normals.reduce((sum, { lines }) => sum + lines.length, 0)
  const stacked = sharesPlaced(stacks)
  const most = stacked * Math.min(normals.length + 1, normalsPlaced) + normal
  const placed = stacks.length === 0 ? 0 : Math.min(most, sharesPlacedMax + stacked)
  const bounded = stacks.length === 0 ? 0 : linesBounded(normals, stacks)
  return stepsOf(normal * nanos.share + bounded * nanos.entry + placed * nanos.placed) + keptSteps(basis)
}

function keptSteps({ orderDiscounts, lines }: Basis): number {
  return stepsOf(orderDiscounts.length * lines.length * nanos.placed)
}

/**
 * Settles plans with the best order level; null if they break a rule.
 *
 * @param orderChoice  the order level of these plans, if known
 */
export function settleBest(
  completion: Completion,
  plans: readonly LinePlan[],
  orderChoice: OrderChoice | null = null,
): Settled | null {
  const level = settleLines(completion.basis.lines, plans)
  if (level === null) return null
  const orders = orderChoice ?? chooseOrders(completion.basis, restsOf(level), completion.orderOffers)
  return settleAbove(completion.basis, { lines: plans, orders: orders.plan, free: completion.free }, level)
}

function gainOf(
  lines: Basis['lines'],
  rests: readonly Money[] | null,
  { weights, penalties }: ComponentWeights,
): number | null {
  if (rests === null) return null
  let gain = 0
  for (let at = 0; at < lines.length; at++) {
    gain += (heldBy(lines[at]!) - rests[at]!) * (weights === null ? 1 : weights[at]!)
    gain -= penalties?.[at]?.(rests[at]!) ?? 0
  }
  return gain
}

const noStacks: readonly Offer[] = []

function costOfAll(lines: Basis['lines'], plans: readonly LinePlan[]): Money[] | null {
  const level = settleLines(lines, plans)
  return level === null ? null : restsOf(level)
}

// Without own discounts and stackable maxima only shared amounts change a plan's rest.
function costOfExact(lines: Basis['lines'], plans: readonly LinePlan[]): Money[] | null {
  const rests: Money[] = []
  const sharing: number[] = []
  for (let at = 0; at < plans.length; at++) {
    const { serves, rest } = plans[at]!
    rests.push(rest)
    for (let index = 0; index < serves.length; index++) {
      const { offer } = serves[index]!
      if (!isJudgedTogether(offer)) continue
      sharing.push(at)
      break
    }
  }
  if (sharing.length === 0) return rests
  const level = settleLines(
    sharing.map((at) => lines[at]!),
    sharing.map((at) => ({ ...plans[at]!, stacks: noStacks })),
  )
  if (level === null) return null
  // Stackable benefits depend on their line alone here.
  for (let index = 0; index < sharing.length; index++) {
    const at = sharing[index]!
    rests[at] = stackOn(lines[at]!, plans[at]!.stacks, level.lines[index]!.rest).rest
  }
  return rests
}

export interface BasketChoice {
  readonly settled: Settled
  /** Upper bound of the value of any outcome; equal to its value if proven. */
  readonly bound: number
  readonly steps: number
}

/**
 * A stackable maximum over several components may leave nothing to a line, so that no benefit takes its own discounts
 * off. Such lines are planned without it, in place; tying serves stay. If that does not help, no line has benefits.
 */
export function makeFeasible({ basis, lineInstance, cappedStacks }: BasketInstance, plans: LinePlan[]): void {
  if (cappedStacks.length === 0 || settleLines(basis.lines, plans) !== null) return
  for (const [at, { off, stacks, serves }] of plans.entries()) {
    if (!off || !stacks.some(hasMaximum)) continue
    const offers = lineInstance.lineOffers[at]!
    const tying = serves.filter(({ offer }) => !offers.untied.includes(offer))
    plans[at] = planLine(basis.lines[at]!, offers, tying)
  }
  if (settleLines(basis.lines, plans) === null)
    for (const [at, line] of basis.lines.entries()) plans[at] = untouchedPlan(line)
}
