import { counterKey } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { Dice } from '../support/dice.js'
import { counterOf } from './open-benefits.js'
import type { PricingCase } from './pricing-case.js'
import { sumOf } from './spread.js'

/** 4-member-value 2: limits of such a benefit may count money. */
function countsMoney({ reward, combination }: Pick<Benefit, 'reward' | 'combination'>): boolean {
  return combination !== 'stackable' && reward.kind !== 'price_override' && reward.kind !== 'free_product'
}

/**
 * A drawn basket with limits of money on most of its benefits, with something from nothing to nearly everything left;
 * seeded.
 *
 * @param draws  one of them draws the basket
 */
export function moneyCase(seed: number, draws: readonly ((seed: number) => PricingCase)[]): PricingCase {
  const dice = new Dice(seed)
  const { benefits, input } = dice.pick(draws)(seed)
  const gross = Math.max(1, sumOf(input.basket.lines.map(({ totals }) => totals.gross)))
  const prices = input.basket.lines.map(({ unitPrice }) => unitPrice)
  const available = { ...input.available }
  const limited = benefits.map((benefit, at): Benefit => {
    if (!countsMoney(benefit) || dice.chance(0.25)) return benefit
    const limits = Array.from({ length: dice.chance(0.15) ? 2 : 1 }, (_, number) => {
      const limit = { limitId: `money-${at}-${number}`, scope: 'everyone', period: 'ever', counts: 'amount' } as const
      const most = dice.pick([dice.between(1, Math.min(gross, 1000)), dice.pick(prices), 2 * dice.pick(prices), gross])
      const left = Math.max(0, Math.ceil(most / dice.pick([1, 1, 2, 3])) - dice.pick([0, 0, 1]))
      const counted = { ...limit, maximum: Math.max(1, left) }
      if (dice.chance(0.5) || left === 0) available[counterKey(counterOf(counted, input))] = left
      return counted
    })
    return { ...benefit, limits: dice.chance(0.7) ? limits : [...benefit.limits, ...limits] }
  })
  return { benefits: limited, input: { ...input, available } }
}
