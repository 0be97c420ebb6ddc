import type { Basket, VenueFacts } from '../../engine/core/base/basket.js'
import { quantityOne } from '../../engine/core/base/money.js'
import type { Benefit, Limit, Selector } from '../../engine/core/base/programme.js'
import type { Dice } from '../../test/support/dice.js'
import { buildBasket, type OrderPick, type Pick } from './build-basket.js'
import { buildBenefit, percent, selectorOf } from './draw-benefits.js'
import { createShop, type Product } from './shop.js'

/** A valid programme and basket, built to be adversarial. */
export interface Hostile {
  readonly benefits: readonly Benefit[]
  readonly basket: Basket
  readonly venue: VenueFacts
}

type Draw = (dice: Dice, products: readonly Product[], at: number) => Benefit

/** Lines of a basket at most. */
export const linesMax = 200

/** One shape of each kind of trouble: for matching, conditions, the search of lines and orders, limits and the outcome. */
export const hostileShapes: readonly { readonly name: string; readonly shape: (dice: Dice) => Hostile }[] = [
  { name: 'unit-limits', shape: shaped(20, limitedOnHalf) },
  { name: 'maximum-amounts', shape: shaped(30, maximumAmount) },
  { name: 'buy-gets-over-everything', shape: shaped(40, buyGet) },
  { name: 'groups-over-pairs', shape: shaped(200, pair) },
  { name: 'wide-bundles', shape: shaped(10, wideBundle) },
  { name: 'bundles-of-all-lines', shape: shaped(10, bundleOfAll, singles) },
  { name: 'stackables', shape: shaped(65, stackable, someDiscounted) },
  { name: 'thousand-stackables', shape: shaped(1000, stackingMaximum) },
  { name: 'awkward-percentages', shape: shaped(8, awkwardPercentage, cheapMasses) },
  { name: 'forty-trillion-a-line', shape: shaped(1000, stackingTrillions, trillions) },
  { name: 'exclusives-of-all-kinds', shape: shaped(200, exclusive) },
  { name: 'one-chain-of-children', shape: shaped(linesMax, ofChildren, chain) },
  { name: 'long-exclusion-lists', shape: shaped(1000, exclusionList) },
  { name: 'fifty-wide-requirements-each', shape: shaped(1000, wideRequirements) },
  { name: 'order-levels', shape: shaped(46, orderLevel) },
  { name: 'order-discounts-of-the-pos', shape: shaped(30, besideOrders, unitsOf, fiftyOrders) },
  { name: 'groups-below-many-orders', shape: shaped(1000, groupOrOrder) },
  { name: 'costed-offers-on-one-account', shape: shaped(300, costedOffer) },
  { name: 'split-lines-under-percentages', shape: shaped(600, splitting, dearUnits(7)) },
  { name: 'two-limits-on-each-line', shape: shaped(405, twiceLimited, dearUnits(999)) },
  { name: 'five-kinds-at-once', shape: shaped(1000, oneOfFive, someDiscounted) },
]

/** This many benefits of one kind, under a basket of every product of a shop. */
function shaped(
  count: number,
  draw: Draw,
  picksOf: (dice: Dice, products: readonly Product[]) => Pick[] = unitsOf,
  ordersOf: (picks: readonly Pick[]) => OrderPick[] = () => [],
): (dice: Dice) => Hostile {
  return (dice) => {
    const { products, venue } = createShop(dice, { name: 'hostile', products: linesMax, groups: 5 })
    const plain = products.map((one) => ({ ...one, weighed: false, noDiscount: false, noPercentageDiscount: false }))
    const benefits = Array.from({ length: count }, (_, at) => draw(dice, plain, at))
    const picks = picksOf(dice, plain)
    return { benefits, basket: buildBasket(picks, ordersOf(picks)), venue: { ...venue, products: [] } }
  }
}

function unitsOf(dice: Dice, products: readonly Product[]): Pick[] {
  return products.map((product) => ({ product, quantity: (1 + dice.below(9)) * quantityOne }))
}

function singles(_: Dice, products: readonly Product[]): Pick[] {
  return products.map((product) => ({ product, quantity: quantityOne }))
}

/** Every line is the child of the one before it. */
function chain(dice: Dice, products: readonly Product[]): Pick[] {
  return singles(dice, products).map((pick, at) => ({ ...pick, parent: at - 1 }))
}

function someDiscounted(dice: Dice, products: readonly Product[]): Pick[] {
  return unitsOf(dice, products).map((pick, at) => (at % 2 === 0 ? { ...pick, own: [137] } : pick))
}

function cheapMasses(dice: Dice, products: readonly Product[]): Pick[] {
  const some = products.slice(0, 20)
  return some.map((product) => ({
    product: { ...product, unitPrice: 1 + dice.below(99) },
    quantity: 99_999 * quantityOne,
  }))
}

function dearUnits(units: number): (dice: Dice, products: readonly Product[]) => Pick[] {
  return (dice, products) => {
    const dear = products.map((product) => ({ ...product, unitPrice: 1_000_000 + dice.below(9_000_000) }))
    return dear.map((product) => ({ product, quantity: units * quantityOne }))
  }
}

/** Lines whose amounts exceed 2^53 when multiplied. */
function trillions(_: Dice, products: readonly Product[]): Pick[] {
  return products.map((product, at) => ({ product: { ...product, unitPrice: 4e13 + 7 * at }, quantity: quantityOne }))
}

/** Shares on every line, which may stay, move or be replaced. */
function fiftyOrders(picks: readonly Pick[]): OrderPick[] {
  const lines = picks.map((_, at) => at)
  return Array.from({ length: 50 }, () => ({ amount: 5 * lines.length, lines }))
}

function halfOf(dice: Dice, products: readonly Product[]): Selector {
  const half = products.filter(() => dice.below(2) === 0)
  return selectorOf(half.length > 0 ? half : [products[0]!])
}

function someOf(dice: Dice, products: readonly Product[], count: number): Selector {
  return selectorOf([...new Set(Array.from({ length: count }, () => products[dice.below(products.length)]!))])
}

function name(at: number): string {
  return `hostile-${String(at).padStart(4, '0')}`
}

function unitLimit(at: number, maximum: number): Limit {
  return { limitId: `limit-${at}`, scope: 'member', period: 'day', counts: 'units', maximum }
}

function percentage(dice: Dice, at: number, select: Selector, overrides: Partial<Benefit> = {}): Benefit {
  const reward = { kind: 'line_percentage', select, percentage: percent(5 + dice.below(90)) } as const
  return buildBenefit(name(at), reward, overrides)
}

function limited(dice: Dice, at: number, select: Selector): Benefit {
  return percentage(dice, at, select, { limits: [unitLimit(at, 3 + dice.below(60))] })
}

function limitedOnHalf(dice: Dice, products: readonly Product[], at: number): Benefit {
  return limited(dice, at, halfOf(dice, products))
}

/** A knapsack over half of the lines. */
function maximumAmount(dice: Dice, products: readonly Product[], at: number): Benefit {
  const most = 1000 + dice.below(20_000)
  const reward = { kind: 'line_percentage', percentage: percent(10 + dice.below(60)), maximumAmount: most } as const
  return buildBenefit(name(at), { ...reward, select: halfOf(dice, products) })
}

function grouping(dice: Dice, at: number, select: Selector, bought: number): Benefit {
  const get = { select, quantity: 1 + dice.below(2), percentage: percent(30 + dice.below(71)) }
  return buildBenefit(name(at), { kind: 'buy_get', buy: { select, quantity: 1 + dice.below(bought) }, get })
}

function buyGet(dice: Dice, products: readonly Product[], at: number): Benefit {
  return grouping(dice, at, at % 4 === 0 ? {} : halfOf(dice, products), 5)
}

/** Two lines each, which chain all lines: the state grows with the number of benefits. */
function pair(dice: Dice, products: readonly Product[], at: number): Benefit {
  return grouping(dice, at, someOf(dice, products, 2), 1)
}

function bundle(at: number, selects: readonly Selector[], price: number, quantity = 1): Benefit {
  const components = selects.map((select) => ({ select, quantity }))
  return buildBenefit(name(at), { kind: 'bundle_price', components, price })
}

function halves(dice: Dice, products: readonly Product[], count: number): Selector[] {
  return Array.from({ length: count }, () => halfOf(dice, products))
}

function wideBundle(dice: Dice, products: readonly Product[], at: number): Benefit {
  return bundle(at, halves(dice, products, 20), 50_000 + dice.below(100_000), 1 + dice.below(3))
}

/** Almost every line is needed, and half of them fit each component: feasibility is a flow problem. */
function bundleOfAll(dice: Dice, products: readonly Product[], at: number): Benefit {
  return bundle(at, halves(dice, products, products.length - 1), 1000 + dice.below(50_000))
}

function stackingMaximum(dice: Dice, _: readonly Product[], at: number): Benefit {
  return capped(dice, at, 1000 + dice.below(5000))
}

function stackingTrillions(dice: Dice, _: readonly Product[], at: number): Benefit {
  return capped(dice, at, 1e12 + dice.below(5000) * 1e9)
}

function capped(dice: Dice, at: number, most: number): Benefit {
  const cap = at % 2 === 0 ? { maximumAmount: most } : {}
  const reward = { kind: 'line_percentage', percentage: percent(1 + dice.below(30)), ...cap } as const
  return buildBenefit(name(at), reward, { combination: 'stackable' })
}

/** A choice on each line for each of sixty benefits, on top of limits that couple the lines. */
function stackable(dice: Dice, products: readonly Product[], at: number): Benefit {
  if (at >= 60) return limited(dice, at, {})
  const existingDiscounts = at % 2 === 0 ? 'add' : 'replace'
  if (dice.below(2) === 0) return { ...stackingMaximum(dice, products, at), existingDiscounts }
  const reward = { kind: 'line_amount', amount: 1 + dice.below(300), per: 'line' } as const
  return buildBenefit(name(at), reward, { combination: 'stackable', existingDiscounts })
}

/** Four decimals: the allocation of units decides every rounding. */
function awkwardPercentage(dice: Dice, _: readonly Product[], at: number): Benefit {
  const reward = { kind: 'line_percentage', percentage: 10_007 + dice.below(900_000) } as const
  return buildBenefit(name(at), reward, { limits: at < 4 ? [unitLimit(at, 77_777)] : [] })
}

function exclusive(dice: Dice, products: readonly Product[], at: number): Benefit {
  const benefit = [
    () => bundle(at, halves(dice, products, 3), 20_000 + dice.below(20_000), 2),
    () => limitedOnHalf(dice, products, at),
    () => grouping(dice, at, halfOf(dice, products), 5),
  ][at % 3]!()
  return { ...benefit, combination: 'exclusive' }
}

function ofChildren(dice: Dice, products: readonly Product[], at: number): Benefit {
  return percentage(dice, at, { ...selectorOf([products[at]!]), children: true })
}

/** Everything except a thousand ids, each list different, with some of the lines on it. */
function exclusionList(dice: Dice, products: readonly Product[], at: number): Benefit {
  const productIds = Array.from({ length: 900 }, (_, index) => `elsewhere-${at}-${index}`)
  return percentage(dice, at, { not: { ...halfOf(dice, products), productIds } })
}

function wideRequirements(dice: Dice, products: readonly Product[], at: number): Benefit {
  const requires = Array.from({ length: 50 }, () => ({ select: { not: someOf(dice, products, 2) }, quantity: 1 }))
  return percentage(dice, at, {}, { conditions: { requires } })
}

/** Alternative and stackable order discounts, and lines that are better without their own. */
function orderLevel(dice: Dice, products: readonly Product[], at: number): Benefit {
  const select = halfOf(dice, products)
  if (at >= 40) return limited(dice, at, select)
  const combination = at % 2 === 0 ? 'stackable' : 'normal'
  const amount = 1000 + dice.below(30_000)
  if (at % 4 >= 2) return buildBenefit(name(at), { kind: 'order_amount', select, amount }, { combination })
  return buildBenefit(name(at), { ...orderPercentage(dice, select, 5, 40), maximumAmount: 20_000 }, { combination })
}

function orderPercentage(dice: Dice, select: Selector, least: number, below: number) {
  return { kind: 'order_percentage', select, percentage: percent(least + dice.below(below)) } as const
}

function besideOrders(dice: Dice, products: readonly Product[], at: number): Benefit {
  const select = halfOf(dice, products)
  if (at >= 20) return grouping(dice, at, select, 3)
  const combination = at % 4 === 0 ? 'stackable' : 'normal'
  const existingDiscounts = at % 2 === 0 ? 'add' : 'replace'
  return buildBenefit(name(at), orderPercentage(dice, select, 5, 40), { combination, existingDiscounts })
}

/** Groupings and bundles of three lines, below stackable benefits on halves, below alternative order percentages. */
function groupOrOrder(dice: Dice, products: readonly Product[], at: number): Benefit {
  const three = () => someOf(dice, products, 3)
  if (at % 20 === 19) {
    const reward = orderPercentage(dice, halfOf(dice, products), 1, 30)
    return buildBenefit(name(at), { ...reward, maximumAmount: 500 + dice.below(9000) })
  }
  if (at % 4 === 1) return stacking(at, percent(1 + dice.below(3)), halfOf(dice, products))
  if (at % 4 === 2) return bundle(at, [three(), three()], 500 + dice.below(2000))
  const select = three()
  const get = { select, quantity: 1, percentage: percent(50) }
  return buildBenefit(name(at), { kind: 'buy_get', buy: { select, quantity: 2 }, get })
}

/** Stamps of one account, which can pay a few of the benefits. */
function costedOffer(dice: Dice, products: readonly Product[], at: number): Benefit {
  const costs = { currencyId: 'stamps', amount: 1 + dice.below(40), per: 'unit', worth: dice.below(3000) } as const
  return percentage(dice, at, halfOf(dice, products), { costs })
}

function stacking(at: number, percentage: number, select: Selector = {}): Benefit {
  return buildBenefit(name(at), { kind: 'line_percentage', select, percentage }, { combination: 'stackable' })
}

/** Price overrides of one unit each, which split the lines, below as many benefits on all parts. */
function splitting(dice: Dice, products: readonly Product[], at: number): Benefit {
  if (at >= 300) return stacking(at, percent(1 + dice.below(9)) / 10)
  const select = selectorOf([products[at % linesMax]!])
  const reward = { kind: 'price_override', select, unitPrice: 400_000 + dice.below(500_000) } as const
  return buildBenefit(name(at), reward, { limits: [unitLimit(at, 1)] })
}

/** Tens of thousands of splits of each line. */
function twiceLimited(dice: Dice, products: readonly Product[], at: number): Benefit {
  if (at >= 2 * linesMax) return stacking(at, percent(1 + dice.below(9)) / 10)
  return percentage(dice, at, selectorOf([products[at % linesMax]!]), { limits: [unitLimit(at, 240)] })
}

function oneOfFive(dice: Dice, products: readonly Product[], at: number): Benefit {
  const select = halfOf(dice, products)
  const most = { select, maximumAmount: 1000 + dice.below(9000) }
  const few = { kind: 'line_percentage', percentage: percent(5 + dice.below(9)), ...most } as const
  const get = { select, quantity: 1, percentage: percent(30 + dice.below(71)) }
  const orders = { ...orderPercentage(dice, select, 1, 9), maximumAmount: 3000 }
  return [
    () => buildBenefit(name(at), { kind: 'buy_get', buy: { select, quantity: 1 + dice.below(3) }, get }),
    () => bundle(at, [select, halfOf(dice, products)], 1000 + dice.below(9000)),
    () => limited(dice, at, select),
    () => buildBenefit(name(at), few, { combination: 'stackable', existingDiscounts: 'add' }),
    () => buildBenefit(name(at), orders, { combination: at % 2 === 0 ? 'stackable' : 'normal' }),
  ][at % 5]!()
}
