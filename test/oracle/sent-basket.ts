import type { Line } from '../../engine/core/base/basket.js'
import type { CalculationInput } from '../../engine/core/index.js'
import { roundOf, sumOf } from './spread.js'

/** One line of the basket without any earlier answer of ours (wire decisions 9). */
export interface SentLine {
  /** Position in the request. */
  readonly position: number
  readonly line: Line
  /** Position in `SentBasket.lines` of the parent, or -1. */
  readonly parent: number
  /** Thousandths. */
  readonly quantity: number
  readonly whole: boolean
  /** Separately discountable parts: its units, or 1 for a weighed line. */
  readonly slots: number
  /** The price that counts. */
  readonly price: number
  readonly gross: number
  /** Sum of the POS's own line discounts. */
  readonly own: number
  readonly net: number
}

/** The basket that is priced. */
export interface SentBasket {
  readonly lines: readonly SentLine[]
  /** Each line's share of every existing POS order discount with an amount, in order. */
  readonly orders: readonly (readonly number[])[]
  readonly net: number
  /** Whether an earlier answer of ours was removed. */
  readonly stripped: boolean
  /** Whether a price of ours was removed: then units that had it go first. */
  readonly repriced: boolean
}

/**
 * Removes an earlier answer. "Discounts that carry the service's own code and lines with `addedByLoyalty` [...] are taken off first,
 * and so is the `overrideUnitPrice` of a line with `splitFromLineId`" (wire decisions 9).
 */
export function readSentBasket(input: CalculationInput): SentBasket {
  const { basket, discountCode } = input
  const kept = basket.lines.map((line, position) => ({ line, position })).filter(({ line }) => !line.addedByLoyalty)
  const place = new Map(kept.map(({ position }, at) => [position, at]))
  const posOrders = basket.orderDiscounts.filter((order) => order.lineDiscountCode !== discountCode)
  const allocation = (line: Line, id: string) =>
    sumOf(line.orderDiscountAllocations.filter((part) => part.orderDiscountId === id).map((part) => part.amount))
  const orders = posOrders
    .map((order) => kept.map(({ line }) => allocation(line, order.orderDiscountId)))
    .filter((parts) => sumOf(parts) > 0)
  const ownOf = (line: Line) =>
    sumOf(line.discounts.filter((each) => each.lineDiscountCode !== discountCode).map((each) => each.amount))
  const heldOf = (line: Line, at: number) => ownOf(line) + sumOf(orders.map((parts) => parts[at]!))
  // A price that the POS's own discounts need is the POS's: the list price could not hold them.
  const isOurs = (line: Line, at: number) =>
    line.splitFromLineId !== null &&
    line.overrideUnitPrice !== null &&
    roundOf(line.quantity, line.unitPrice, 1000) >= heldOf(line, at)
  const lines = kept.map(({ line, position }, at): SentLine => {
    const price = isOurs(line, at) ? line.unitPrice : (line.overrideUnitPrice ?? line.unitPrice)
    const whole = line.quantity % 1000 === 0
    const gross = roundOf(line.quantity, price, 1000)
    const own = ownOf(line)
    const net = gross - heldOf(line, at)
    const slots = whole ? line.quantity / 1000 : 1
    const parent = place.get(line.parent) ?? -1
    return { position, line, parent, quantity: line.quantity, whole, slots, price, gross, own, net }
  })
  const repriced = kept.some(({ line }, at) => isOurs(line, at))
  const stripped =
    repriced ||
    kept.length < basket.lines.length ||
    posOrders.length < basket.orderDiscounts.length ||
    kept.some(({ line }) => line.discounts.some((discount) => discount.lineDiscountCode === discountCode))
  return { lines, orders, net: sumOf(lines.map((line) => line.net)), stripped, repriced }
}
