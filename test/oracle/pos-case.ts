import { aCase, aLine, anOrderDiscount, carrying } from './a-case.js'
import { alikeCase } from './alike-case.js'
import { Dice } from './dice.js'
import { mixedCase } from './mixed-case.js'
import type { PricingCase } from './pricing-case.js'
import {
  tightCase,
  tightChainsCase,
  tightMaximaCase,
  tightOrdersCase,
  tightSharesCase,
  tightUnitsCase,
} from './tight-case.js'

const lineKinds = [tightCase, tightUnitsCase, tightMaximaCase, tightSharesCase, alikeCase]
const kinds = [mixedCase, mixedCase, mixedCase, ...lineKinds, tightOrdersCase, tightChainsCase]

/**
 * A tight basket of any kind beside an order discount of the POS, the same for the same seed. The discount stands on a
 * cheap line of its own that often takes no benefit: all it changes is the way the other lines are searched, which is
 * then together with the order level.
 */
export function posCase(seed: number): PricingCase {
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
