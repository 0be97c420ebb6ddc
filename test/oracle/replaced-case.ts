import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import { Dice } from '../support/dice.js'
import { drawTightCase, orderKinds, type Theme, themeOf } from './draw-tight-case.js'
import type { RewardKind } from './generate-benefit.js'
import type { PricingCase } from './pricing-case.js'

const whole = 1_000_000
const replacing: readonly (readonly RewardKind[])[] = [
  ['bundle_price'],
  ['buy_get'],
  ['bundle_price', 'buy_get'],
  ['line_percentage', 'bundle_price'],
  ['member_price', 'bundle_price'],
  ['line_percentage'],
  ['line_amount', 'volume_percentage'],
  ['price_override', 'buy_get'],
]

/**
 * A tight basket, seeded, with own discounts on nearly every line, which replacing benefits hardly beat: shares that round to 0,
 * maxima that are reached, and an order level that takes nearly all of the rest. The choice of benefits for which own discounts are
 * removed decides.
 */
export function replacedCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  for (;;) {
    const above = dice.pick([[], orderKinds, ['order_percentage', 'order_percentage']] as const)
    const kinds = [...dice.pick(replacing), ...above]
    const question = drawTightCase(dice, { ...replacedTheme(dice), kinds }, dice.pick([1, 2, 2, 3, 3, 4]))
    if (question === null) continue
    return { ...question, benefits: question.benefits.map((benefit) => swallowing(dice, benefit)) }
  }
}

function replacedTheme(dice: Dice): Theme {
  const drawn = themeOf(dice)
  return {
    ...drawn,
    prices: dice.pick([[0, 1, 99], [1, 99], [0, 1, 2], [1, 2, 3], [1, 100], [3, 50, 99], drawn.prices]),
    scale: dice.chance(0.95) ? 1 : drawn.scale,
    lines: dice.between(2, 4),
    own: dice.pick([0.5, 0.7, 0.7]),
    orders: dice.pick([0, 0, 0.5]),
    stackable: dice.pick([0, 0.3, 0.7]),
    limited: dice.pick([0, 0, 0.3]),
    maxima: dice.pick([0, 0.4, 0.8]),
    ours: 0,
  }
}

function swallowing(dice: Dice, benefit: Benefit): Benefit {
  const isOverride = benefit.reward.kind === 'price_override'
  const existingDiscounts = dice.pick(isOverride ? (['replace'] as const) : (['replace', 'replace', 'add'] as const))
  return {
    ...benefit,
    existingDiscounts,
    priority: dice.chance(0.4) ? dice.between(-1, 1) : benefit.priority,
    reward: swallowingReward(dice, benefit.reward),
  }
}

function swallowingReward(dice: Dice, reward: Reward): Reward {
  if (reward.kind === 'order_percentage') {
    const { maximumAmount, ...free } = reward
    const percentage = dice.pick([whole, whole, 990_000, reward.percentage])
    return dice.chance(0.6) ? { ...free, percentage } : { ...reward, percentage }
  }
  if (reward.kind === 'line_percentage') return { ...reward, percentage: dice.pick([reward.percentage, whole, 10_000]) }
  if (reward.kind === 'buy_get' && dice.chance(0.4)) {
    return { ...reward, get: { ...reward.get, percentage: dice.pick([10_000, 333_333, 500_000]) } }
  }
  return reward
}
