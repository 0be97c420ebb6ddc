import { quantityOne } from '../../engine/core/base/money.js'
import type { Benefit, Selector } from '../../engine/core/base/programme.js'
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
} from './hostile-parts.js'
import type { Product } from './shop.js'
import { splitShapes } from './split-hostile-shapes.js'

/** Adversarial shapes outside the search: for matching, conditions, order discounts, limits and the outcome. */
export const widerShapes: readonly { readonly name: string; readonly shape: (dice: Dice) => Hostile }[] = [
  { name: 'groups-over-pairs', shape: pairs(200, 3) },
  { name: 'three-thousand-groups-over-pairs', shape: pairs(3000, 1) },
  { name: 'thousand-bundles-of-halves', shape: bundlesOfHalves },
  { name: 'bundles-of-all-lines', shape: bundlesOfAll },
  { name: 'thousand-requirements', shape: requirements },
  { name: 'six-hundred-orders', shape: sixHundredOrders },
  { name: 'nearly-equal-percentages', shape: nearlyEqual },
  { name: 'ten-limits-each', shape: tenLimits },
  { name: 'children-not-children', shape: childrenNotChildren },
  { name: 'limits-beside-others', shape: limitsBeside },
  { name: 'forty-trillion-a-line', shape: fortyTrillion },
  { name: 'long-exclusion-lists', shape: exclusionLists },
  { name: 'thousand-limited-exclusives', shape: limitedExclusives },
  { name: 'fifty-wide-requirements-each', shape: wideRequirements },
  { name: 'twenty-wide-components-each', shape: wideComponents },
  { name: 'wide-components-over-eight-lines', shape: onFirstLines(wideComponents, 8) },
  { name: 'five-kinds-at-once', shape: fiveKinds },
  { name: 'five-kinds-over-two-lines', shape: onFirstLines(fiveKinds, 2) },
  { name: 'thousand-stacking-amounts', shape: stackingAmounts },
  { name: 'groups-below-many-orders', shape: groupsBelowOrders },
  ...splitShapes,
]

function benefitsOf(count: number, of: (at: number) => Benefit): Benefit[] {
  return Array.from({ length: count }, (_, at) => of(at))
}

function someOf(dice: Dice, products: readonly Product[], count: number): Product[] {
  return [...new Set(Array.from({ length: count }, () => products[dice.below(products.length)]!))]
}

/** Groupings over two lines each that chain all lines: the state grows with the number of benefits. */
function pairs(count: number, unitsMax: number): (dice: Dice) => Hostile {
  return (dice) => {
    const { products } = plainShop(dice, linesMax)
    const benefits = benefitsOf(count, (at) => {
      const select = selectorOf(someOf(dice, products, 2))
      const get = { select, quantity: 1, percentage: percent(30 + dice.below(71)) }
      return buildBenefit(name(at), { kind: 'buy_get', buy: { select, quantity: 1 }, get })
    })
    const picks = products.map((product) => ({ product, quantity: (1 + dice.below(unitsMax)) * quantityOne }))
    return hostileOf(benefits, picks)
  }
}

/** A thousand bundles with a list of their own per component, each of half of the lines. */
function bundlesOfHalves(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const component = () => ({ select: selectorOf(halfOf(dice, products)), quantity: 1 + dice.below(3) })
  const benefits = benefitsOf(1000, (at) => {
    const components = [component(), component(), component()]
    return buildBenefit(name(at), { kind: 'bundle_price', components, price: 1000 + dice.below(50_000) })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Bundles that need almost every line; half of the lines fit each component. Feasibility is a flow problem. */
function bundlesOfAll(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(10, (at) => {
    const components = products.slice(1).map(() => ({ select: selectorOf(halfOf(dice, products)), quantity: 1 }))
    return buildBenefit(name(at), { kind: 'bundle_price', components, price: 1000 + dice.below(50_000) })
  })
  return hostileOf(
    benefits,
    products.map((product) => ({ product, quantity: quantityOne })),
  )
}

/** A thousand benefits with twenty requirements each. */
function requirements(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) => {
    const reward = {
      kind: 'line_percentage',
      select: selectorOf(someOf(dice, products, 2)),
      percentage: percent(10),
    } as const
    const requires = Array.from({ length: 20 }, () => ({
      select: selectorOf(someOf(dice, products, 20)),
      quantity: 1,
    }))
    return buildBenefit(name(at), reward, { conditions: { requires } })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Three hundred alternative order discounts below three hundred stackable ones, each over other lines. */
function sixHundredOrders(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(600, (at) => {
    const select = selectorOf(halfOf(dice, products))
    const combination = at % 4 < 2 ? 'stackable' : 'normal'
    if (at % 2 === 0) {
      return buildBenefit(name(at), { kind: 'order_amount', select, amount: 100 + dice.below(1000) }, { combination })
    }
    const percentage = percent(1 + dice.below(5))
    return buildBenefit(name(at), { kind: 'order_percentage', select, percentage }, { combination })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** A thousand percentages so close that rounding decides, on lines of hundreds of cheap units. */
function nearlyEqual(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) =>
    buildBenefit(name(at), { kind: 'line_percentage', percentage: 333_000 + dice.below(999) }),
  )
  const picks = products.map((product) => ({
    product: { ...product, unitPrice: 1 + dice.below(99) },
    quantity: (500 + dice.below(500)) * quantityOne,
  }))
  return hostileOf(benefits, picks)
}

function tenLimits(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) => {
    const limits = Array.from({ length: 10 }, (_, index) => unitLimit(10 * at + index, 5 + dice.below(99)))
    return buildBenefit(name(at), { kind: 'line_percentage', percentage: percent(1 + dice.below(50)) }, { limits })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** Selectors that alternate between children and non-children of lines, on one long chain of lines. */
function childrenNotChildren(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const below = (): Selector => ({ ...selectorOf(someOf(dice, products, 20)), children: true })
  const benefits = benefitsOf(1000, (at) => {
    const select = { ...below(), not: { ...below(), not: below() } }
    return buildBenefit(name(at), { kind: 'line_percentage', select, percentage: percent(1 + dice.below(90)) })
  })
  return hostileOf(
    benefits,
    products.map((product, at) => ({ product, quantity: quantityOne, parent: at - 1 })),
  )
}

/**
 * Five hundred percentages without limits, and five hundred better ones with limits: every line compares each with all.
 */
function limitsBeside(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) => {
    const isLimited = at % 2 === 1
    const reward = { kind: 'line_percentage', percentage: percent((isLimited ? 50 : 1) + dice.below(49)) } as const
    if (!isLimited) return buildBenefit(name(at), reward)
    return buildBenefit(name(at), reward, { limits: [unitLimit(at, 5 + dice.below(99))] })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/**
 * A thousand stackable benefits, half of them with a binding maximum, on lines whose amounts exceed 2^53 when
 * multiplied.
 */
function fortyTrillion(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) =>
    buildBenefit(
      name(at),
      {
        kind: 'line_percentage',
        percentage: percent(1 + dice.below(30)),
        ...(at % 2 === 0 ? { maximumAmount: 1e12 + dice.below(5000) * 1e9 } : {}),
      },
      { combination: 'stackable' },
    ),
  )
  const picks = products.map((product, at) => ({
    product: { ...product, unitPrice: 4e13 + 7 * at },
    quantity: quantityOne,
  }))
  return hostileOf(benefits, picks)
}

/**
 * A thousand percentages on everything except lists of a thousand ids, each list different, with some of the lines on
 * it.
 */
function exclusionLists(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) => {
    const elsewhere = Array.from({ length: 900 }, (_, index) => `elsewhere-${at}-${index}`)
    const not = { ...selectorOf(halfOf(dice, products)), productIds: elsewhere }
    const reward = { kind: 'line_percentage', select: { not }, percentage: percent(1 + dice.below(90)) } as const
    return buildBenefit(name(at), reward)
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** A thousand exclusive benefits on some of the units: the choice of units is a search each time. */
function limitedExclusives(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) => ({ ...limited(dice, at, {}), combination: 'exclusive' }))
  return hostileOf(benefits, unitsOf(dice, products))
}

function allBut(dice: Dice, products: readonly Product[]): Selector {
  return { not: selectorOf(someOf(dice, products, 2)) }
}

/** A thousand benefits with fifty requirements each; almost every line fits each requirement. */
function wideRequirements(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) => {
    const requires = Array.from({ length: 50 }, () => ({ select: allBut(dice, products), quantity: 1 }))
    const reward = { kind: 'line_percentage', percentage: percent(1 + dice.below(90)) } as const
    return buildBenefit(name(at), reward, { conditions: { requires } })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/** A thousand bundles of twenty components; almost every line fits each component. */
function wideComponents(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) => {
    const components = Array.from({ length: 20 }, () => ({ select: allBut(dice, products), quantity: 1 }))
    return buildBenefit(name(at), { kind: 'bundle_price', components, price: 1000 + dice.below(50_000) })
  })
  return hostileOf(benefits, unitsOf(dice, products))
}

/**
 * Two hundred each of groupings, bundles, limits, stackable maxima and order discounts, on halves of lines with own
 * discounts.
 */
function fiveKinds(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) => {
    const select = selectorOf(halfOf(dice, products))
    switch (at % 5) {
      case 0: {
        const get = { select, quantity: 1, percentage: percent(30 + dice.below(71)) }
        return buildBenefit(name(at), { kind: 'buy_get', buy: { select, quantity: 1 + dice.below(3) }, get })
      }
      case 1: {
        const components = [select, selectorOf(halfOf(dice, products))].map((each) => ({ select: each, quantity: 1 }))
        return buildBenefit(name(at), { kind: 'bundle_price', components, price: 1000 + dice.below(9000) })
      }
      case 2:
        return limited(dice, at, select)
      case 3: {
        const maximumAmount = 1000 + dice.below(9000)
        const reward = {
          kind: 'line_percentage',
          select,
          percentage: percent(5 + dice.below(9)),
          maximumAmount,
        } as const
        return buildBenefit(name(at), reward, { combination: 'stackable', existingDiscounts: 'add' })
      }
      default: {
        const combination = at % 2 === 0 ? 'stackable' : 'normal'
        const reward = { kind: 'order_percentage', select, percentage: percent(1 + dice.below(9)) } as const
        return buildBenefit(name(at), { ...reward, maximumAmount: 3000 }, { combination })
      }
    }
  })
  const picks = unitsOf(dice, products).map((pick, at) => (at % 2 === 0 ? { ...pick, own: [100] } : pick))
  return hostileOf(benefits, picks)
}

/** A thousand stackable amounts on every line, so small that all fit. */
function stackingAmounts(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const benefits = benefitsOf(1000, (at) =>
    buildBenefit(
      name(at),
      { kind: 'line_amount', amount: 1 + dice.below(3), per: at % 2 === 0 ? 'line' : 'unit' },
      { combination: 'stackable' },
    ),
  )
  const picks = products.map((product) => ({
    product: { ...product, unitPrice: 100_000 + dice.below(900_000) },
    quantity: (1 + dice.below(9)) * quantityOne,
  }))
  return hostileOf(benefits, picks)
}

/**
 * Groupings and bundles of three lines, below 250 stackable benefits on halves of the lines, below 50 alternative order
 * percentages.
 */
function groupsBelowOrders(dice: Dice): Hostile {
  const { products } = plainShop(dice, linesMax)
  const three = () => selectorOf(someOf(dice, products, 3))
  const benefits = benefitsOf(1000, (at) => {
    switch (at % 20 === 19 ? 'order' : at % 4) {
      case 0:
      case 3: {
        const select = three()
        const get = { select, quantity: 1, percentage: percent(50) }
        return buildBenefit(name(at), { kind: 'buy_get', buy: { select, quantity: 2 }, get })
      }
      case 1: {
        const reward = {
          kind: 'line_percentage',
          select: selectorOf(halfOf(dice, products)),
          percentage: percent(1 + dice.below(3)),
        } as const
        return buildBenefit(name(at), reward, { combination: 'stackable' })
      }
      case 2: {
        const components = [three(), three()].map((select) => ({ select, quantity: 1 }))
        return buildBenefit(name(at), { kind: 'bundle_price', components, price: 500 + dice.below(2000) })
      }
      default: {
        const select = selectorOf(halfOf(dice, products))
        const maximumAmount = 500 + dice.below(9000)
        return buildBenefit(name(at), {
          kind: 'order_percentage',
          select,
          percentage: percent(1 + dice.below(30)),
          maximumAmount,
        })
      }
    }
  })
  return hostileOf(benefits, unitsOf(dice, products))
}
