import { quantityOne } from '../../engine/core/base/money.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import type { Dice } from '../../test/support/dice.js'
import { buildBenefit, percent, selectorOf } from './draw-benefits.js'
import {
  type Hostile,
  halfOf,
  hostileOf,
  limited,
  linesMax,
  name,
  onFirstLines,
  plainShop,
  unitLimit,
  unitsOf,
  withOrderDiscounts,
} from './hostile-parts.js'
import { widerShapes } from './wider-hostile-shapes.js'

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
  { name: 'thousand-stackables', shape: thousandStackables },
  { name: 'thousand-bundles', shape: thousandBundles },
  { name: 'thousand-buy-gets', shape: thousandBuyGets },
  { name: 'hundred-stacking-orders', shape: stackingOrders },
  { name: 'exclusives-of-all-kinds', shape: mixedExclusives },
  { name: 'order-discounts-of-the-pos', shape: keptOrders },
  { name: 'order-levels-over-twenty-lines', shape: onFirstLines(orderLevels, 20) },
  { name: 'costed-offers-on-one-account', shape: costedOffers },
  { name: 'own-discounts-and-maxima', shape: ownDiscounts },
  ...widerShapes,
]

/** The same product on every line, and limits to allocate among them. */
function equalLines(dice: Dice): Hostile {
  const [product] = plainShop(dice, 1).products
  const benefits = Array.from({ length: 12 }, (_, at) => limited(dice, at, {}))
  return hostileOf(
    benefits,
    Array.from({ length: linesMax }, () => ({ product: product!, quantity: 3 * quantityOne })),
  )
}

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

/** Forty groupings that compete for the same units. */
function buyGets(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 40 }, (_, at) => {
    const select = at % 4 === 0 ? {} : selectorOf(halfOf(dice, products))
    const get = { select, quantity: 1 + dice.below(2), percentage: percent(30 + dice.below(71)) }
    return buildBenefit(name(at), { kind: 'buy_get', buy: { select, quantity: 1 + dice.below(5) }, get })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Bundles of twenty components; half of the lines fit each component. */
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

/** A choice per line for each of sixty stackable benefits, on top of limits that couple the lines. */
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

/** Twenty alternative order discounts, twenty stackable ones, and lines that are better without line discounts. */
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

/** Percentages of four decimals on 99,999 units: the allocation of units decides every rounding. */
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

function everythingMatches(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 1000 }, (_, at) =>
    buildBenefit(name(at), { kind: 'line_percentage', percentage: percent(1 + dice.below(90)) }),
  )
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Every line is the child of the one before it, and selectors match children. */
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

function thousandStackables(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 1000 }, (_, at) =>
    buildBenefit(
      name(at),
      {
        kind: 'line_percentage',
        percentage: percent(1 + dice.below(30)),
        ...(at % 2 === 0 ? { maximumAmount: 1000 + dice.below(5000) } : {}),
      },
      { combination: 'stackable' },
    ),
  )
  return hostileOf(benefits, unitsOf(dice, products))
}

function thousandBundles(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 1000 }, (_, at) =>
    buildBenefit(name(at), {
      kind: 'bundle_price',
      components: Array.from({ length: 1 + dice.below(4) }, () => ({ quantity: 1 + dice.below(3) })),
      price: 1000 + dice.below(50_000),
    }),
  )
  return hostileOf(benefits, unitsOf(dice, products))
}

function thousandBuyGets(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 1000 }, (_, at) =>
    buildBenefit(name(at), {
      kind: 'buy_get',
      buy: { quantity: 1 + dice.below(9) },
      get: { quantity: 1 + dice.below(3), percentage: percent(1 + dice.below(100)) },
    }),
  )
  return hostileOf(benefits, unitsOf(dice, products))
}

/** A hundred stackable order discounts, each over other lines, on lines that limits couple. */
function stackingOrders(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const orders = Array.from({ length: 100 }, (_, at) =>
    buildBenefit(
      `order-${at}`,
      at % 2 === 0
        ? {
            kind: 'order_percentage',
            select: selectorOf(halfOf(dice, products)),
            percentage: percent(1 + dice.below(9)),
          }
        : { kind: 'order_amount', select: selectorOf(halfOf(dice, products)), amount: 100 + dice.below(3000) },
      { combination: 'stackable' },
    ),
  )
  const limiting = Array.from({ length: 6 }, (_, at) => limited(dice, at, selectorOf(halfOf(dice, products))))
  return hostileOf([...orders, ...limiting], unitsOf(dice, products))
}

/** Two hundred exclusive benefits of every kind that needs a search. */
function mixedExclusives(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 200 }, (_, at) => {
    const components = Array.from({ length: 3 }, () => ({ select: selectorOf(halfOf(dice, products)), quantity: 2 }))
    if (at % 2 === 0) {
      const price = 20_000 + dice.below(20_000)
      return buildBenefit(name(at), { kind: 'bundle_price', components, price }, { combination: 'exclusive' })
    }
    const benefit = limited(dice, at, selectorOf(halfOf(dice, products)))
    return { ...benefit, combination: 'exclusive' } as const
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Fifty order discounts of the POS with shares on every line, which may stay, move or be replaced. */
function keptOrders(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const orders = Array.from({ length: 20 }, (_, at) =>
    buildBenefit(
      `order-${at}`,
      { kind: 'order_percentage', select: selectorOf(halfOf(dice, products)), percentage: percent(5 + dice.below(40)) },
      { combination: at % 4 === 0 ? 'stackable' : 'normal', existingDiscounts: at % 2 === 0 ? 'add' : 'replace' },
    ),
  )
  const groups = Array.from({ length: 10 }, (_, at) => {
    const select = selectorOf(halfOf(dice, products))
    const get = { select, quantity: 1, percentage: percent(100) }
    return buildBenefit(name(at), { kind: 'buy_get', buy: { select, quantity: 1 + dice.below(3) }, get })
  })
  const { basket, ...rest } = hostileOf([...orders, ...groups], unitsOf(dice, products))
  return { ...rest, basket: withOrderDiscounts(basket, 50) }
}

/** Three hundred benefits that cost stamps of one account, which can pay a few of them. */
function costedOffers(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 300 }, (_, at) =>
    buildBenefit(
      name(at),
      { kind: 'line_percentage', select: selectorOf(halfOf(dice, products)), percentage: percent(5 + dice.below(90)) },
      { costs: { currencyId: 'stamps', amount: 1 + dice.below(40), per: 'unit', worth: dice.below(3000) } },
    ),
  )
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Own discounts on every line, and benefits with a maximum that would replace them, keep them or add to them. */
function ownDiscounts(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = Array.from({ length: 60 }, (_, at) =>
    buildBenefit(
      name(at),
      {
        kind: 'line_percentage',
        select: selectorOf(halfOf(dice, products)),
        percentage: percent(5 + dice.below(60)),
        maximumAmount: 1000 + dice.below(20_000),
      },
      {
        combination: at % 2 === 0 ? 'stackable' : 'normal',
        existingDiscounts: (['replace', 'add', 'keep'] as const)[at % 3]!,
      },
    ),
  )
  return hostileOf(
    benefits,
    unitsOf(dice, products).map((pick) => ({ ...pick, own: [100 + dice.below(500)] })),
  )
}
