import type { Benefit } from '../../../../engine/core/base/programme.js'
import { chooseOrders, orderBound } from '../../../../engine/core/order/choose-orders.js'
import { aBasket, aBenefit, type LineSketch, percent } from '../builders.js'
import { offersOf } from '../offers-of.js'

/** An order benefit; without products it looks at all lines. */
export type OrderSketch = Partial<Benefit> & { readonly products?: readonly string[] }
const on = (productIds: readonly string[]) => (productIds.length === 0 ? {} : { select: { productIds } })

export function anAmount(benefitId: string, off: number, { products = [], ...overrides }: OrderSketch = {}): Benefit {
  return aBenefit(benefitId, { kind: 'order_amount', amount: off, ...on(products) }, overrides)
}

/** A percentage off the order: 20 % is `aShare(id, 20)`. */
export function aShare(benefitId: string, value: number, { products = [], ...overrides }: OrderSketch = {}): Benefit {
  return aBenefit(benefitId, { kind: 'order_percentage', percentage: percent(value), ...on(products) }, overrides)
}

/** The order level chosen for lines without line discounts, and a lower bound of the rest under any. */
export function chosenOver(lines: readonly LineSketch[], benefits: readonly Benefit[]) {
  const { basis, offers, hasOrderDiscounts } = offersOf(aBasket(lines), benefits)
  const isStack = (offer: (typeof offers)[number]) => offer.benefit.combination === 'stackable'
  const rests = basis.lines.map(({ gross }) => gross)
  const orderOffers = { normals: offers.filter((offer) => !isStack(offer)), stacks: offers.filter(isStack) }
  const choice = chooseOrders(basis, rests, { ...orderOffers, hasOrderDiscounts })
  return { ...choice, netBound: orderBound(basis, rests, { ...orderOffers, hasOrderDiscounts }) }
}
