import type { Basket, LineDiscount } from '../../../../gateway/gen/loyalty/v1/basket_pb.js'

export interface ReceiptDiscount {
  readonly text: string
  /** Minor units taken off. */
  readonly amount: number
}

export interface ReceiptLine {
  readonly lineId: string
  readonly productId: string
  /** Units; with decimals for weighed goods. */
  readonly quantity: number
  /** Minor units. */
  readonly gross: number
  readonly discounts: readonly ReceiptDiscount[]
  /** Its share of discounts of the whole order, minor units. */
  readonly orderDiscount: number
  /** The line that it was split off; null: sent by the POS. */
  readonly splitFrom: string | null
  readonly isAdded: boolean
  /** A benefit lowered its price. */
  readonly isLowered: boolean
}

export interface Receipt {
  readonly lines: readonly ReceiptLine[]
  readonly orderDiscounts: readonly ReceiptDiscount[]
  readonly net: number
}

interface JsonDiscount {
  readonly text?: string
  readonly campaign?: string
  readonly lineDiscountCode?: string
  readonly amount: number
}

interface JsonLine {
  readonly lineId: string
  readonly productId: string
  readonly quantity: number
  readonly discounts?: readonly JsonDiscount[]
  readonly splitFromLineId?: string | null
  readonly addedByLoyalty?: boolean
  readonly overrideUnitPrice?: number | null
  readonly totals: { readonly gross: number; readonly orderDiscount: number }
}

interface JsonBasket {
  readonly lines: readonly JsonLine[]
  readonly orderDiscounts?: readonly JsonDiscount[]
  readonly totals: { readonly net: number }
}

/** The basket as sent; null: no longer stored. */
export function readRequest(json: string | undefined): Receipt | null {
  return json === undefined ? null : receiptOf(JSON.parse(json) as JsonBasket)
}

/** The basket as returned; null: unchanged, or no longer stored. */
export function readAnswer(json: string | undefined): Receipt | null {
  const basket = json === undefined ? undefined : (JSON.parse(json) as { readonly basket?: JsonBasket }).basket
  return basket === undefined || basket === null ? null : receiptOf(basket)
}

function receiptOf({ lines, orderDiscounts = [], totals }: JsonBasket): Receipt {
  return {
    lines: lines.map((line) => ({
      lineId: line.lineId,
      productId: line.productId,
      quantity: line.quantity,
      gross: line.totals.gross,
      discounts: (line.discounts ?? []).map(discountOf),
      orderDiscount: line.totals.orderDiscount,
      splitFrom: line.splitFromLineId ?? null,
      isAdded: line.addedByLoyalty ?? false,
      isLowered: (line.overrideUnitPrice ?? null) !== null,
    })),
    orderDiscounts: orderDiscounts.map(discountOf),
    net: totals.net,
  }
}

function discountOf({ text, campaign, lineDiscountCode, amount }: JsonDiscount): ReceiptDiscount {
  return { text: text ?? campaign ?? lineDiscountCode ?? '', amount }
}

/** A sent or added line, with its lines on each receipt: itself and those split off it. */
export interface LineGroup {
  readonly lineId: string
  /** One list for each receipt. */
  readonly lines: readonly (readonly ReceiptLine[])[]
  /** Minor units that lower prices took off, against the first receipt; one for each receipt. */
  readonly lowered: readonly number[]
}

/** The lines of several receipts of one basket, in the order of the first; lines of other receipts only come last. */
export function groupLines(receipts: readonly Receipt[]): readonly LineGroup[] {
  const groupOf = ({ lineId, splitFrom }: ReceiptLine) => splitFrom ?? lineId
  const ids = new Set(receipts.flatMap(({ lines }) => lines.map(groupOf)))
  return [...ids].map((lineId) => {
    const lines = receipts.map((receipt) => receipt.lines.filter((line) => groupOf(line) === lineId))
    const grossOf = (own: readonly ReceiptLine[]) => own.reduce((sum, { gross }) => sum + gross, 0)
    const lowered = lines.map((own) => (own.some(({ isLowered }) => isLowered) ? grossOf(lines[0]!) - grossOf(own) : 0))
    return { lineId, lines, lowered }
  })
}

const quantityUnit = 1000

/** A simulated basket as a receipt. Amounts are below 2^53, so that numbers hold them. */
export function receiptOfMessage({ lines, orderDiscounts, totals }: Basket): Receipt {
  return {
    lines: lines.map((line) => ({
      lineId: line.lineId,
      productId: line.productId,
      quantity: Number(line.quantityThousandths) / quantityUnit,
      gross: Number(line.totals?.gross ?? 0n),
      discounts: line.discounts.map(messageDiscount),
      orderDiscount: Number(line.totals?.orderDiscount ?? 0n),
      splitFrom: line.splitFromLineId ?? null,
      isAdded: line.addedByLoyalty ?? false,
      isLowered: line.overrideUnitPrice !== undefined,
    })),
    orderDiscounts: orderDiscounts.map(({ discount }) => messageDiscount(discount)),
    net: Number(totals?.net ?? 0n),
  }
}

function messageDiscount(discount: LineDiscount | undefined): ReceiptDiscount {
  const { text, campaign, lineDiscountCode, amount = 0n } = discount ?? {}
  return { text: text ?? campaign ?? lineDiscountCode ?? '', amount: Number(amount) }
}
