import type { PosBasket, PosContext } from './basket.js'
import { dateTime } from './basket.js'
import type { FailureReason } from './call.js'

/** A sale event (contract 2.1): every field of the contract; null in an optional one counts as absent. Callers may add their own. */
export interface PosSale {
  readonly calculationId: string
  readonly status: SaleStatus
  readonly failureReason?: FailureReason | null
  readonly transactionId?: string | null
  readonly receiptNumber?: number | null
  readonly loyaltyId?: string | null
  readonly currency: string
  readonly paidTotal?: number | null
  readonly loyaltyDiscountTotal?: number | null
  readonly occurredAt: string
  readonly context: PosContext
}

export type SaleStatus = 'applied' | 'unchanged' | 'member_not_found' | 'failed' | 'cancelled'

/** The end of a sale. */
export interface SaleEnding {
  readonly status: SaleStatus
  /** Only for `failed`. */
  readonly failureReason: FailureReason | null
  readonly transactionId: string
  readonly receiptNumber: number
  /** Code of the service's discounts. */
  readonly discountCode: string
  readonly occurredAt: Date
}

/** The event for the end of the charged basket's sale; a cancelled one has no payment. */
export function buildSale(charged: PosBasket, ending: SaleEnding): PosSale {
  const { status, failureReason } = ending
  const common = {
    calculationId: charged.calculationId,
    status,
    ...(charged.loyaltyId === undefined ? {} : { loyaltyId: charged.loyaltyId }),
    currency: charged.currency,
    occurredAt: dateTime(ending.occurredAt),
    context: charged.context,
  }
  if (status === 'cancelled') return common
  return {
    ...common,
    ...(failureReason === null ? {} : { failureReason }),
    transactionId: ending.transactionId,
    receiptNumber: ending.receiptNumber,
    paidTotal: charged.totals.net,
    loyaltyDiscountTotal: status === 'applied' ? loyaltyDiscount(charged, ending.discountCode) : 0,
  }
}

/** The sum of the service's discounts, on the lines and on the order. */
function loyaltyDiscount(basket: PosBasket, discountCode: string): number {
  return [...basket.lines.flatMap((line) => line.discounts ?? []), ...(basket.orderDiscounts ?? [])]
    .filter((discount) => discount.lineDiscountCode === discountCode)
    .reduce((sum, discount) => sum + discount.amount, 0)
}
