import type { Basket, Line, LineDiscount, OrderDiscount, Totals } from '../../engine/core/base/basket.js'
import { quantityOne, quantityTimes } from '../../engine/core/base/money.js'
import { spread } from '../../engine/core/base/spread.js'
import { checkIdentities } from '../../engine/core/index.js'
import type { Dice } from '../../test/support/dice.js'
import type { Product } from './shop.js'

/** A planned line: a product, its quantity in thousandths, and the POS's own discounts on it. */
export interface Pick {
  readonly product: Product
  readonly quantity: number
  /** Amounts of the POS's own discounts. Default: none. */
  readonly own?: readonly number[]
  /** Position of the parent line. Default: -1, none. */
  readonly parent?: number
}

/** The time of every basket: a Saturday noon in Oslo. */
const requestedAt = Date.parse('2026-11-21T11:00:00Z')

/** An order discount of the POS over these lines, in proportion to what they still cost. */
export interface OrderPick {
  readonly amount: number
  readonly lines: readonly number[]
}

/** A basket of these lines, in order, with these order discounts of the POS; its totals add up. */
export function buildBasket(picks: readonly Pick[], orders: readonly OrderPick[] = []): Basket {
  const lines = orders.reduce(putOrder, picks.map(buildLine))
  const basket: Basket = {
    currency: 'NOK',
    requestedAt,
    channel: 'pos',
    venueId: 'venue-1',
    lines,
    orderDiscounts: orders.map(buildOrder),
    totals: sumOf(lines.map(({ totals }) => totals)),
  }
  const fault = checkIdentities(basket)
  if (fault !== null) throw new Error(`a basket of the bench does not add up: ${JSON.stringify(fault)}`)
  return basket
}

/** Mostly one to three units per line, one line in twenty with a discount of the POS. */
export function basketOfEach(dice: Dice, products: readonly Product[]): Basket {
  return buildBasket(products.map((product) => drawPick(dice, product)))
}

function drawPick(dice: Dice, product: Product): Pick {
  const quantity = product.weighed ? 100 + dice.below(2000) : (1 + dice.below(3) * dice.below(2)) * quantityOne
  if (dice.below(20) > 0 || product.noDiscount) return { product, quantity }
  return { product, quantity, own: [Math.floor(quantityTimes(quantity, product.unitPrice) / 10)] }
}

function buildLine({ product, quantity, own, parent }: Pick, at: number): Line {
  const gross = quantityTimes(quantity, product.unitPrice)
  const discounts = (own ?? []).map(buildDiscount)
  const lineDiscount = discounts.reduce((sum, { amount }) => sum + amount, 0)
  return {
    lineId: `line-${at + 1}`,
    parent: parent ?? -1,
    productId: product.productId,
    productGroupId: product.productGroupId,
    productMasterId: product.productMasterId,
    ean: product.ean,
    quantity,
    unitPrice: product.unitPrice,
    overrideUnitPrice: null,
    noDiscount: product.noDiscount,
    noPercentageDiscount: product.noPercentageDiscount,
    discounts,
    orderDiscountAllocations: [],
    addedByLoyalty: false,
    splitFromLineId: null,
    totals: { gross, lineDiscount, orderDiscount: 0, net: gross - lineDiscount },
  }
}

function putOrder(lines: readonly Line[], order: OrderPick, number: number): Line[] {
  const room = order.lines.map((at) => lines[at]!.totals.net)
  const shares = spread(order.amount, room)
  const changed = [...lines]
  for (const [index, at] of order.lines.entries()) {
    const amount = shares[index]!
    if (amount === 0) continue
    const { orderDiscountAllocations, totals, ...line } = lines[at]!
    changed[at] = {
      ...line,
      orderDiscountAllocations: [...orderDiscountAllocations, { orderDiscountId: orderIdOf(number), amount }],
      totals: { ...totals, orderDiscount: totals.orderDiscount + amount, net: totals.net - amount },
    }
  }
  return changed
}

function buildOrder({ amount }: OrderPick, number: number): OrderDiscount {
  return { ...buildDiscount(amount), orderDiscountId: orderIdOf(number) }
}

function orderIdOf(number: number): string {
  return `order-${number + 1}`
}

function buildDiscount(amount: number): LineDiscount {
  return { type: 'amount', percentage: null, amount, lineDiscountCode: null, text: 'Staff', campaign: null }
}

function sumOf(totals: readonly Totals[]): Totals {
  const sum = (of: keyof Totals) => totals.reduce((all, one) => all + one[of], 0)
  return {
    gross: sum('gross'),
    lineDiscount: sum('lineDiscount'),
    orderDiscount: sum('orderDiscount'),
    net: sum('net'),
  }
}

/** The calculationId of every basket that the bench sends. */
export const calculationId = '5f0c2b6e-8f2d-4f0a-9d57-3a1f0e6b7c11'

/** The basket as a POS sends it, with a few fields that the contract does not list. */
export function bodyOf(basket: Basket): Buffer {
  const { currency, channel, venueId, orderDiscounts, totals } = basket
  return Buffer.from(
    JSON.stringify({
      calculationId,
      loyaltyId: 'LOY-1',
      currency,
      requestedAt: new Date(basket.requestedAt).toISOString(),
      context: { venueId, baxId: '7100001', cashRegisterId: 'register-1', clerkNumber: 7, channel },
      lines: basket.lines.map((line) => lineOf(line, basket)),
      ...(orderDiscounts.length > 0 ? { orderDiscounts } : {}),
      totals,
    }),
  )
}

function lineOf(
  { parent, orderDiscountAllocations, addedByLoyalty, splitFromLineId, quantity, discounts, ...line }: Line,
  { lines }: Basket,
) {
  return {
    ...line,
    ...(parent === -1 ? {} : { parentLineId: lines[parent]!.lineId }),
    quantity: quantity / quantityOne,
    name: `Product ${line.productId}`,
    vatRate: 25,
    ...(discounts.length > 0 ? { discounts } : {}),
    ...(orderDiscountAllocations.length > 0 ? { orderDiscountAllocations } : {}),
  }
}
