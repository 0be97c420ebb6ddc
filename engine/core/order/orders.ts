import type { Basis } from '../base/basis.js'
import { type Money, sumOf } from '../base/money.js'
import { spread } from '../base/spread.js'
import type { OrderPlan, OrderUse } from '../model/order-plan.js'
import type { Offer, ShapeOf } from '../offers/offer.js'

/** An order discount of ours with its shares. */
export interface PlacedOrder {
  readonly offer: Offer
  readonly amount: Money
  /** Whether its maximum amount bites. */
  readonly capped: boolean
  readonly lines: readonly number[]
  /** One per entry of `lines`. */
  readonly shares: readonly Money[]
}

/** What the order level comes to. */
export interface OrderResult {
  /** What every line costs in the end, by basis position. */
  readonly nets: readonly Money[]
  readonly net: Money
  /** Amounts of the POS's order discounts by discount and basis line; null where none is in the basket. */
  readonly kept: readonly (readonly Money[])[] | null
  readonly placed: readonly PlacedOrder[]
}

/**
 * Works out the order level on what the lines still cost (3-benefits 3).
 *
 * @param rests  by basis position, minor units
 */
export function settleOrders(basis: Basis, rests: readonly Money[], plan: OrderPlan): OrderResult {
  const nets = [...rests]
  const kept = basis.orderDiscounts.length === 0 ? null : plan.off ? noneKept(basis) : keepOrders(basis, nets)
  const placed = placeOrders(nets, plan.uses)
  return { nets, net: sumOf(nets), kept, placed }
}

/** Order-level benefits one after the other on what lines cost; reduces it in place. */
export function placeOrders(nets: Money[], uses: readonly OrderUse[]): PlacedOrder[] {
  const placed: PlacedOrder[] = []
  for (const use of uses) {
    const order = placeOrder(use, nets)
    if (order !== null) placed.push(order)
  }
  return placed
}

/** What an order-level offer takes off lines that cost `base` together, its maximum included. */
export function orderAmountOf(offer: Offer, base: Money): Money {
  return Math.min(offer.maximumAmount, uncappedOf(offer, base))
}

// Only order-level offers come here.
function uncappedOf({ shape }: Offer, base: Money): Money {
  return (shape as ShapeOf<'order'>).takes(base)
}

/**
 * What the POS's order discounts still come to (3-benefits 3): first everything stays where the line can still hold it,
 * then what did not fit moves to the other lines that carry the same discount; what fits nowhere is dropped. An order
 * discount whose moved part finds room only later in the list gets what is left then.
 *
 * @param nets  what the lines cost; reduced in place
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

/** A line that carries an order discount of the POS, with all that it has of it. */
export interface Carrier {
  readonly at: number
  amount: Money
}

const carriersCached = new WeakMap<Basis, readonly (readonly Carrier[])[]>()

/** The lines that carry each order discount of the POS, ascending; a search asks again and again. */
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
