/** A discount of a line as a receipt prints it. */
export interface ReceiptDiscount {
  readonly text: string
  /** Minor units that it takes off. */
  readonly amount: number
}

/** A line of a receipt. */
export interface ReceiptLine {
  readonly lineId: string
  readonly productId: string
  /** Units; of weighed goods with decimals. */
  readonly quantity: number
  /** Minor units. */
  readonly gross: number
  readonly discounts: readonly ReceiptDiscount[]
  /** Its share of discounts of the whole order, minor units. */
  readonly orderDiscount: number
  /** The line it was split off; null: it was sent so. */
  readonly splitFrom: string | null
  readonly isAdded: boolean
}

/** A basket as a receipt prints it. */
export interface Receipt {
  readonly lines: readonly ReceiptLine[]
  readonly orderDiscounts: readonly ReceiptDiscount[]
  /** Minor units. */
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
  readonly totals: { readonly gross: number; readonly orderDiscount: number }
}

interface JsonBasket {
  readonly lines: readonly JsonLine[]
  readonly orderDiscounts?: readonly JsonDiscount[]
  readonly totals: { readonly net: number }
}

/** The basket as it was sent; null: it is no longer stored. */
export function readRequest(json: string | undefined): Receipt | null {
  return json === undefined ? null : receiptOf(JSON.parse(json) as JsonBasket)
}

/** The basket as it was returned; null: it was not changed, or is no longer stored. */
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
    })),
    orderDiscounts: orderDiscounts.map(discountOf),
    net: totals.net,
  }
}

function discountOf({ text, campaign, lineDiscountCode, amount }: JsonDiscount): ReceiptDiscount {
  return { text: text ?? campaign ?? lineDiscountCode ?? '', amount }
}

/** What became of one line: the line itself and what was split off it. */
export interface LinePair {
  readonly before: ReceiptLine | null
  readonly after: readonly ReceiptLine[]
}

/** Each line as sent beside what it became; lines that were added come last, beside nothing. */
export function pairLines(before: Receipt, after: Receipt): readonly LinePair[] {
  const sent = new Set(before.lines.map(({ lineId }) => lineId))
  const pairs = before.lines.map((line) => ({
    before: line,
    after: after.lines.filter(({ lineId, splitFrom }) => lineId === line.lineId || splitFrom === line.lineId),
  }))
  const others = after.lines.filter(({ lineId, splitFrom }) => !sent.has(lineId) && !sent.has(splitFrom ?? ''))
  return [...pairs, ...others.map((line) => ({ before: null, after: [line] }))]
}
