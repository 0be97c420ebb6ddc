import { type BasketBody, basketBody, calculationId } from './basket-body.js'

/** A basket with every listed field. */
export function fullBody(): BasketBody {
  const discount = { type: 'percentage', percentage: 10, amount: 20, lineDiscountCode: 'A', text: 'b', campaign: 'c' }
  const body = basketBody(2)
  Object.assign(body, { supersedesCalculationId: calculationId.replace('0', '1') })
  Object.assign(body.context, { terminalId: 'tid', clerkNumber: 7 })
  Object.assign(body.lines[1]!, {
    parentLineId: 'line 1',
    productGroupId: 'g',
    productMasterId: 'm',
    ean: 'e',
    overrideUnitPrice: 200,
    noPercentageDiscount: false,
    weighed: false,
    discounts: [discount],
    orderDiscountAllocations: [{ orderDiscountId: 'o', amount: 30 }],
    addedByLoyalty: false,
    splitFromLineId: 'line 1',
    totals: { gross: 200, lineDiscount: 20, orderDiscount: 30, net: 150 },
  })
  Object.assign(body, { orderDiscounts: [{ orderDiscountId: 'o', ...discount, amount: 30 }] })
  body.totals = { gross: 300, lineDiscount: 20, orderDiscount: 30, net: 250 }
  return body
}

/** Members and positions from the root to a value. */
export type Path = readonly (string | number)[]

/** A path as in a refusal. */
export function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}

/** The object or array with the last member of the path. */
export function holderOf(body: unknown, path: Path): Record<string | number, unknown> {
  return path.slice(0, -1).reduce((at, step) => (at as Record<string | number, unknown>)[step], body) as never
}

export function withValue(path: Path, value: unknown): unknown {
  const body = fullBody()
  holderOf(body, path)[path.at(-1)!] = value
  return body
}

export function without(path: Path): unknown {
  const body = fullBody()
  delete holderOf(body, path)[path.at(-1)!]
  return body
}
