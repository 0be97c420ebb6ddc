import type { Basket, Line, Totals } from '../../engine/core/base/basket.js'
import { roundOf, sumOf } from './spread.js'

/** A drawn line, with members of the POS's own. */
export interface DrawnLine extends Line {
  readonly fields?: Readonly<Record<string, string>>
}

/** The basket with all totals recomputed and allocations of unknown order discounts dropped; null where a net is negative. */
export function withTotals(basket: Basket): Basket | null {
  const known = new Set(basket.orderDiscounts.map((order) => order.orderDiscountId))
  const lines = basket.lines.map((line): Line => {
    const orderDiscountAllocations = line.orderDiscountAllocations.filter((part) => known.has(part.orderDiscountId))
    const gross = roundOf(line.quantity, line.overrideUnitPrice ?? line.unitPrice, 1000)
    const lineDiscount = sumOf(line.discounts.map((discount) => discount.amount))
    const orderDiscount = sumOf(orderDiscountAllocations.map((part) => part.amount))
    const totals = { gross, lineDiscount, orderDiscount, net: gross - lineDiscount - orderDiscount }
    return { ...line, orderDiscountAllocations, totals }
  })
  if (lines.length === 0 || lines.some((line) => line.totals.net < 0)) return null
  const orderDiscounts = basket.orderDiscounts.map((order) => ({
    ...order,
    amount: sumOf(
      lines.flatMap((line) =>
        line.orderDiscountAllocations
          .filter((part) => part.orderDiscountId === order.orderDiscountId)
          .map((part) => part.amount),
      ),
    ),
  }))
  const fieldOf = (at: number, name: string) => (lines[at] as DrawnLine | undefined)?.fields?.[name]
  return { ...basket, lines, orderDiscounts, totals: totalsOf(lines.map((line) => line.totals)), fieldOf }
}

/** Basket totals: each the sum of that total over the lines (identity 6). */
export function totalsOf(lines: readonly Totals[]): Totals {
  return {
    gross: sumOf(lines.map((totals) => totals.gross)),
    lineDiscount: sumOf(lines.map((totals) => totals.lineDiscount)),
    orderDiscount: sumOf(lines.map((totals) => totals.orderDiscount)),
    net: sumOf(lines.map((totals) => totals.net)),
  }
}
