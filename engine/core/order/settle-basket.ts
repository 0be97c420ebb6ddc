import type { Basis } from '../base/basis.js'
import { type Money, sumOf } from '../base/money.js'
import type { LinePlan } from '../lines/plan.js'
import { type LineLevel, restsOf } from '../lines/settle-lines.js'
import type { FreeUnits, OrderPlan } from '../model/order-plan.js'
import { type OrderResult, settleOrders } from './orders.js'

export interface Plan {
  readonly lines: readonly LinePlan[]
  readonly orders: OrderPlan
  readonly free: readonly FreeUnits[]
}

/** A plan settled exactly, in minor units. */
export interface Settled extends LineLevel {
  readonly plan: Plan
  readonly orders: OrderResult
  /** Net before + gross of added lines - net after, less the worth of what is spent (3-benefits 4); may be negative. */
  readonly value: number
}

export function settleAbove(basis: Basis, plan: Plan, level: LineLevel): Settled {
  const orders = settleOrders(basis, restsOf(level), plan.orders)
  return { plan, ...level, orders, value: netBefore(basis, plan.free) - orders.net }
}

/** Net before, plus gross of the free products; minor units. */
export function netBefore(basis: Basis, free: readonly FreeUnits[]): Money {
  return basis.net + sumOf(free.map(({ gross }) => gross))
}
