import type { Basket, LineDiscount } from '../../../../gateway/gen/loyalty/v1/basket_pb.js'
import type { Receipt, ReceiptDiscount } from './read-basket.js'

/** Thousandths of a unit. */
const quantityUnit = 1000

/** A simulated basket as a receipt prints it. Amounts are below 2^53, so that numbers hold them. */
export function receiptOfMessage({ lines, orderDiscounts, totals }: Basket): Receipt {
  return {
    lines: lines.map((line) => ({
      lineId: line.lineId,
      productId: line.productId,
      quantity: Number(line.quantityThousandths) / quantityUnit,
      gross: Number(line.totals?.gross ?? 0n),
      discounts: line.discounts.map(discountOf),
      orderDiscount: Number(line.totals?.orderDiscount ?? 0n),
      splitFrom: line.splitFromLineId ?? null,
      isAdded: line.addedByLoyalty ?? false,
    })),
    orderDiscounts: orderDiscounts.map(({ discount }) => discountOf(discount)),
    net: Number(totals?.net ?? 0n),
  }
}

function discountOf(discount: LineDiscount | undefined): ReceiptDiscount {
  const { text, campaign, lineDiscountCode, amount = 0n } = discount ?? {}
  return { text: text ?? campaign ?? lineDiscountCode ?? '', amount: Number(amount) }
}
