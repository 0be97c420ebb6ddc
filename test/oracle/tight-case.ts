import type { Benefit } from '../../engine/core/base/programme.js'
import { Dice } from '../support/dice.js'
import { aCase, aLine, staff } from './a-case.js'
import { benefitOf, drawTightCase, orderKinds, products, selectOf, themeOf } from './draw-tight-case.js'
import type { RewardKind } from './generate-benefit.js'
import type { PricingCase } from './pricing-case.js'

const unitKinds: readonly RewardKind[] = [
  'line_percentage',
  'line_amount',
  'member_price',
  'price_override',
  'volume_percentage',
]

/** A small basket and programme in which roundings, ties and maxima decide; seeded. */
export function tightCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  for (;;) {
    const question = drawTightCase(dice, themeOf(dice), dice.pick([2, 3, 3, 4, 4]))
    if (question !== null) return question
  }
}

/** The same with many order benefits, normal and stackable, above one or two line benefits. */
export function tightOrdersCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  const tying = dice.pick([
    ['bundle_price'],
    ['buy_get'],
    ['line_percentage'],
    ['line_amount', 'bundle_price'],
    ['price_override'],
  ] as const)
  const kinds = [...tying, ...orderKinds, ...orderKinds, 'order_percentage'] as const
  for (;;) {
    const theme = {
      ...themeOf(dice),
      kinds,
      lines: dice.between(2, 4),
      stackable: dice.pick([0.3, 0.7]),
      orders: dice.chance(0.2) ? 0.5 : 0,
    }
    const question = drawTightCase(dice, theme, dice.between(3, 6))
    if (question !== null) return question
  }
}

/** The same with one or two lines of many units, which many benefits share. */
export function tightUnitsCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  const kinds = dice.pick([unitKinds, unitKinds, [...unitKinds, 'buy_get', 'bundle_price'] as const])
  for (;;) {
    const drawn = themeOf(dice)
    const own = dice.pick([0, 0.5, 0.9])
    const theme = { ...drawn, kinds, own, limited: dice.pick([0, 0.3, 0.6]), stackable: dice.pick([0, 0.3]), units: 9 }
    const question = drawTightCase(dice, theme, dice.pick([2, 3, 3, 4, 5]))
    if (question !== null) return question
  }
}

/** The same with successive order percentages on the same lines, above groups and limits. */
export function tightChainsCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  for (;;) {
    const kinds = [
      dice.pick(['bundle_price', 'buy_get', 'line_percentage'] as const),
      'order_percentage',
      'order_percentage',
      'order_percentage',
    ] as const
    const theme = { ...themeOf(dice), kinds, lines: dice.between(2, 4), stackable: dice.pick([0.6, 0.9]), orders: 0 }
    const question = drawTightCase(dice, theme, dice.between(3, 6))
    if (question === null) continue
    const select = selectOf(dice, question.input.basket.lines)
    const together = ({ reward, ...benefit }: Benefit): Benefit => {
      if (reward.kind !== 'order_percentage') return { ...benefit, reward }
      const { select: _, ...rest } = reward
      return { ...benefit, reward: { ...rest, ...select } }
    }
    return { ...question, benefits: question.benefits.map(together) }
  }
}

/**
 * The same below one or two POS order discounts on some lines, which mostly stay: benefits leave lines less than their share, so that
 * amounts move or are dropped, but not to lines without discounts.
 */
export function tightStayingCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  const tying = dice.pick([
    ['bundle_price'],
    ['buy_get'],
    ['line_percentage'],
    ['line_amount', 'member_price'],
  ] as const)
  const kinds = [...tying, ...tying, 'order_percentage', ...dice.pick([[], orderKinds] as const)] as const
  for (;;) {
    const theme = {
      ...themeOf(dice),
      kinds,
      prices: dice.pick([
        [7, 10, 11],
        [33, 50],
        [99, 100, 101],
      ]),
      scale: 1,
      lines: dice.between(2, 5),
      own: dice.pick([0, 0, 0.3]),
      limited: dice.pick([0, 0.3, 0.6]),
      flags: dice.pick([0.3, 0.6, 0.9]),
      orders: 1,
    }
    const question = drawTightCase(dice, theme, dice.between(2, 4))
    if (question === null) continue
    const benefits = question.benefits.map((benefit) => stayingBelow(dice, benefit))
    return { ...question, benefits }
  }
}

// Mostly order percentages, in addition to the discounts of the POS.
function stayingBelow(dice: Dice, { reward, ...benefit }: Benefit): Benefit {
  if (reward.kind !== 'order_percentage') return { ...benefit, reward }
  const { select, ...rest } = reward
  const existingDiscounts = dice.pick(['add', 'add', 'add', 'replace'] as const)
  return { ...benefit, existingDiscounts, reward: dice.chance(0.7) ? rest : reward }
}

/** The same with several stackable maximum amounts on the same lines. */
export function tightMaximaCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  const others = dice.pick([
    [],
    ['bundle_price'],
    ['buy_get'],
    ['order_percentage'],
    ['order_amount'],
    ['line_amount'],
  ] as const)
  const kinds = [...others, 'line_percentage', 'line_percentage', 'line_percentage'] as const
  for (;;) {
    const theme = {
      ...themeOf(dice),
      kinds,
      lines: 3,
      stackable: 0.9,
      maxima: 0.9,
      own: dice.pick([0, 0.5]),
      orders: dice.chance(0.2) ? 0.5 : 0,
    }
    const question = drawTightCase(dice, theme, dice.between(3, 6))
    if (question !== null) return question
  }
}

/** The same with cheap lines with small own discounts, shared among percentages with many roundings. */
export function tightSharesCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  const theme = { ...themeOf(dice), kinds: ['line_percentage'] as const, scale: 1, maxima: dice.pick([0.3, 0.6]) }
  const count = dice.pick([1, 1, 2])
  const lines = products.slice(0, count).map((product) => {
    const [units, price] = [dice.between(2, count === 1 ? 7 : 4), dice.between(1, 3)]
    const own = dice.chance(0.7) ? staff(Math.min(units * price, dice.pick([1, 1, 2, 3]))) : {}
    return aLine(product, units, price, { productGroupId: 'G1', ...own })
  })
  const percentages = dice.pick([[500_000], [500_000, 333_333], [250_000, 750_000], [333_333, 666_667, 1_000_000]])
  const benefits = Array.from({ length: dice.between(2, 6) }, (_, at): Benefit => {
    const benefit = benefitOf(dice, theme, { at, lines })
    const { reward, combination } = benefit
    const maximum = 'maximumAmount' in reward ? { maximumAmount: dice.between(1, 4) } : {}
    const select = dice.chance(0.3) ? selectOf(dice, lines) : {}
    return {
      ...benefit,
      conditions: null,
      combination: combination === 'exclusive' ? 'normal' : combination,
      existingDiscounts: dice.pick(['add', 'add', 'replace', 'keep']),
      reward: { kind: 'line_percentage', ...select, percentage: dice.pick(percentages), ...maximum },
    }
  })
  return aCase(lines, benefits)
}
