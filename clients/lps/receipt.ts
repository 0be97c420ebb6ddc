import { oneLine } from './screen.js'
import { amountText } from './words.js'

/** The part of a request's or answer's basket that a receipt shows. */
export interface Receipt {
  readonly currency: string
  readonly lines: readonly ReceiptLine[]
  readonly orderDiscounts?: readonly ReceiptDiscount[] | null
  readonly totals: { readonly net: number }
}

export interface ReceiptLine {
  readonly lineId: string
  readonly productId: string
  readonly quantity: number
  readonly unitPrice: number
  readonly overrideUnitPrice?: number | null
  readonly discounts?: readonly ReceiptDiscount[] | null
  readonly addedByLoyalty?: boolean | null
  readonly totals: { readonly gross: number }
}

interface ReceiptDiscount {
  readonly text?: string | null
  readonly amount: number
  readonly type: string
  readonly percentage?: number | null
}

const width = 44

/** A basket as a receipt: lines, their discounts, order discounts, and the total. */
export function receiptLines(title: string, basket: Receipt, names: ReadonlyMap<string, string>): readonly string[] {
  const { currency } = basket
  const row = (text: string, amount: number) =>
    `  ${oneLine(text).padEnd(width)} ${amountText(amount, currency).padStart(12)}`.trimEnd()
  return [
    `${title} (${currency})`,
    ...basket.lines.flatMap((line) => [
      row(lineText(line, names, currency), line.totals.gross),
      ...(line.discounts ?? []).map((discount) => row(`    ${discountText(discount)}`, -discount.amount)),
    ]),
    ...(basket.orderDiscounts ?? []).map((discount) => row(discountText(discount), -discount.amount)),
    row('To pay', basket.totals.net),
  ]
}

export function productText({ productId }: Pick<ReceiptLine, 'productId'>, names: ReadonlyMap<string, string>): string {
  return names.get(productId) ?? productId
}

function lineText(line: ReceiptLine, names: ReadonlyMap<string, string>, currency: string): string {
  const { quantity, unitPrice, overrideUnitPrice, addedByLoyalty } = line
  const price = amountText(overrideUnitPrice ?? unitPrice, currency)
  const instead = overrideUnitPrice == null ? '' : ` instead of ${amountText(unitPrice, currency)}`
  const added = addedByLoyalty ? ', added' : ''
  return `${quantity} x ${productText(line, names)} at ${price}${instead}${added}`
}

function discountText({ text, type, percentage }: ReceiptDiscount): string {
  const shown = text || 'Discount'
  return type === 'percentage' && percentage != null && !shown.includes('%') ? `${shown} ${percentage} %` : shown
}
