import type { MemberFacts } from '../../../../engine/core/base/basket.js'
import type { Calculation } from '../../../../engine/core/base/outcome.js'
import type { Benefit, Cost, Reward } from '../../../../engine/core/base/programme.js'
import { aBenefit, aMember, percent } from '../builders.js'

export function aCost(amount: number, overrides: Partial<Cost> = {}): Pick<Benefit, 'costs'> {
  return { costs: { currencyId: 'stamps', amount, per: 'unit', worth: 0, ...overrides } }
}

export function having(stamps: number): MemberFacts {
  return { ...aMember, balances: { stamps } }
}

/** The benefits paid, with their payments. */
export function paid({ spending }: Calculation): [string, number][] {
  return spending.map(({ benefitId, times }) => [benefitId, times])
}

export const free = { kind: 'line_percentage', percentage: percent(100) } as const satisfies Reward
export const coffee = aBenefit('coffee', free, aCost(10, { worth: 1000 }))

/** Units of one product are free for a cost each. */
export function freeOf(
  productId: string,
  amount: number,
  { id = productId, ...cost }: Partial<Cost & { id: string }> = {},
) {
  return aBenefit(id, { ...free, select: { productIds: [productId] } }, aCost(amount, cost))
}
