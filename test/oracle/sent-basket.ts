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
  /** On which selectors key: its productMasterId, else its ean, else its productId. */
  readonly identity: { readonly of: 'productMasterId' | 'ean' | 'productId'; readonly id: string }
  /** Thousandths. */
  readonly quantity: number
  /** It has units; else it is weighed. */
  readonly whole: boolean
  /** Separately discountable parts: its units, or 1 for a weighed line. */
  readonly slots: number
  /** The price that counts. */
  readonly price: number
  /** The price is an `overrideUnitPrice` of the POS. */
  readonly isOverridden: boolean
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
  /** A member of the POS's own on the line at a position of the request; undefined: it has none. */
  readonly fieldOf: (position: number, name: string) => string | undefined
  /** True: an earlier answer of ours was removed. */
  readonly stripped: boolean
  /** True: a price of ours was removed; then units that had it go first. */
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
    const isOverridden = line.overrideUnitPrice !== null && !isOurs(line, at)
    const price = isOverridden ? line.overrideUnitPrice! : line.unitPrice
    const whole = line.weighed !== true && line.quantity % 1000 === 0
    const gross = roundOf(line.quantity, price, 1000)
    const own = ownOf(line)
    const net = gross - heldOf(line, at)
    const slots = whole ? line.quantity / 1000 : 1
    const parent = place.get(line.parent) ?? -1
    const { quantity } = line
    const identity = identityOf(line)
    return { position, line, parent, identity, quantity, whole, slots, price, isOverridden, gross, own, net }
  })
  const repriced = kept.some(({ line }, at) => isOurs(line, at))
  const stripped =
    repriced ||
    kept.length < basket.lines.length ||
    posOrders.length < basket.orderDiscounts.length ||
    kept.some(({ line }) => line.discounts.some((discount) => discount.lineDiscountCode === discountCode))
  const fieldOf = (position: number, name: string) => basket.fieldOf?.(position, name)
  return { lines, orders, net: sumOf(lines.map((line) => line.net)), fieldOf, stripped, repriced }
}

function identityOf({ productMasterId, ean, productId }: Line): SentLine['identity'] {
  if (productMasterId !== null) return { of: 'productMasterId', id: productMasterId }
  return ean === null ? { of: 'productId', id: productId } : { of: 'ean', id: ean }
}

/** Orders lines by the cost of a unit as sent, less the POS's own discounts. */
export function byUnitCost(one: SentLine, other: SentLine): number {
  const [left, right] = [
    BigInt(one.gross - one.own) * BigInt(other.quantity),
    BigInt(other.gross - other.own) * BigInt(one.quantity),
  ]
  return left < right ? -1 : Number(left > right)
}
