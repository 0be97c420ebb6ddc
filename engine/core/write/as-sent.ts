import type { Basket, Line, LineDiscount, OrderDiscount } from '../base/basket.js'
import type { Money } from '../base/money.js'
import type { OutcomeDiscount, OutcomeLine, PricedBasket } from '../base/outcome.js'

export function isAsSent(basket: Basket, priced: PricedBasket): boolean {
  if (priced.lines.length !== basket.lines.length) return false
  if (priced.orderDiscounts.length !== basket.orderDiscounts.length) return false
  const sameOrders = priced.orderDiscounts.every((order, at) => {
    const sent = basket.orderDiscounts[at]!
    if (order.kind === 'kept') return order.position === at && order.amount === sent.amount
    return sameOrder(order.discount, sent)
  })
  return sameOrders && priced.lines.every((line, at) => sameLine(line, basket, at))
}

function sameOrder(a: OrderDiscount, b: OrderDiscount): boolean {
  return a.orderDiscountId === b.orderDiscountId && a.amount === b.amount && saysTheSame(a, b)
}

function sameLine(line: OutcomeLine, { lines }: Basket, at: number): boolean {
  const sent = lines[at]!
  if (!sameOrigin(line, sent, at)) return false
  return (
    line.quantity === sent.quantity &&
    line.overrideUnitPrice === sent.overrideUnitPrice &&
    line.splitFromLineId === sent.splitFromLineId &&
    line.discounts.length === sent.discounts.length &&
    line.discounts.every((discount, index) => sameOutcomeDiscount(discount, line.amounts[index]!, { sent, index })) &&
    sameAllocations(line, sent)
  )
}

// Split lines need no check: their source differs in quantity.
function sameOrigin(line: OutcomeLine, sent: Line, at: number): boolean {
  if (line.kind === 'sent') return line.source === at
  return (
    sent.addedByLoyalty &&
    sent.lineId === line.lineId &&
    sent.productId === line.product?.productId &&
    sent.unitPrice === line.product.unitPrice
  )
}

function sameOutcomeDiscount(
  discount: OutcomeDiscount,
  amount: Money,
  { sent, index }: { readonly sent: Line; readonly index: number },
): boolean {
  if (discount.kind === 'kept') return discount.position === index
  const other = sent.discounts[index]!
  return amount === other.amount && saysTheSame(discount, other)
}

function saysTheSame(a: Omit<LineDiscount, 'amount'>, b: LineDiscount): boolean {
  return (
    a.type === b.type &&
    (a.type === 'amount' || a.percentage === b.percentage) &&
    a.lineDiscountCode === b.lineDiscountCode &&
    a.text === b.text &&
    a.campaign === b.campaign
  )
}

function sameAllocations({ orderDiscountAllocations }: OutcomeLine, sent: Line): boolean {
  if (orderDiscountAllocations.length !== sent.orderDiscountAllocations.length) return false
  return orderDiscountAllocations.every((allocation, at) => {
    const other = sent.orderDiscountAllocations[at]!
    return allocation.orderDiscountId === other.orderDiscountId && allocation.amount === other.amount
  })
}
