import type { Basket, Line, LineDiscount, OrderDiscount } from '../../engine/core/base/basket.js'
import { moneyMax, quantityTimes } from '../../engine/core/base/money.js'
import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import { aProduct, code } from '../engine/core/builders.js'
import { Dice } from '../support/dice.js'
import { shops, withRules } from './draw-rules.js'
import { shelf } from './generate-basket.js'
import { generateBenefit } from './generate-benefit.js'
import { rewardKinds } from './generate-case.js'
import type { PricingCase } from './pricing-case.js'
import { sumOf } from './spread.js'
import { withTotals } from './with-totals.js'

/** Budgets of a calculation: none, few, and the service's. */
const budgets = [0, 50, 100, 100, 100, 200, 200, 300, 300, 2000]

/**
 * A random seeded question with everything a schema-valid basket may hold: amounts up to the largest, weighed goods, large quantities,
 * deep trees, dozens of lines, many POS discounts, remains of an answer.
 */
export function fuzzCase(seed: number): PricingCase {
  const dice = new Dice(seed)
  const basket = fuzzBasket(dice)
  const most = Math.max(1, ...basket.lines.map(({ unitPrice }) => unitPrice))
  const count = dice.pick([1, 2, 3, 4, 6, 8])
  const benefits = Array.from({ length: count }, (_, number) =>
    scaled(dice, generateBenefit(dice, { kinds: rewardKinds, number, basket }), most),
  )
  const products = [aProduct({ productId: 'F1', unitPrice: dice.pick([0, 50, most, moneyMax]) })]
  const member = { memberId: 'm1', tier: 'gold', segments: ['young'] }
  const venue = { venueId: 'V1', currency: 'NOK', timeZone: dice.pick(['Europe/Oslo', 'America/New_York']), products }
  const stepsMax = dice.pick(budgets)
  const question = { benefits, input: { member, venue, available: {}, discountCode: code, stepsMax, basket } }
  return dice.chance(0.5) ? withRules(dice, question, shops['hostile']!) : question
}

function fuzzBasket(dice: Dice): Basket {
  const count = dice.chance(0.003) ? 200 : dice.chance(0.05) ? dice.between(9, 40) : dice.between(1, 8)
  const lineMost = Math.floor(moneyMax / count)
  const isDear = dice.chance(0.15)
  const tree = dice.pick(['none', 'none', 'down', 'up', 'random'] as const)
  const lines = Array.from({ length: count }, (_, position) =>
    fuzzLine(dice, {
      position,
      most: isDear ? lineMost : Math.min(lineMost, 2_000_000_000),
      parent: parentOf(dice, tree, position, count),
    }),
  )
  const orders = dice.chance(0.25) ? fuzzOrders(dice, lines) : { lines, orderDiscounts: [] }
  const totals = { gross: 0, lineDiscount: 0, orderDiscount: 0, net: 0 }
  const requestedAt = Date.parse('2026-03-28T22:00:00Z') + dice.between(0, 400 * 24 * 60) * 60_000
  return withTotals({ currency: 'NOK', requestedAt, channel: 'pos', venueId: 'V1', ...orders, totals })!
}

function parentOf(dice: Dice, tree: 'none' | 'down' | 'up' | 'random', position: number, count: number): number {
  if (tree === 'down') return position - 1
  if (tree === 'up') return position + 1 < count ? position + 1 : -1
  return tree === 'random' && position > 0 && dice.chance(0.7) ? dice.between(0, position - 1) : -1
}

interface LineWish {
  readonly position: number
  /** Highest list price of the line. */
  readonly most: number
  readonly parent: number
}

function fuzzLine(dice: Dice, { position, most, parent }: LineWish): Line {
  const { unitPrice: listPrice, ...product } = dice.pick(shelf)
  const quantity = dice.chance(0.15)
    ? dice.pick([1, 125, 333, 2718, 99_999_999])
    : 1000 * dice.pick([1, 1, 2, 3, 5, 12, 100, 100_000])
  const dearest = Math.floor((most - 1) / Math.ceil(quantity / 1000))
  const unitPrice = Math.min(dearest, dice.chance(0.2) ? dearest : dice.pick([0, 1, 3, 7, listPrice, 333, 1999]))
  const overrideUnitPrice = dice.chance(0.1) ? dice.pick([0, Math.floor(unitPrice / 2), unitPrice]) : null
  const gross = quantityTimes(quantity, overrideUnitPrice ?? unitPrice)
  return {
    lineId: dice.chance(0.05) ? `loyalty-${position + 1}` : `line ${position}`,
    parent,
    ...product,
    quantity,
    unitPrice,
    overrideUnitPrice,
    noDiscount: dice.chance(0.08),
    noPercentageDiscount: dice.chance(0.08),
    discounts: dice.chance(0.3) ? fuzzDiscounts(dice, gross) : [],
    orderDiscountAllocations: [],
    addedByLoyalty: position > 0 && dice.chance(0.02),
    splitFromLineId: dice.chance(0.05) ? dice.pick(['line 0', `line ${position}`]) : null,
    totals: { gross, lineDiscount: 0, orderDiscount: 0, net: 0 },
  }
}

function fuzzDiscounts(dice: Dice, gross: number): LineDiscount[] {
  let left = gross
  return Array.from({ length: dice.pick([1, 1, 2, 10]) }, () => {
    const amount = Math.min(left, dice.pick([0, 1, 5, Math.floor(gross / 3), Math.floor(left / 2), left]))
    left -= amount
    return aDiscount(dice, amount)
  })
}

function aDiscount(dice: Dice, amount: number): LineDiscount {
  const isPercentage = dice.chance(0.5)
  const lineDiscountCode = dice.chance(0.1) ? code : dice.maybe(0.3, () => 'STAFF')
  const type = isPercentage ? ('percentage' as const) : ('amount' as const)
  return { type, percentage: isPercentage ? 100_000 : null, amount, lineDiscountCode, text: 'Staff', campaign: null }
}

function fuzzOrders(dice: Dice, sent: readonly Line[]): Pick<Basket, 'lines' | 'orderDiscounts'> {
  const orderDiscounts = Array.from(
    { length: dice.between(1, 4) },
    (_, at): OrderDiscount => ({
      ...aDiscount(dice, 0),
      orderDiscountId: dice.chance(0.2) ? `loyalty-${at + 1}` : `order ${at}`,
    }),
  )
  const lines = sent.map((line) => {
    let left = line.totals.gross - sumOf(line.discounts.map(({ amount }) => amount))
    const parts = Array.from({ length: dice.between(0, 3) }, () => {
      const amount = Math.min(left, dice.pick([0, 1, 20, Math.floor(left / 3), left]))
      left -= amount
      return { orderDiscountId: dice.pick(orderDiscounts).orderDiscountId, amount }
    })
    return { ...line, orderDiscountAllocations: parts }
  })
  return { lines, orderDiscounts }
}

/** Scales amounts to the basket's, up to the largest, and limits to large quantities. */
function scaled(dice: Dice, benefit: Benefit, most: number): Benefit {
  if (dice.chance(0.6)) return benefit
  const amount = () => dice.pick([0, 1, Math.floor(most / 3), most, moneyMax])
  const limits = benefit.limits.map((limit) => ({ ...limit, maximum: dice.pick([1, 7, 1000, moneyMax]) }))
  return { ...benefit, limits, reward: rewardWith(benefit.reward, amount) }
}

function rewardWith(reward: Reward, amount: () => number): Reward {
  switch (reward.kind) {
    case 'line_percentage':
    case 'order_percentage':
      return { ...reward, maximumAmount: amount() }
    case 'line_amount':
    case 'order_amount':
      return { ...reward, amount: amount() }
    case 'member_price':
    case 'price_override':
      return { ...reward, unitPrice: amount() }
    case 'bundle_price':
      return { ...reward, price: amount() }
    default:
      return reward
  }
}
