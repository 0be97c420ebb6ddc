import type { Basket, Line } from './basket.js'
import { floorProduct, type Money, moneyMax, type Quantity, quantityTimes, wholeUnits } from './money.js'

export interface BasisAllocation {
  readonly discount: number
  readonly amount: Money
}

export interface BasisLine {
  readonly position: number
  readonly sent: Line
  readonly parent: number
  readonly productId: string
  readonly productGroupId: string | null
  readonly productMasterId: string | null
  readonly ean: string | null
  readonly quantity: Quantity
  readonly noDiscount: boolean
  readonly noPercentageDiscount: boolean
  readonly override: Money | null
  readonly price: Money
  readonly units: number
  /** Pieces that a benefit can take: the units, or 1 for a weighed line, which is indivisible. */
  readonly pieces: number
  readonly gross: Money
  readonly own: Money
  readonly ownDiscounts: readonly number[]
  readonly allocations: readonly BasisAllocation[]
  readonly net: Money
  /** In a search only: the line with those that follow it, in one. */
  readonly cluster?: Cluster
}

/** Lines that share the benefits of one (3-benefits 1, lines below); none of the followers has own discounts. */
export interface Cluster {
  readonly at: number
  readonly leader: BasisLine
  readonly followers: readonly { readonly at: number; readonly line: BasisLine }[]
}

export interface Basis extends Pick<Basket, 'fieldOf'> {
  readonly lines: readonly BasisLine[]
  readonly orderDiscounts: readonly { readonly position: number; readonly amount: Money }[]
  readonly gross: Money
  readonly net: Money
}

/**
 * Removes what an earlier answer added (wire decisions 9): lines with their allocations, discounts with the service's
 * code, and overrides of lines that are split or marked as split from themselves.
 *
 * An override stays if the list price cannot hold the POS's discounts on the line, or would exceed `moneyMax`: then it
 * is not the service's.
 */
export function basisFrom(basket: Basket, discountCode: string): Basis {
  const places = placesOf(basket.lines)
  const foreign = basket.orderDiscounts.flatMap((discount, position) =>
    discount.lineDiscountCode === discountCode ? [] : [{ position, id: discount.orderDiscountId }],
  )
  const numbers = new Map(foreign.map(({ id }, number) => [id, number]))
  const sums = foreign.map(() => 0)
  const lines: BasisLine[] = []
  let spare = moneyMax - basket.totals.gross
  let [gross, net] = [0, 0]
  for (let position = 0; position < basket.lines.length; position++) {
    const sent = basket.lines[position]!
    if (sent.addedByLoyalty) continue
    const parent = sent.parent === -1 ? -1 : places[sent.parent]!
    const line = basisLine(sent, { position, parent, spare, discountCode, numbers })
    spare -= Math.max(0, line.gross - sent.totals.gross)
    gross += line.gross
    net += line.net
    for (const { discount, amount } of line.allocations) sums[discount]! += amount
    lines.push(line)
  }
  const orderDiscounts = foreign.map(({ position }, number) => ({ position, amount: sums[number]! }))
  return { lines, orderDiscounts, gross, net, fieldOf: basket.fieldOf }
}

interface LinePlace {
  readonly position: number
  readonly parent: number
  readonly spare: Money
  readonly discountCode: string
  readonly numbers: ReadonlyMap<string, number>
}

function basisLine(sent: Line, { position, parent, spare, discountCode, numbers }: LinePlace): BasisLine {
  const ownDiscounts: number[] = []
  let own = 0
  for (let at = 0; at < sent.discounts.length; at++) {
    const discount = sent.discounts[at]!
    if (discount.lineDiscountCode === discountCode) continue
    ownDiscounts.push(at)
    own += discount.amount
  }
  const allocations: BasisAllocation[] = []
  let allocated = 0
  for (const { orderDiscountId, amount } of sent.orderDiscountAllocations) {
    const discount = numbers.get(orderDiscountId)
    if (discount === undefined) continue
    allocations.push({ discount, amount })
    allocated += amount
  }
  const override = overrideOf(sent, { held: own + allocated, spare })
  const price = override ?? sent.unitPrice
  const gross = override === sent.overrideUnitPrice ? sent.totals.gross : quantityTimes(sent.quantity, price)
  const units = sent.weighed === true ? 0 : wholeUnits(sent.quantity)
  return {
    position,
    sent,
    parent,
    productId: sent.productId,
    productGroupId: sent.productGroupId,
    productMasterId: sent.productMasterId,
    ean: sent.ean,
    quantity: sent.quantity,
    noDiscount: sent.noDiscount,
    noPercentageDiscount: sent.noPercentageDiscount,
    override,
    price,
    units,
    pieces: units === 0 ? 1 : units,
    gross,
    own,
    ownDiscounts,
    allocations,
    net: gross - own - allocated,
  }
}

function overrideOf(sent: Line, { held, spare }: { held: Money; spare: Money }): Money | null {
  if (sent.overrideUnitPrice === null || sent.splitFromLineId === null) return sent.overrideUnitPrice
  const gross = quantityTimes(sent.quantity, sent.unitPrice)
  const fits = gross >= held && gross - sent.totals.gross <= spare
  return fits ? null : sent.overrideUnitPrice
}

function placesOf(lines: readonly Line[]): number[] {
  let next = 0
  return lines.map((line) => (line.addedByLoyalty ? -1 : next++))
}

/** By what a unit costs as sent, then by the price that counts (3-benefits 2, `buy_get`). A weighed line counts as one unit. */
export function compareAsSent(one: BasisLine, other: BasisLine): number {
  const isPlain = one.own === 0 && other.own === 0 && one.units > 0 && other.units > 0
  if (isPlain) return one.price - other.price
  const [left, right] = [costAsSent(one), costAsSent(other)]
  const [a, b] = [left * other.pieces, right * one.pieces]
  if (a <= moneyMax && b <= moneyMax) return a - b || one.price - other.price
  const difference = BigInt(left) * BigInt(other.pieces) - BigInt(right) * BigInt(one.pieces)
  return Number(difference) || one.price - other.price
}

function costAsSent({ gross, own, cluster }: BasisLine): Money {
  return (cluster?.leader.gross ?? gross) - own
}

/** The cost of `pieces` pieces of a line that costs `hold` as a whole, minor units (3-benefits 2). */
export function partOf(line: BasisLine, pieces: number, hold: Money): Money {
  return pieces === line.pieces ? hold : floorProduct(pieces, hold, line.pieces)
}
