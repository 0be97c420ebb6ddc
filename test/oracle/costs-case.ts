import { accountKey } from '../../engine/core/base/outcome.js'
import type { Benefit, Cost } from '../../engine/core/base/programme.js'
import { Dice } from '../support/dice.js'
import { generateCase } from './generate-case.js'
import { mixedCase } from './mixed-case.js'
import type { PricingCase } from './pricing-case.js'
import { tightCase, tightMaximaCase, tightUnitsCase } from './tight-case.js'

const currencies = ['points', 'stamps']

/**
 * A basket of another kind in which most benefits cost the member something, seeded: accounts shared by several, nearly empty or
 * held by other calculations, and worths about as large as the benefits' discounts.
 */
export function costsCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  const caseOf = dice.pick([tightCase, tightUnitsCase, tightMaximaCase, mixedCase, generateCase, generateCase])
  return withCosts(dice, caseOf(seed))
}

/** The same basket, in which benefits cost something. */
export function withCosts(dice: Dice, { benefits, input }: PricingCase): PricingCase {
  const shares = dice.pick([0.3, 0.6, 1])
  const most = dice.pick([1, 3, 10])
  const worths = dice.pick([[0], [0, 1, 2], [1, 3, 10], [5, 50, 100], [0, 30, 333]])
  const costed = benefits.map((benefit) => ({
    ...benefit,
    costs: dice.maybe(shares, () => drawCost(dice, benefit, { most, worths })),
  }))
  const balances = Object.fromEntries(currencies.map((id) => [id, dice.between(0, 3 * most + 1)]))
  const available = { ...input.available }
  for (const id of currencies) if (dice.chance(0.15)) available[accountKey(id)] = dice.between(0, balances[id]!)
  return { benefits: costed, input: { ...input, available, member: { ...input.member, balances } } }
}

function drawCost(dice: Dice, benefit: Benefit, { most, worths }: { most: number; worths: readonly number[] }): Cost {
  const currencyId = dice.pick([...currencies, 'points'])
  return { currencyId, amount: dice.between(1, most), per: dice.pick(persOf(benefit)), worth: dice.pick(worths) }
}

/** Units of a benefit's cost: for units where a limit may count them. */
function persOf({ reward, combination }: Benefit): Cost['per'][] {
  if (['buy_get', 'bundle_price', 'bundle_discount'].includes(reward.kind)) return ['unit', 'times', 'basket']
  if (reward.kind === 'order_amount' && reward.maximumTimes !== undefined) return ['times', 'times', 'basket']
  const isWhole = reward.kind === 'line_amount' && reward.per === 'line'
  const isOrder = reward.kind === 'order_percentage' || reward.kind === 'order_amount'
  return isWhole || isOrder || combination === 'stackable' ? ['basket'] : ['unit', 'unit', 'basket']
}
