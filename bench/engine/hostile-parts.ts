import type { Basket, VenueFacts } from '../../engine/core/base/basket.js'
import { quantityOne } from '../../engine/core/base/money.js'
import type { Benefit, Limit, Selector } from '../../engine/core/base/programme.js'
import type { Dice } from '../../test/support/dice.js'
import { buildBasket, type Pick } from './build-basket.js'
import { buildBenefit, percent } from './draw-benefits.js'
import { createShop, type Product, type Shop } from './shop.js'

/** A valid programme and basket, built to be adversarial. */
export interface Hostile {
  readonly benefits: readonly Benefit[]
  readonly basket: Basket
  readonly venue: VenueFacts
}

/** Lines of a basket at most. */
export const linesMax = 200

/** The same under a basket of only the first lines: without children and order discounts. */
export function onFirstLines(shape: (dice: Dice) => Hostile, count: number): (dice: Dice) => Hostile {
  return (dice) => {
    const { basket, ...rest } = shape(dice)
    const lines = basket.lines.slice(0, count)
    const sum = (name: 'gross' | 'lineDiscount' | 'net') => lines.reduce((all, { totals }) => all + totals[name], 0)
    const totals = { gross: sum('gross'), lineDiscount: sum('lineDiscount'), orderDiscount: 0, net: sum('net') }
    return { ...rest, basket: { ...basket, lines, totals } }
  }
}

export function withOrderDiscounts(basket: Basket, count: number): Basket {
  const share = 5
  const total = count * share
  const lines = basket.lines.map((line) => ({
    ...line,
    orderDiscountAllocations: Array.from({ length: count }, (_, at) => ({ orderDiscountId: `o-${at}`, amount: share })),
    totals: { ...line.totals, orderDiscount: total, net: line.totals.net - total },
  }))
  const all = total * lines.length
  const discount = { type: 'amount', percentage: null, lineDiscountCode: null, text: 'Staff', campaign: null } as const
  return {
    ...basket,
    lines,
    orderDiscounts: Array.from({ length: count }, (_, at) => ({
      ...discount,
      orderDiscountId: `o-${at}`,
      amount: share * lines.length,
    })),
    totals: { ...basket.totals, orderDiscount: all, net: basket.totals.net - all },
  }
}

export function limited(dice: Dice, at: number, select: Selector): Benefit {
  const limits = [unitLimit(at, 3 + dice.below(60))]
  return buildBenefit(
    name(at),
    { kind: 'line_percentage', select, percentage: percent(5 + dice.below(90)) },
    { limits },
  )
}

export function unitLimit(at: number, maximum: number): Limit {
  return { limitId: `limit-${at}`, scope: 'member', period: 'day', counts: 'units', maximum }
}

export function name(at: number): string {
  return `hostile-${String(at).padStart(4, '0')}`
}

export function plainShop(dice: Dice, products: number): Shop {
  const shop = createShop(dice, { name: 'hostile', products, groups: 5 })
  return {
    ...shop,
    products: shop.products.map((product) => ({
      ...product,
      weighed: false,
      noDiscount: false,
      noPercentageDiscount: false,
    })),
  }
}

export function unitsOf(dice: Dice, products: readonly Product[]): Pick[] {
  return products.map((product) => ({ product, quantity: (1 + dice.below(9)) * quantityOne }))
}

export function halfOf(dice: Dice, products: readonly Product[]): Product[] {
  const half = products.filter(() => dice.below(2) === 0)
  return half.length > 0 ? half : [products[0]!]
}

export function hostileOf(benefits: readonly Benefit[], picks: readonly Pick[]): Hostile {
  const venue = { venueId: 'venue-1', currency: 'NOK', timeZone: 'Europe/Oslo', products: [] }
  return { benefits, basket: buildBasket(picks), venue }
}
