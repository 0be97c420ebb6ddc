import { type Reason, reasons } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { search } from './best-outcome.js'
import { countsUnits, discountedLines, isDiscountable } from './ground.js'
import { playerOf } from './later-stages.js'
import { openBenefits } from './open-benefits.js'
import type { PricingCase } from './pricing-case.js'
import { leastPayments, paidFrom, purseOf } from './purse.js'
import { meetsConditions } from './select-lines.js'
import { readSentBasket, type SentBasket, type SentLine } from './sent-basket.js'
import { sumOf } from './spread.js'
import { giftsOf, tierOf } from './takes.js'
import { bundleTimes, buyGetTimes } from './times.js'

/** Why a basket without an outcome of value above 0 stays unchanged: the furthest stage any benefit reached. */
export function unchangedReason(question: PricingCase): Reason {
  const open = openBenefits(question.benefits, question.input)
  const basket = readSentBasket(question.input)
  const stages = open.map((benefit) => stageOf(benefit, basket, question))
  return reasons.findLast((reason) => stages.includes(reason)) ?? 'no_benefits'
}

/** The stage at which one open benefit, taken alone, is dropped. */
function stageOf(benefit: Benefit, basket: SentBasket, question: PricingCase): Reason {
  const early = earlyStageOf(benefit, basket, question)
  if (early !== null) return early
  const all = { left: Number.POSITIVE_INFINITY, money: Number.POSITIVE_INFINITY }
  const player = playerOf(benefit, question.input, all)
  const purse = purseOf([benefit], question.input, true)
  return search({ basket, input: question.input, players: [player], purse }).value > 0
    ? 'limit_exhausted'
    : 'existing_discount_kept'
}

/** The stage at which it is dropped before any calculation; null where it gets further. */
export function earlyStageOf(benefit: Benefit, basket: SentBasket, { input }: PricingCase): Reason | null {
  if (!meetsConditions(basket, benefit)) return 'conditions_not_met'
  if (paidFrom(purseOf([benefit], input, true), benefit, leastPayments(benefit)) === null) return 'conditions_not_met'
  if (!isFound(benefit, basket, input, true)) return 'conditions_not_met'
  return isFound(benefit, basket, input, false) ? null : 'not_discountable'
}

/**
 * True: the basket has the units of the reward; `withFlagged` also on lines that may not be discounted: "A reward that only
 * `noDiscount` lines would complete is `not_discountable`."
 */
function isFound(benefit: Benefit, basket: SentBasket, { venue }: PricingCase['input'], withFlagged: boolean): boolean {
  const { reward } = benefit
  const open = (line: SentLine) => withFlagged || isDiscountable(reward, line)
  if (reward.kind === 'free_product') {
    const product = venue.products.find((entry) => entry.productId === reward.productId)
    const isSold = product !== undefined && (withFlagged || !product.noDiscount)
    const gifts = giftsOf(basket, benefit, reward, { most: Number.POSITIVE_INFINITY, withFlagged })
    return gifts.some(({ units, more }) => {
      const isOpen = basket.lines.every((line, at) => units[at] === 0 || open(line))
      return (more > 0 && isSold) || (isOpen && sumOf(units) > 0)
    })
  }
  if (reward.kind === 'buy_get') return buyGetTimes(basket, reward, { withFlagged }).length > 0
  if ('components' in reward) return bundleTimes(basket, reward, { withFlagged }).length > 0
  if (reward.kind === 'volume_percentage' && tierOf(reward, basket, withFlagged) === 0) return false
  const hasUnitLimit = countsUnits(benefit)
  const { matches, above } = discountedLines(basket, benefit, withFlagged)
  const isTaken = (at: number) => matches[at]! || (reward.kind === 'order_percentage' && above[at]! !== -1)
  return basket.lines.some((line, at) => isTaken(at) && open(line) && !(hasUnitLimit && !line.whole))
}
