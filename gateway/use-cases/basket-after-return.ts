import { floorProduct, quantityOne, quantityTimes } from '../../engine/core/base/money.js'

interface Amount {
  readonly amount: number
}

interface Allocation extends Amount {
  readonly orderDiscountId: string
}

interface Totals {
  readonly gross: number
  readonly lineDiscount: number
  readonly orderDiscount: number
  readonly net: number
}

/** A line as the POS sends it, as far as its amounts and its place go; other fields stay as they are. */
interface SentLine {
  readonly lineId: string
  readonly parentLineId?: string | null
  readonly quantity: number
  readonly unitPrice: number
  readonly overrideUnitPrice?: number | null
  readonly splitFromLineId?: string | null
  readonly discounts?: readonly Amount[] | null
  readonly orderDiscountAllocations?: readonly Allocation[] | null
  readonly totals: Totals
}

export interface SentBasket {
  readonly lines: readonly SentLine[]
  readonly orderDiscounts?: readonly (Amount & { readonly orderDiscountId: string })[] | null
  readonly totals: Totals
}

/** Thousandths returned of each sent line: of a split line, of all its parts. Added lines are left out. */
export function returnedOfSent(
  sent: SentBasket,
  charged: SentBasket,
  returned: readonly number[],
): ReadonlyMap<string, number> {
  const ids = new Set(sent.lines.map(({ lineId }) => lineId))
  const sums = new Map<string, number>()
  for (const [at, { lineId, splitFromLineId }] of charged.lines.entries()) {
    const source = ids.has(lineId) ? lineId : (splitFromLineId ?? lineId)
    sums.set(source, (sums.get(source) ?? 0) + returned[at]!)
  }
  return sums
}

/**
 * The basket as it would have been sent without the units returned. Discounts of the POS shrink with the quantity, rounded down.
 *
 * @param returned  thousandths by lineId
 */
export function keptBasket<B extends SentBasket>(sent: B, returned: ReadonlyMap<string, number>): B {
  const kept = sent.lines.flatMap((line) => keptLine(line, returned.get(line.lineId) ?? 0))
  const ids = new Set(kept.map(({ lineId }) => lineId))
  const lines = kept.map((line) => (isOrphan(line, ids) ? { ...line, parentLineId: null } : line))
  const shares = lines.flatMap(({ orderDiscountAllocations }) => orderDiscountAllocations ?? [])
  const orderDiscounts = sent.orderDiscounts?.map((discount) => {
    return {
      ...discount,
      amount: sumBy(shares, (each) => (each.orderDiscountId === discount.orderDiscountId ? each.amount : 0)),
    }
  })
  const totals = {
    gross: sumBy(lines, (line) => line.totals.gross),
    lineDiscount: sumBy(lines, (line) => line.totals.lineDiscount),
    orderDiscount: sumBy(lines, (line) => line.totals.orderDiscount),
    net: sumBy(lines, (line) => line.totals.net),
  }
  return { ...sent, lines, ...(orderDiscounts === undefined ? {} : { orderDiscounts }), totals }
}

function keptLine(line: SentLine, returned: number): readonly SentLine[] {
  if (returned === 0) return [line]
  const whole = Math.round(line.quantity * quantityOne)
  const quantity = whole - returned
  if (quantity <= 0) return []
  const shrunk = <A extends Amount>(each: A): A => ({ ...each, amount: floorProduct(quantity, each.amount, whole) })
  const discounts = line.discounts?.map(shrunk)
  const orderDiscountAllocations = line.orderDiscountAllocations?.map(shrunk)
  const gross = quantityTimes(quantity, line.overrideUnitPrice ?? line.unitPrice)
  const lineDiscount = sumBy(discounts ?? [], ({ amount }) => amount)
  const orderDiscount = sumBy(orderDiscountAllocations ?? [], ({ amount }) => amount)
  return [
    {
      ...line,
      quantity: quantity / quantityOne,
      ...(discounts === undefined ? {} : { discounts }),
      ...(orderDiscountAllocations === undefined ? {} : { orderDiscountAllocations }),
      totals: { gross, lineDiscount, orderDiscount, net: gross - lineDiscount - orderDiscount },
    },
  ]
}

function isOrphan({ parentLineId }: SentLine, ids: ReadonlySet<string>): boolean {
  return parentLineId !== undefined && parentLineId !== null && !ids.has(parentLineId)
}

function sumBy<T>(from: readonly T[], amountOf: (each: T) => number): number {
  return from.reduce((sum, each) => sum + amountOf(each), 0)
}
