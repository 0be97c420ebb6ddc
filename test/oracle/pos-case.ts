import { Dice } from '../support/dice.js'
import { aCase, aLine, anOrderDiscount, carrying } from './a-case.js'
import type { PricingCase } from './pricing-case.js'

/**
 * A tight basket of one of some kinds with an order discount of the POS, seeded. The discount is on a separate cheap line that often
 * takes no benefit: its only effect is that the other lines are searched together with the order level.
 */
export function posCase(seed: number, kinds: readonly ((seed: number) => PricingCase)[]): PricingCase {
  const dice = new Dice(seed)
  const { benefits, input } = dice.pick(kinds)(dice.between(0, 2 ** 31))
  const amount = dice.between(1, 3)
  const carrier = aLine('carrier', 1, amount + dice.pick([0, 0, 2]), {
    ...carrying('carried', amount),
    noDiscount: dice.chance(0.6),
  })
  const orderDiscounts = [...input.basket.orderDiscounts, anOrderDiscount('carried', amount)]
  const { basket } = aCase([...input.basket.lines, carrier], benefits, { orderDiscounts }).input
  return { benefits, input: { ...input, basket } }
}
