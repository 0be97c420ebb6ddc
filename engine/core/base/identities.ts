import type { Basket, Line, Totals } from './basket.js'
import { type Money, moneyMax, quantityTimes } from './money.js'

/** `mismatch`: an identity fails (`arithmetic_mismatch`). `overflow`: a result exceeds `moneyMax` (`invalid_request`). */
export interface IdentityFault {
  readonly kind: 'mismatch' | 'overflow'
  readonly field: string
  readonly expected: string
  readonly received: string
  /** The rule for the field, for an integrator of a POS; null: `expected` is enough. */
  readonly rule: string | null
}

const rules = {
  gross: 'quantity times the unit price, rounded half up',
  lineDiscount: "the sum of the line's discounts",
  orderDiscount: "the sum of the line's order discount allocations",
  negative: 'the discounts are larger than the gross',
  net: 'gross less lineDiscount and orderDiscount',
  allocation: 'each allocation names an order discount',
  orderDiscountAmount: 'the sum of its allocations on the lines',
  totals: 'the sum over the lines',
}

const totalNames = ['gross', 'lineDiscount', 'orderDiscount', 'net'] as const
const sumNames = ['gross', 'lineDiscount', 'orderDiscount'] as const

/**
 * Checks the arithmetic identities 1 to 6 (wire decisions 1): lines, order discounts, totals.
 *
 * @returns the first fault, or null; an overflow comes before any mismatch
 */
export function checkIdentities(basket: Pick<Basket, 'lines' | 'orderDiscounts' | 'totals'>): IdentityFault | null {
  return (
    overflowOf(basket.lines) ?? firstOf(basket.lines, lineFault) ?? orderDiscountFault(basket) ?? totalsFault(basket)
  )
}

function overflowOf(lines: readonly Line[]): IdentityFault | null {
  const sums = { gross: 0, lineDiscount: 0, orderDiscount: 0 }
  for (let position = 0; position < lines.length; position++) {
    const line = lines[position]!
    const gross = grossOf(line)
    const lineDiscount = amountsOf(line.discounts)
    const orderDiscount = amountsOf(line.orderDiscountAllocations)
    const own = { gross, lineDiscount, orderDiscount }
    for (const name of sumNames) {
      sums[name] += own[name]
      if (own[name] > moneyMax) return overflow(pathOf(position, name))
      if (sums[name] > moneyMax) return overflow(`totals.${name}`)
    }
  }
  return null
}

function lineFault(line: Line, position: number): IdentityFault | null {
  const { totals } = line
  const gross = grossOf(line)
  const lineDiscount = amountsOf(line.discounts)
  const orderDiscount = amountsOf(line.orderDiscountAllocations)
  const net = gross - lineDiscount - orderDiscount
  if (totals.gross !== gross) return mismatch(pathOf(position, 'gross'), rules.gross, [gross, totals.gross])
  if (totals.lineDiscount !== lineDiscount) {
    return mismatch(pathOf(position, 'lineDiscount'), rules.lineDiscount, [lineDiscount, totals.lineDiscount])
  }
  if (totals.orderDiscount !== orderDiscount) {
    return mismatch(pathOf(position, 'orderDiscount'), rules.orderDiscount, [orderDiscount, totals.orderDiscount])
  }
  if (net < 0) {
    const field = pathOf(position, 'net')
    return { kind: 'mismatch', field, expected: 'at least 0', received: String(net), rule: rules.negative }
  }
  return totals.net === net ? null : mismatch(pathOf(position, 'net'), rules.net, [net, totals.net])
}

function orderDiscountFault({ lines, orderDiscounts }: Pick<Basket, 'lines' | 'orderDiscounts'>): IdentityFault | null {
  if (orderDiscounts.length === 0 && lines.every((line) => line.orderDiscountAllocations.length === 0)) return null
  const sums = new Map(orderDiscounts.map((discount) => [discount.orderDiscountId, 0]))
  for (let position = 0; position < lines.length; position++) {
    const { orderDiscountAllocations } = lines[position]!
    for (let at = 0; at < orderDiscountAllocations.length; at++) {
      const { orderDiscountId, amount } = orderDiscountAllocations[at]!
      const sum = sums.get(orderDiscountId)
      if (sum === undefined) {
        const field = `lines[${position}].orderDiscountAllocations[${at}].orderDiscountId`
        const expected = 'one of orderDiscounts'
        return { kind: 'mismatch', field, expected, received: orderDiscountId, rule: rules.allocation }
      }
      sums.set(orderDiscountId, sum + amount)
    }
  }
  return firstOf(orderDiscounts, ({ orderDiscountId, amount }, position) => {
    const sum = sums.get(orderDiscountId)!
    const field = `orderDiscounts[${position}].amount`
    return amount === sum ? null : mismatch(field, rules.orderDiscountAmount, [sum, amount])
  })
}

function totalsFault({ lines, totals }: Pick<Basket, 'lines' | 'totals'>): IdentityFault | null {
  const sums = totalsOver(lines)
  return firstOf(totalNames, (name) =>
    sums[name] === totals[name] ? null : mismatch(`totals.${name}`, rules.totals, [sums[name], totals[name]]),
  )
}

export function totalsOver(lines: readonly { readonly totals: Totals }[]): Totals {
  const sums = { gross: 0, lineDiscount: 0, orderDiscount: 0, net: 0 }
  for (const { totals } of lines) {
    sums.gross += totals.gross
    sums.lineDiscount += totals.lineDiscount
    sums.orderDiscount += totals.orderDiscount
    sums.net += totals.net
  }
  return sums
}

function grossOf(line: Line): Money {
  return quantityTimes(line.quantity, line.overrideUnitPrice ?? line.unitPrice)
}

function amountsOf(entries: readonly { readonly amount: Money }[]): Money {
  let sum = 0
  for (const { amount } of entries) sum += amount
  return sum
}

function firstOf<T>(
  entries: readonly T[],
  faultOf: (entry: T, position: number) => IdentityFault | null,
): IdentityFault | null {
  for (let position = 0; position < entries.length; position++) {
    const fault = faultOf(entries[position]!, position)
    if (fault !== null) return fault
  }
  return null
}

function pathOf(position: number, name: keyof Totals): string {
  return `lines[${position}].totals.${name}`
}

function mismatch(
  field: string,
  rule: string,
  [expected, received]: readonly [expected: Money, received: Money],
): IdentityFault {
  return { kind: 'mismatch', field, expected: String(expected), received: String(received), rule }
}

function overflow(field: string): IdentityFault {
  return { kind: 'overflow', field, expected: `at most ${moneyMax}`, received: 'a larger result', rule: null }
}
