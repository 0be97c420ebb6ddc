import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import { amountText } from '../lps/words.js'
import type { PosBasket, PosDiscount, PosLine } from '../pos-js/basket.js'

const width = 62
const quantityWidth = 7
const moneyWidth = 13
const nameWidth = width - quantityWidth - 2 * moneyWidth

export interface Receipt {
  readonly basket: PosBasket
  readonly venue: ProgrammeVenue
  /** The price of the same goods without the service, in minor units; null: no comparison. */
  readonly insteadOf: number | null
}

export function receiptLines({ basket, venue, insteadOf }: Receipt, paint: Paint): string[] {
  const money = (amount: number) => amountText(amount, basket.currency)
  const { net } = basket.totals
  const saved = (insteadOf ?? net) - net
  const orderDiscounts = basket.orderDiscounts ?? []
  return [
    paint.dim('─'.repeat(width)),
    ...basket.lines.flatMap((line) => lineLines(line, { basket, venue, paint, money })),
    paint.dim('─'.repeat(width)),
    ...orderDiscounts.map((discount) => discountLine(discount, 0, { paint, money })),
    paint.bold(spread('Total', `${basket.currency} ${money(net)}`)),
    ...(saved > 0 ? [paint.green(spread('Saved', money(saved)))] : []),
  ]
}

interface Style {
  readonly paint: Paint
  readonly money: (amount: number) => string
}

interface LineStyle extends Style {
  readonly basket: PosBasket
  readonly venue: ProgrammeVenue
}

function lineLines(line: PosLine, style: LineStyle): string[] {
  const { money, paint } = style
  const price = money(line.overrideUnitPrice ?? line.unitPrice)
  const name = `${'  '.repeat(depthOf(line, style.basket))}${nameOf(line, style.venue)}${noteOf(line)}`
  const columns = [
    String(line.quantity)
      .padStart(quantityWidth - 2)
      .padEnd(quantityWidth),
    fitted(name, nameWidth),
    price.padStart(moneyWidth),
    money(line.totals.gross).padStart(moneyWidth),
  ].join('')
  const isChanged = line.addedByLoyalty === true || !isAbsent(line.overrideUnitPrice)
  const discounts = (line.discounts ?? []).map((discount) => discountLine(discount, quantityWidth + 2, style))
  return [isChanged ? paint.green(columns) : columns, ...discounts]
}

function discountLine(discount: PosDiscount, indent: number, { paint, money }: Style): string {
  const text = discount.text ?? discount.lineDiscountCode ?? 'Discount'
  return paint.green(spread(`${' '.repeat(indent)}${text}`, `-${money(discount.amount)}`))
}

function spread(left: string, right: string): string {
  const room = width - right.length - 1
  return `${fitted(left, room)} ${right}`
}

function fitted(text: string, room: number): string {
  const characters = [...text]
  return characters.length <= room
    ? text.padEnd(room + text.length - characters.length)
    : `${characters.slice(0, room - 1).join('')}…`
}

function nameOf(line: PosLine, venue: ProgrammeVenue): string {
  return line.name ?? venue.products.find(({ productId }) => productId === line.productId)?.name ?? line.productId
}

function noteOf(line: PosLine): string {
  if (line.addedByLoyalty) return ' (from us)'
  return isAbsent(line.overrideUnitPrice) ? '' : ' (member price)'
}

function depthOf(line: PosLine, basket: PosBasket): number {
  const parent = basket.lines.find(({ lineId }) => lineId === line.parentLineId)
  return parent === undefined || parent === line ? 0 : 1
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly green: (text: string) => string
  readonly red: (text: string) => string
  readonly cyan: (text: string) => string
}

export function createPaint(colours: boolean): Paint {
  const paint = (open: number, close: number) => (text: string) =>
    colours ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return { bold: paint(1, 22), dim: paint(2, 22), green: paint(32, 39), red: paint(31, 39), cyan: paint(36, 39) }
}
