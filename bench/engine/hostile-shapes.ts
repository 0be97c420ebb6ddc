import type { Basket, VenueFacts } from '../../engine/core/basket.js'
import { quantityOne } from '../../engine/core/money.js'
import type { Benefit, Limit, Selector } from '../../engine/core/programme.js'
import type { Dice } from '../load/dice.js'
import { buildBasket, type Pick } from './build-basket.js'
import { buildBenefit, percent, selectorOf } from './draw-benefits.js'
import { createShop, type Product, type Shop } from './shop.js'

/** A programme and a basket that are allowed and are made to hurt. */
export interface Hostile {
  readonly benefits: readonly Benefit[]
  readonly basket: Basket
  readonly venue: VenueFacts
}

/** As many lines as a basket may have. */
const linesMax = 200

export const hostileShapes: readonly { readonly name: string; readonly shape: (dice: Dice) => Hostile }[] = [
  { name: 'equal-lines', shape: equalLines },
  { name: 'unit-limits', shape: unitLimits },
  { name: 'maximum-amounts', shape: maximumAmounts },
  { name: 'buy-gets-over-everything', shape: buyGets },
  { name: 'wide-bundles', shape: wideBundles },
  { name: 'stackables', shape: stackables },
  { name: 'order-levels', shape: orderLevels },
  { name: 'awkward-percentages', shape: awkwardPercentages },
  { name: 'exclusives', shape: exclusives },
  { name: 'everything-matches', shape: everythingMatches },
  { name: 'one-chain-of-children', shape: chainOfChildren },
]

/** The same product on every line, and limits that must be dealt among them. */
function equalLines(dice: Dice): Hostile {
  const [product] = plainShop(dice, 1).products
  const benefits = Array.from({ length: 12 }, (_, at) => limited(dice, at, {}))
  return hostileOf(
    benefits,
    Array.from({ length: linesMax }, () => ({ product: product!, quantity: 3 * quantityOne })),
  )
}

/** Twenty limits in units, each over its own half of the lines. */
function unitLimits(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 20 }, (_, at) => limited(dice, at, selectorOf(halfOf(dice, products))))
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Thirty maximum amounts over halves of the lines: a knapsack each. */
function maximumAmounts(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 30 }, (_, at) =>
    buildBenefit(name(at), {
      kind: 'line_percentage',
      select: selectorOf(halfOf(dice, products)),
      percentage: percent(10 + dice.below(60)),
      maximumAmount: 1000 + dice.below(20_000),
    }),
  )
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Forty groupings that all want the same units. */
function buyGets(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 40 }, (_, at) => {
    const select = at % 4 === 0 ? {} : selectorOf(halfOf(dice, products))
    const get = { select, quantity: 1 + dice.below(2), percentage: percent(30 + dice.below(71)) }
    return buildBenefit(name(at), { kind: 'buy_get', buy: { select, quantity: 1 + dice.below(5) }, get })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Bundles of twenty components, each of which half of the lines could serve. */
function wideBundles(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 10 }, (_, at) => {
    const components = Array.from({ length: 20 }, () => ({
      select: selectorOf(halfOf(dice, products)),
      quantity: 1 + dice.below(3),
    }))
    return buildBenefit(name(at), { kind: 'bundle_price', components, price: 50_000 + dice.below(100_000) })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** A choice per line for each of sixty that stack, on top of limits that tie the lines together. */
function stackables(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const stacking = Array.from({ length: 60 }, (_, at) =>
    buildBenefit(`stack-${at}`, stackingReward(dice), {
      combination: 'stackable',
      existingDiscounts: at % 2 === 0 ? 'add' : 'replace',
    }),
  )
  const limiting = Array.from({ length: 5 }, (_, at) => limited(dice, at, {}))
  const picks = unitsOf(dice, products).map((pick, at) => (at % 3 === 0 ? { ...pick, own: [137] } : pick))
  return hostileOf([...stacking, ...limiting], picks)
}

function stackingReward(dice: Dice): Benefit['reward'] {
  if (dice.below(2) === 0) return { kind: 'line_amount', amount: 1 + dice.below(300), per: 'line' }
  return {
    kind: 'line_percentage',
    percentage: percent(1 + dice.below(30)),
    ...(dice.below(2) === 0 ? { maximumAmount: 5000 } : {}),
  }
}

/** Twenty order discounts to choose among, twenty that stack, and lines that are better left to them. */
function orderLevels(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const orders = Array.from({ length: 40 }, (_, at) =>
    buildBenefit(
      `order-${at}`,
      at % 4 < 2
        ? {
            kind: 'order_percentage',
            select: selectorOf(halfOf(dice, products)),
            percentage: percent(5 + dice.below(40)),
            maximumAmount: 20_000,
          }
        : { kind: 'order_amount', select: selectorOf(halfOf(dice, products)), amount: 1000 + dice.below(30_000) },
      { combination: at % 2 === 0 ? 'stackable' : 'normal' },
    ),
  )
  const limiting = Array.from({ length: 6 }, (_, at) => limited(dice, at, selectorOf(halfOf(dice, products))))
  return hostileOf([...orders, ...limiting], unitsOf(dice, products))
}

/** Percentages of four decimals on 99,999 pieces: where the pieces go decides every rounding. */
function awkwardPercentages(dice: Dice): Hostile {
  const { products } = plainShop(dice, 20)
  const benefits = Array.from({ length: 8 }, (_, at) =>
    buildBenefit(
      name(at),
      { kind: 'line_percentage', percentage: 10_007 + dice.below(900_000) },
      { limits: at < 4 ? [unitLimit(at, 77_777)] : [] },
    ),
  )
  return hostileOf(
    benefits,
    products.map((product) => ({
      product: { ...product, unitPrice: 1 + dice.below(99) },
      quantity: 99_999 * quantityOne,
    })),
  )
}

/** Two hundred benefits that each want the basket to themselves, and each is a search of its own. */
function exclusives(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 200 }, (_, at) => {
    const select = selectorOf(halfOf(dice, products))
    const get = { select, quantity: 1, percentage: percent(30 + dice.below(71)) }
    const reward = { kind: 'buy_get', buy: { quantity: 1 + dice.below(5) }, get } as const
    return buildBenefit(name(at), reward, { combination: 'exclusive' })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** A thousand benefits that take every line. */
function everythingMatches(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 1000 }, (_, at) =>
    buildBenefit(name(at), { kind: 'line_percentage', percentage: percent(1 + dice.below(90)) }),
  )
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Every line below the one before it, and selectors that take what is below. */
function chainOfChildren(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = products.map((product, at) =>
    buildBenefit(name(at), {
      kind: 'line_percentage',
      select: { ...selectorOf([product]), children: true },
      percentage: percent(1 + (at % 90)),
    }),
  )
  return hostileOf(
    benefits,
    products.map((product, at) => ({ product, quantity: quantityOne, parent: at - 1 })),
  )
}

function limited(dice: Dice, at: number, select: Selector): Benefit {
  const limits = [unitLimit(at, 3 + dice.below(60))]
  return buildBenefit(
    name(at),
    { kind: 'line_percentage', select, percentage: percent(5 + dice.below(90)) },
    { limits },
  )
}

function unitLimit(at: number, maximum: number): Limit {
  return { limitId: `limit-${at}`, scope: 'member', period: 'day', counts: 'units', maximum }
}

function name(at: number): string {
  return `hostile-${String(at).padStart(4, '0')}`
}

function plainShop(dice: Dice, products: number): Shop {
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

function unitsOf(dice: Dice, products: readonly Product[]): Pick[] {
  return products.map((product) => ({ product, quantity: (1 + dice.below(9)) * quantityOne }))
}

function halfOf(dice: Dice, products: readonly Product[]): Product[] {
  const half = products.filter(() => dice.below(2) === 0)
  return half.length > 0 ? half : [products[0]!]
}

function hostileOf(benefits: readonly Benefit[], picks: readonly Pick[]): Hostile {
  const venue = { venueId: 'venue-1', currency: 'NOK', timeZone: 'Europe/Oslo', products: [] }
  return { benefits, basket: buildBasket(picks), venue }
}
