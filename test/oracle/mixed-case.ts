import { counterKey } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { Dice } from '../support/dice.js'
import { drawTightCase, type Theme, themeOf } from './draw-tight-case.js'
import { rewardKinds } from './generate-case.js'
import { counterOf } from './open-benefits.js'
import type { PricingCase } from './pricing-case.js'

const smallPrices = [
  [1, 2, 3],
  [0, 1, 2],
  [2, 3, 5],
  [10, 11],
  [1, 10],
  [3, 7, 19],
]

/**
 * A tight basket in which every kind of reward may meet every other, seeded: prices of a few minor units, exhausted or nearly
 * exhausted limits, exclusive benefits against others, and buy_gets of several units at many percentages. The other tight kinds test
 * one feature each; this one tests their interactions.
 */
export function mixedCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  const kinds = dice.chance(0.3) ? rewardKinds : dice.some(rewardKinds)
  for (;;) {
    const question = drawTightCase(dice, { ...mixedTheme(dice), kinds }, dice.pick([1, 2, 2, 3, 3, 4]))
    if (question === null) continue
    const benefits = question.benefits.map((benefit) => withBuyGet(dice, withExclusive(dice, benefit)))
    return withLittleLeft(dice, { ...question, benefits })
  }
}

function mixedTheme(dice: Dice): Theme {
  const drawn = themeOf(dice)
  return {
    ...drawn,
    prices: dice.pick([...smallPrices, drawn.prices]),
    scale: dice.chance(0.9) ? 1 : drawn.scale,
    own: dice.pick([0, 0.3, 0.7]),
    orders: dice.pick([0, 0, 0.5, 0.9]),
    stackable: dice.pick([0, 0.3, 0.7]),
    limited: dice.pick([0, 0.2, 0.5]),
    maxima: dice.pick([0, 0.4, 0.8]),
    weighed: dice.pick([0, 0, 0.3]),
    overrides: dice.pick([0, 0, 0.3]),
    flags: dice.pick([0, 0, 0.3]),
    ours: dice.pick([0, 0, 0.1]),
  }
}

function withExclusive(dice: Dice, benefit: Benefit): Benefit {
  return benefit.combination === 'normal' && dice.chance(0.15) ? { ...benefit, combination: 'exclusive' } : benefit
}

function withBuyGet(dice: Dice, benefit: Benefit): Benefit {
  const { reward } = benefit
  if (reward.kind !== 'buy_get' || dice.chance(0.6)) return benefit
  const percentage = dice.pick([50_000, 100_000, 333_333, 500_000, 1_000_000])
  const buy = { ...reward.buy, quantity: dice.between(1, 3) }
  const get = { ...reward.get, quantity: dice.between(1, 3), percentage }
  return { ...benefit, reward: { ...reward, buy, get } }
}

function withLittleLeft(dice: Dice, { benefits, input }: PricingCase): PricingCase {
  const available: Record<string, number> = {}
  for (const limit of benefits.flatMap(({ limits }) => limits)) {
    if (dice.chance(0.5))
      available[counterKey(counterOf(limit, input))] = Math.min(limit.maximum, dice.pick([0, 1, 1, 2]))
  }
  return { benefits, input: { ...input, available } }
}
