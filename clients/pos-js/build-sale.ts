import type { PosBasket, PosContext } from './basket.js'
import { dateTime } from './basket.js'
import type { FailureReason } from './call.js'

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

export interface SaleEnding {
  readonly status: SaleStatus
  /** Only for `failed`. */
  readonly failureReason: FailureReason | null
  readonly transactionId: string
  readonly receiptNumber: number
  readonly discountCode: string
  readonly occurredAt: Date
}

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

function loyaltyDiscount(basket: PosBasket, discountCode: string): number {
  return [...basket.lines.flatMap((line) => line.discounts ?? []), ...(basket.orderDiscounts ?? [])]
    .filter((discount) => discount.lineDiscountCode === discountCode)
    .reduce((sum, discount) => sum + discount.amount, 0)
}
