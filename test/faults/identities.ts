interface Totals {
  readonly gross: number
  readonly lineDiscount: number
  readonly orderDiscount: number
  readonly net: number
}

interface Line {
  readonly lineId: string
  readonly quantity: number
  readonly unitPrice: number
  readonly overrideUnitPrice?: number
  readonly discounts?: readonly { readonly amount: number }[]
  readonly orderDiscountAllocations?: readonly { readonly orderDiscountId: string; readonly amount: number }[]
  readonly totals: Totals
}

/** A basket as it stands in an answer. */
export interface SeenBasket {
  readonly lines: readonly Line[]
  readonly orderDiscounts?: readonly { readonly orderDiscountId: string; readonly amount: number }[]
  readonly totals: Totals
}

/** The arithmetic identities of wire decisions 1 that a basket breaks, computed independently; whole quantities only. */
export function faultyIdentities({ lines, orderDiscounts = [], totals }: SeenBasket): readonly string[] {
  const allocations = lines.flatMap((line) => line.orderDiscountAllocations ?? [])
  const wrong = [
    ...lines.flatMap(faultyLine),
    ...orderDiscounts
      .filter(
        ({ orderDiscountId: id, amount }) =>
          sum(allocations.filter((each) => each.orderDiscountId === id).map((each) => each.amount)) !== amount,
      )
      .map(({ orderDiscountId }) => `allocations of ${orderDiscountId}`),
    ...allocations
      .filter((each) => !orderDiscounts.some(({ orderDiscountId }) => orderDiscountId === each.orderDiscountId))
      .map(({ orderDiscountId }) => `no order discount ${orderDiscountId}`),
  ]
  const names = ['gross', 'lineDiscount', 'orderDiscount', 'net'] as const
  return [...wrong, ...names.filter((name) => sum(lines.map((line) => line.totals[name])) !== totals[name])]
}

function faultyLine(line: Line): readonly string[] {
  const { gross, lineDiscount, orderDiscount, net } = line.totals
  const amounts = (list: readonly { readonly amount: number }[] = []) => sum(list.map(({ amount }) => amount))
  const holds =
    gross === line.quantity * (line.overrideUnitPrice ?? line.unitPrice) &&
    lineDiscount === amounts(line.discounts) &&
    orderDiscount === amounts(line.orderDiscountAllocations) &&
    net === gross - lineDiscount - orderDiscount &&
    net >= 0
  return holds ? [] : [`totals of line ${line.lineId}`]
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
