import type { Basis } from './basis.js'
import { chooseOrders, type OrderOffers } from './choose-orders.js'
import type { Component, Ground, Task } from './component.js'
import type { Offer } from './offer.js'
import { sumOf } from './orders.js'
import { keyOf } from './outcome-key.js'
import { heldBy, type LinePlan, replaces } from './plan.js'
import { type FreeUnits, restsOf, type Settled, settleAbove, settleLines } from './settle.js'
import type { StayingOrder, Tail } from './tie-model.js'

/** Lines and order level of a basket, for the search among benefits that tie lines together. */
export interface Field {
  readonly basis: Basis
  readonly ground: Ground
  readonly orderOffers: OrderOffers
}

/**
 * Whether the order level looks at all lines of a component alike, so that the greatest gain on them is the best for
 * the basket: what order discounts take falls by at most what the lines gain.
 */
export function isNeutral({ orderOffers }: Field, { lines }: Component): boolean {
  if (orderOffers.hasOrderDiscounts) return false
  return [...orderOffers.normals, ...orderOffers.stacks].every((offer) => {
    const inside = lines.filter((at) => offer.lines.includes(at)).length
    return inside === 0 || inside === lines.length
  })
}

/** The task of a component that the order level looks at alike: the gain of its lines. */
export function neutralTask({ ground }: Field, component: Component, stepsMax: number): Task {
  const lines = component.lines.map((at) => ground.lines[at]!)
  return {
    judge: (plans) => {
      const worth = gainOf(lines, plans)
      return worth === null ? null : { worth, key: null }
    },
    ties: false,
    most: sumOf(lines.map(heldBy)),
    base: 0,
    tails: [null],
    stepsMax,
  }
}

/** The task of components that the order level tells apart: the net of the whole basket, under each order level. */
export function jointTask(field: Field, { component, plans, free, stepsMax, ties }: JointTask): Task {
  const { basis, orderOffers } = field
  const inside = new Set(component.lines)
  const settled = settleLines(basis.lines, plans)!.lines
  const rests = settled.map(({ rest }) => rest)
  let fixed = 0
  for (const [at, line] of basis.lines.entries()) if (!inside.has(at)) fixed += heldBy(line) - rests[at]!
  const existing = sumOf(basis.orderDiscounts.map(({ amount }) => amount))
  const judge = (chosen: readonly LinePlan[]) => {
    const all = [...plans]
    for (const [index, at] of component.lines.entries()) all[at] = chosen[index]!
    const best = settleBest({ basis, orderOffers, free }, all)
    if (best === null) return null
    return { worth: best.settled.value, key: ties ? keyOf(basis, best.settled) : null }
  }
  const added = sumOf(free.map(({ gross }) => gross))
  const most = basis.net + added
  return { judge, ties, most, base: fixed - existing + added, tails: tailsOf(field, { component, rests }), stepsMax }
}

/** What a joint task is made from. */
export interface JointTask {
  readonly component: Component
  /** Plans of all lines; those outside the component stay. */
  readonly plans: readonly LinePlan[]
  readonly free: readonly FreeUnits[]
  readonly stepsMax: number
  readonly ties: boolean
}

/** What plans of lines are completed with. */
export interface Scene {
  readonly basis: Basis
  readonly orderOffers: OrderOffers
  readonly free: readonly FreeUnits[]
}

/** Plans of all lines with the best order level on top; null where they break a rule. */
export function settleBest(
  { basis, orderOffers, free }: Scene,
  plans: readonly LinePlan[],
): { settled: Settled; netBound: number } | null {
  const level = settleLines(basis.lines, plans)
  if (level === null) return null
  const orders = chooseOrders(basis, restsOf(level), orderOffers)
  const settled = settleAbove(basis, { lines: plans, orders: orders.plan, free }, level)
  return { settled, netBound: orders.netBound }
}

function gainOf(lines: Basis['lines'], plans: readonly LinePlan[]): number | null {
  const settled = settleLines(lines, plans)
  if (settled === null) return null
  let gain = 0
  for (const [at, { rest }] of settled.lines.entries()) gain += heldBy(lines[at]!) - rest
  return gain
}

interface Outside {
  readonly component: Component
  /** What all lines cost, by basis position. */
  readonly rests: readonly number[]
}

function tailsOf({ basis, orderOffers }: Field, outside: Outside): Tail[] {
  const { normals, stacks, hasOrderDiscounts } = orderOffers
  if (!hasOrderDiscounts) return usesOf(normals, stacks).map((uses) => tailOf(uses, [], outside))
  const adds = (offer: Offer) => offer.benefit.existingDiscounts === 'add'
  const staying = basis.orderDiscounts.map((_, discount) => stayingOrder(basis, discount, outside))
  const kept = usesOf(normals.filter(adds), stacks.filter(adds)).map((uses) => tailOf(uses, staying, outside))
  if (![...normals, ...stacks].some(replaces)) return kept
  return [...kept, ...usesOf(normals, stacks).map((uses) => tailOf(uses, [], outside))]
}

function usesOf(normals: readonly Offer[], stacks: readonly Offer[]): (readonly Offer[])[] {
  return normals.length === 0 ? [stacks] : normals.map((normal) => [normal, ...stacks])
}

function tailOf(uses: readonly Offer[], staying: readonly StayingOrder[], { component, rests }: Outside): Tail {
  const inside = new Set(component.lines)
  const outside = uses.map(({ lines }) => sumOf(lines.map((at) => (inside.has(at) ? 0 : rests[at]!))))
  return { uses, outside, staying }
}

function stayingOrder(basis: Basis, discount: number, { component, rests }: Outside): StayingOrder {
  const index = new Map(component.lines.map((at, position) => [at, position]))
  const lines: number[] = []
  const outsideLines: number[] = []
  for (const [at, { allocations }] of basis.lines.entries()) {
    if (!allocations.some((each) => each.discount === discount && each.amount > 0)) continue
    const inside = index.get(at)
    if (inside === undefined) outsideLines.push(at)
    else lines.push(inside)
  }
  const outside = sumOf(outsideLines.map((at) => rests[at]!))
  return { amount: basis.orderDiscounts[discount]!.amount, lines, outside, outsideLines }
}
