import { quantityOne } from '../../engine/core/base/money.js'
import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import type { Dice } from '../../test/support/dice.js'
import { buildBenefit, percent, selectorOf } from './draw-benefits.js'
import { type Hostile, hostileOf, linesMax, name, plainShop, unitLimit } from './hostile-parts.js'
import type { Product } from './shop.js'

/** More parts of lines than benefits, with hundreds of stackable benefits on each. */
export const splitShapes: readonly { readonly name: string; readonly shape: (dice: Dice) => Hostile }[] = [
  { name: 'split-lines-under-percentages', shape: splitLines(300, linesMax, linePercentage) },
  { name: 'one-split-line-under-amounts', shape: splitLines(500, 1, lineAmount) },
  { name: 'limits-below-percentages', shape: limitsBelow },
  { name: 'two-limits-on-each-line', shape: twoLimits },
]

/** `count` price overrides of one unit each, which split the lines, below as many stackable benefits on all parts. */
function splitLines(count: number, lineCount: number, rewardOf: (dice: Dice) => Reward): (dice: Dice) => Hostile {
  return (dice) => {
    const products = plainShop(dice, lineCount).products.map((product) => dear(dice, product))
    const overrides = Array.from({ length: count }, (_, at) => oneUnitOf(dice, at, products[at % lineCount]!))
    const stacking = Array.from({ length: count }, (_, at) =>
      buildBenefit(name(count + at), rewardOf(dice), { combination: 'stackable' }),
    )
    const quantity = (Math.ceil(count / lineCount) + 5) * quantityOne
    return hostileOf(
      [...overrides, ...stacking],
      products.map((product) => ({ product, quantity })),
    )
  }
}

function dear(dice: Dice, product: Product): Product {
  return { ...product, unitPrice: 1_000_000 + dice.below(9_000_000) }
}

function oneUnitOf(dice: Dice, at: number, product: Product): Benefit {
  const unitPrice = product.unitPrice - 1 - dice.below(500_000)
  const reward = { kind: 'price_override', select: selectorOf([product]), unitPrice } as const
  return buildBenefit(name(at), reward, { limits: [unitLimit(at, 1)] })
}

function linePercentage(dice: Dice): Reward {
  return { kind: 'line_percentage', percentage: percent(1 + dice.below(9)) / 10 }
}

function lineAmount(dice: Dice): Reward {
  return { kind: 'line_amount', amount: 1000 + dice.below(9000), per: 'line' }
}

/** A limit per line to allocate over its many units, and hundreds of percentages on each allocation. */
function limitsBelow(dice: Dice): Hostile {
  const products = plainShop(dice, linesMax).products.map((product) => dear(dice, product))
  const limiting = products.map((product, at) =>
    buildBenefit(
      name(at),
      { kind: 'line_percentage', select: selectorOf([product]), percentage: percent(10 + dice.below(50)) },
      { limits: [unitLimit(at, 170)] },
    ),
  )
  const stacking = Array.from({ length: 400 }, (_, at) =>
    buildBenefit(name(linesMax + at), linePercentage(dice), { combination: 'stackable' }),
  )
  const picks = products.map((product) => ({ product, quantity: 999 * quantityOne }))
  return hostileOf([...limiting, ...stacking], picks)
}

/** Two limits per line to allocate over its units: tens of thousands of splits of each line. */
function twoLimits(dice: Dice): Hostile {
  const products = plainShop(dice, linesMax).products.map((product) => dear(dice, product))
  const limiting = [...products, ...products].map((product, at) =>
    buildBenefit(
      name(at),
      { kind: 'line_percentage', select: selectorOf([product]), percentage: percent(10 + dice.below(50)) },
      { limits: [unitLimit(at, 240)] },
    ),
  )
  const stacking = Array.from({ length: 5 }, (_, at) =>
    buildBenefit(name(2 * linesMax + at), linePercentage(dice), { combination: 'stackable' }),
  )
  const picks = products.map((product) => ({ product, quantity: 999 * quantityOne }))
  return hostileOf([...limiting, ...stacking], picks)
}
