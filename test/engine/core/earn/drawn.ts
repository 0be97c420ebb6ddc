import type { Basket } from '../../../../engine/core/base/basket.js'
import type { EarningRule } from '../../../../engine/core/base/earning.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import type { Dice } from '../../../support/dice.js'
import { aBasket, aBenefit, percent } from '../builders.js'
import { aRule, perKrone, perVisit } from './rules.js'

const groups = ['drinks', 'bakery', 'deposit']
/** The text of the benefits that give units for nothing. */
const freeText = 'For nothing'

export function drawBasket(dice: Dice): Basket {
  return aBasket(
    Array.from({ length: dice.between(1, 6) }, () => ({
      group: dice.pick(groups),
      price: dice.pick([100, 700, 2500]),
      quantity: dice.chance(0.15) ? 0.5 : dice.between(1, 4),
      noDiscount: dice.chance(0.15),
    })),
  )
}

export function drawBenefits(dice: Dice): Benefit[] {
  const select = { productGroupIds: [dice.pick(groups)] }
  const one = { limitId: 'one', scope: 'member', period: 'ever', counts: 'units', maximum: dice.between(1, 2) } as const
  const get = { select, quantity: 1, percentage: percent(100) }
  const all: readonly Benefit[] = [
    aBenefit('half', { kind: 'line_percentage', select, percentage: percent(50) }),
    aBenefit('free', { kind: 'buy_get', buy: { select, quantity: 1 }, get }, { text: freeText }),
    aBenefit('one', { kind: 'line_percentage', percentage: percent(100) }, { limits: [one], text: freeText }),
    aBenefit('override', { kind: 'price_override', select, unitPrice: 50 }, { limits: [{ ...one, limitId: 'two' }] }),
    aBenefit('gift', { kind: 'free_product', productId: 'gift', quantity: 1 }),
    aBenefit('order', { kind: 'order_amount', amount: 300 }),
  ]
  return dice.some(all)
}

export function drawRules(dice: Dice): EarningRule[] {
  return Array.from({ length: 4 }, (_, at) =>
    aRule({
      ruleId: `rule-${at}`,
      per: dice.pick([{ kind: 'units', every: 1 } as const, perKrone, perVisit]),
      select: dice.maybe(0.6, () => ({
        productGroupIds: [dice.pick(groups)],
        ...(dice.chance(0.5) ? { fullPrice: true } : {}),
        ...(dice.chance(0.2) ? { not: { fullPrice: true } } : {}),
      })),
      includeNoDiscount: dice.chance(0.3),
      minimumSpend: dice.maybe(0.3, () => ({ amount: dice.between(0, 9000) })),
    }),
  )
}
