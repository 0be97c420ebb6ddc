import { grossOf, type PosBasket, type PosLine, type PosTotals } from './basket.js'

type Fields = Readonly<Record<string, unknown>>

export interface PriceList {
  readonly products: readonly { readonly productId: string; readonly unitPrice: number }[]
}

const totalNames = ['gross', 'lineDiscount', 'orderDiscount', 'net'] as const

/**
 * Problems that keep a POS from charging a returned basket: a fault in its form, a broken one of the six arithmetic identities (wire
 * decisions 1), or an added line at another price than the venue's list (contract 2.7). Empty: it is charged as it is.
 */
export function problemsOf(value: unknown, sent: PosBasket, prices: PriceList | null): readonly string[] {
  const form = formProblems(value, sent)
  if (form.length > 0) return form
  const basket = value as PosBasket
  return [
    ...basket.lines.flatMap((line) => lineProblems(line)),
    ...basket.lines.filter((line) => line.addedByLoyalty).flatMap((line) => addedProblems(line, prices)),
    ...orderDiscountProblems(basket),
    ...basketTotalProblems(basket),
  ]
}

function formProblems(value: unknown, sent: PosBasket): string[] {
  if (!isFields(value)) return ['the basket is no object']
  const problems: string[] = []
  if (value['calculationId'] !== sent.calculationId) problems.push('calculationId is another')
  if (value['currency'] !== sent.currency) problems.push('currency is another')
  const { lines, orderDiscounts } = value
  if (!Array.isArray(lines) || lines.length === 0 || !lines.every(isLine)) return [...problems, 'lines are not lines']
  if (!isListOf(orderDiscounts, (entry) => isDiscount(entry) && typeof entry['orderDiscountId'] === 'string')) {
    problems.push('orderDiscounts are not order discounts')
  }
  if (new Set(lines.map((line) => line.lineId)).size !== lines.length) problems.push('a lineId stands twice')
  if (!isTotals(value['totals'])) problems.push('totals are not totals')
  return problems
}

function isLine(value: unknown): value is PosLine {
  return (
    isFields(value) &&
    typeof value['lineId'] === 'string' &&
    typeof value['productId'] === 'string' &&
    typeof value['noDiscount'] === 'boolean' &&
    typeof value['quantity'] === 'number' &&
    value['quantity'] > 0 &&
    isMoney(value['unitPrice']) &&
    (isAbsent(value['overrideUnitPrice']) || isMoney(value['overrideUnitPrice'])) &&
    isListOf(value['discounts'], isDiscount) &&
    isListOf(value['orderDiscountAllocations'], (entry) => isFields(entry) && isMoney(entry['amount'])) &&
    isTotals(value['totals'])
  )
}

function isDiscount(value: unknown): value is Fields {
  return isFields(value) && (value['type'] === 'amount' || value['type'] === 'percentage') && isMoney(value['amount'])
}

function lineProblems(line: PosLine): string[] {
  const { gross, lineDiscount, orderDiscount, net } = line.totals
  const problems: string[] = []
  if (grossOf(line.quantity, line.overrideUnitPrice ?? line.unitPrice) !== BigInt(gross)) {
    problems.push(`${line.lineId}: gross is not quantity x price`)
  }
  if (sumOf(line.discounts ?? []) !== BigInt(lineDiscount)) problems.push(`${line.lineId}: lineDiscount is not its sum`)
  if (sumOf(line.orderDiscountAllocations ?? []) !== BigInt(orderDiscount)) {
    problems.push(`${line.lineId}: orderDiscount is not its sum`)
  }
  if (BigInt(gross) - BigInt(lineDiscount) - BigInt(orderDiscount) !== BigInt(net)) {
    problems.push(`${line.lineId}: net is not what is left`)
  }
  return problems
}

function addedProblems(line: PosLine, prices: PriceList | null): string[] {
  if (prices === null) return []
  const product = prices.products.find((candidate) => candidate.productId === line.productId)
  if (product === undefined) return [`${line.lineId}: the venue does not sell ${line.productId}`]
  return product.unitPrice === line.unitPrice ? [] : [`${line.lineId}: added at another price than the list's`]
}

function orderDiscountProblems(basket: PosBasket): string[] {
  const allocations = basket.lines.flatMap((line) => line.orderDiscountAllocations ?? [])
  const discounts = basket.orderDiscounts ?? []
  const known = new Set(discounts.map((discount) => discount.orderDiscountId))
  const stray = allocations.filter(({ orderDiscountId }) => !known.has(orderDiscountId))
  const wrong = discounts.filter(
    ({ orderDiscountId, amount }) =>
      sumOf(allocations.filter((allocation) => allocation.orderDiscountId === orderDiscountId)) !== BigInt(amount),
  )
  return [
    ...(known.size === discounts.length ? [] : ['an orderDiscountId stands twice']),
    ...stray.map(({ orderDiscountId }) => `an allocation names ${orderDiscountId}, which is not there`),
    ...wrong.map(({ orderDiscountId }) => `${orderDiscountId} is not the sum of its allocations`),
  ]
}

function basketTotalProblems({ lines, totals }: PosBasket): string[] {
  return totalNames
    .filter((name) => lines.reduce((sum, line) => sum + BigInt(line.totals[name]), 0n) !== BigInt(totals[name]))
    .map((name) => `the basket's ${name} is not the sum over its lines`)
}

function sumOf(amounts: readonly { readonly amount: number }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

function isTotals(value: unknown): value is PosTotals {
  return isFields(value) && totalNames.every((name) => isMoney(value[name]))
}

function isMoney(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return isAbsent(value) || (Array.isArray(value) && value.every(isEntry))
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
