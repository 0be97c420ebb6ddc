import type { VenueProduct } from '../../engine/core/base/basket.js'
import { counterKey } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { aProduct, code } from '../engine/core/builders.js'
import { Dice } from '../support/dice.js'
import { generateBasket, type Size } from './generate-basket.js'
import { generateBenefit, type RewardKind } from './generate-benefit.js'
import { counterOf } from './open-benefits.js'
import type { PricingCase } from './pricing-case.js'

export const rewardKinds: readonly RewardKind[] = [
  'line_percentage',
  'line_amount',
  'member_price',
  'order_percentage',
  'order_amount',
  'price_override',
  'volume_percentage',
  'buy_get',
  'bundle_price',
  'free_product',
]

const zones = ['Europe/Oslo', 'UTC', 'America/New_York', 'Asia/Tokyo', 'Australia/Lord_Howe']

/** Upper bounds of the number of assignments, by how many benefits there are: more benefits, smaller baskets. */
const waysByBenefits = [400, 400, 250, 120, 60]

/**
 * A random small programme and basket, seeded: overlapping benefits, scarce limits, existing discounts, flags, weighed lines, prices
 * of 0, prices that do not divide, and ties.
 *
 */
export function generateCase(seed: number, kinds: readonly RewardKind[] = rewardKinds): PricingCase {
  const dice = new Dice(seed)
  const count = dice.pick([1, 2, 3, 3, 4, 4])
  return drawCase(dice, { count, size: { ways: waysByBenefits[count]!, linesMax: 4, unitsMax: 5 }, kinds })
}

/** The same for baskets that only a solver can check: up to 12 lines of up to 12 units, up to 8 benefits. */
export function generateLargeCase(seed: number, kinds: readonly RewardKind[] = rewardKinds): PricingCase {
  const dice = new Dice(seed)
  const size = { ways: Number.POSITIVE_INFINITY, linesMax: 12, unitsMax: 12 }
  return drawCase(dice, { count: dice.between(2, 8), size, kinds })
}

function drawCase(dice: Dice, so: { count: number; size: Size; kinds: readonly RewardKind[] }): PricingCase {
  const { count, size, kinds } = so
  const basket = generateBasket(dice, size)
  const few = dice.chance(0.3) ? dice.some(kinds) : kinds
  const benefits: Benefit[] = []
  for (let number = 0; number < count; number += 1) {
    const fresh = generateBenefit(dice, { kinds: few, number, basket })
    benefits.push(number > 0 && dice.chance(0.15) ? rivalOf(dice.pick(benefits), fresh) : fresh)
  }
  const venue = { venueId: 'V1', currency: 'NOK', timeZone: dice.pick(zones), products: drawProducts(dice) }
  const member = {
    memberId: 'm1',
    tier: dice.maybe(0.7, () => 'gold'),
    segments: dice.chance(0.5) ? ['young', 'm2'] : [],
  }
  const facts = { member, venue, available: {}, discountCode: code, stepsMax: 10_000_000 }
  const input = { ...facts, basket }
  return { benefits, input: { ...input, available: drawAvailable(dice, { benefits, input }) } }
}

/** A copy of a benefit with another id and priority: only ties distinguish them. */
function rivalOf(benefit: Benefit, { benefitId, priority }: Benefit): Benefit {
  const limits = benefit.limits.map((limit) => ({ ...limit, limitId: `${benefitId}-${limit.limitId}` }))
  return { ...benefit, benefitId, priority, limits }
}

function drawProducts(dice: Dice): VenueProduct[] {
  return [
    aProduct({ productId: 'F1', unitPrice: dice.pick([1, 50, 100]) }),
    aProduct({ productId: 'F2', unitPrice: 0 }),
    aProduct({ productId: 'F3', unitPrice: 30, noDiscount: true }),
  ]
}

function drawAvailable(dice: Dice, { benefits, input }: PricingCase): Record<string, number> {
  const available: Record<string, number> = {}
  for (const limit of benefits.flatMap((benefit: Benefit) => benefit.limits)) {
    if (dice.chance(0.5)) {
      available[counterKey(counterOf(limit, input))] = Math.min(limit.maximum, dice.pick([0, 0, 1, 1, 2, 3, 4]))
    }
  }
  return available
}
