import type { Basis } from '../base/basis.js'
import { type Money, sumOf } from '../base/money.js'
import { spread } from '../base/spread.js'
import type { LinePlan } from '../lines/plan.js'
import { type LineLevel, restsOf } from '../lines/settle-lines.js'
import type { FreeUnits, OrderPlan, OrderUse } from '../model/instance.js'
import type { Offer, ShapeOf } from '../offers/offer.js'

export interface PlacedOrder {
  readonly offer: Offer
  readonly amount: Money
  readonly capped: boolean
  readonly lines: readonly number[]
  readonly shares: readonly Money[]
}

export interface OrderResult {
  readonly nets: readonly Money[]
  readonly net: Money
  readonly kept: readonly (readonly Money[])[] | null
  readonly placed: readonly PlacedOrder[]
}

/**
 * Applies an order plan to the rests of the lines (3-benefits 3).
 *
 * @param rests  by basis position, minor units
 */
export function settleOrders(basis: Basis, rests: readonly Money[], plan: OrderPlan): OrderResult {
  const nets = [...rests]
  const kept = basis.orderDiscounts.length === 0 ? null : plan.off ? noneKept(basis) : keepOrders(basis, nets)
  const placed = placeOrders(nets, plan.uses)
  return { nets, net: sumOf(nets), kept, placed }
}

export function placeOrders(nets: Money[], uses: readonly OrderUse[]): PlacedOrder[] {
  const placed: PlacedOrder[] = []
  for (const use of uses) {
    const order = placeOrder(use, nets)
    if (order !== null) placed.push(order)
  }
  return placed
}

export function orderAmountOf(offer: Offer, base: Money): Money {
  return Math.min(offer.maximumAmount, uncappedOf(offer, base))
}

function uncappedOf({ shape }: Offer, base: Money): Money {
  return (shape as ShapeOf<'order'>).takes(base)
}

/**
 * Places the POS's order discounts (3-benefits 3). Each part stays up to its line's cost. Then, in basket order, the
 * rest of each discount moves to its other lines, or is dropped.
 *
 * @param nets  costs of lines; reduced in place
 * @returns     amounts by discount and basis line
 */
export function keepOrders(basis: Basis, nets: Money[]): Money[][] {
  const kept = noneKept(basis)
  const carriers = carriersOf(basis)
  for (const [discount, amounts] of kept.entries()) {
    for (const { at, amount } of carriers[discount]!) {
      const stays = Math.min(nets[at]!, amount)
      amounts[at]! += stays
      nets[at]! -= stays
    }
  }
  for (const [discount, amounts] of kept.entries()) {
    const homeless = basis.orderDiscounts[discount]!.amount - sumOf(amounts)
    if (homeless > 0) moveOrder(basis, { carriers: carriers[discount]!, amounts, homeless, nets })
  }
  return kept
}

export interface Carrier {
  readonly at: number
  amount: Money
}

const carriersCached = new WeakMap<Basis, readonly (readonly Carrier[])[]>()

export function carriersOf(basis: Basis): readonly (readonly Carrier[])[] {
  let carriers = carriersCached.get(basis)
  if (carriers === undefined) {
    carriers = listCarriers(basis)
    carriersCached.set(basis, carriers)
  }
  return carriers
}

function listCarriers({ lines, orderDiscounts }: Basis): Carrier[][] {
  const carriers: Carrier[][] = orderDiscounts.map(() => [])
  for (let at = 0; at < lines.length; at++) {
    for (const { discount, amount } of lines[at]!.allocations) {
      const own = carriers[discount]!
      const last = own[own.length - 1]
      if (last?.at === at) last.amount += amount
      else own.push({ at, amount })
    }
  }
  return carriers
}

interface OrderMove {
  readonly carriers: readonly Carrier[]
  readonly amounts: Money[]
  readonly homeless: Money
  readonly nets: Money[]
}

function moveOrder({ lines }: Basis, { carriers, amounts, homeless, nets }: OrderMove): void {
  const open = carriers.filter(({ at, amount }) => amount > 0 && nets[at]! > 0 && !lines[at]!.noDiscount)
  const room = open.map(({ at }) => nets[at]!)
  const shares = spread(Math.min(homeless, sumOf(room)), room)
  for (let index = 0; index < open.length; index++) {
    const { at } = open[index]!
    amounts[at]! += shares[index]!
    nets[at]! -= shares[index]!
  }
}

function noneKept(basis: Basis): Money[][] {
  return basis.orderDiscounts.map(() => basis.lines.map(() => 0))
}

function placeOrder({ offer, lines }: OrderUse, nets: Money[]): PlacedOrder | null {
  const room = lines.map((at) => nets[at]!)
  const base = sumOf(room)
  const amount = orderAmountOf(offer, base)
  if (amount === 0) return null
  const uncapped = uncappedOf(offer, base)
  const capped = amount < uncapped
  const shares = spread(amount, capped ? spread(uncapped, room) : room)
  for (let index = 0; index < lines.length; index++) nets[lines[index]!]! -= shares[index]!
  return { offer, amount, capped, lines, shares }
}

export interface Plan {
  readonly lines: readonly LinePlan[]
  readonly orders: OrderPlan
  readonly free: readonly FreeUnits[]
}

export interface Settled extends LineLevel {
  readonly plan: Plan
  readonly orders: OrderResult
  readonly value: number
}

export function settleAbove(basis: Basis, plan: Plan, level: LineLevel): Settled {
  const orders = settleOrders(basis, restsOf(level), plan.orders)
  return { plan, ...level, orders, value: netBefore(basis, plan.free) - orders.net }
}

export function netBefore(basis: Basis, free: readonly FreeUnits[]): Money {
  return basis.net + sumOf(free.map(({ gross }) => gross))
}
