import { percentageWhole } from '../core/base/money.js'
import type { Benefit } from '../core/base/programme.js'
import type { PriceLists } from './price-lists.js'
import type { ListedBenefit } from './read-benefit.js'
import type { Warning } from './warning.js'

/**
 * Benefits that make a basket of one listed product free without any other condition: an amount off of at least its
 * price, or everything off for any purchase. Benefits with a cost, or that name their free products, do so on purpose.
 */
export function basketsFree(benefits: readonly ListedBenefit[], prices: PriceLists): Warning[] {
  return benefits.flatMap(({ benefit, path }): Warning[] => {
    if (benefit.costs !== null || asksForMore(benefit) || namesProducts(benefit)) return []
    const off = amountOff(benefit)
    if (off === null) return []
    if (off === 'everything') return [{ path, word: 'basket_free', message: 'every basket it applies to is free' }]
    const [free] = prices
      .matched(benefit, undefined)
      .filter(({ product }) => product.unitPrice > 0 && product.unitPrice <= off && !product.noDiscount)
    if (free === undefined) return []
    const { venueId, product } = free
    const message = `a basket of one ${product.productId} at ${venueId} (${product.unitPrice}) is free`
    return [{ path, word: 'basket_free', message }]
  })
}

/** Minor units off a basket of one unit of anything; null: it has no amount of its own. */
function amountOff({ reward }: Benefit): number | 'everything' | null {
  switch (reward.kind) {
    case 'line_percentage':
    case 'order_percentage':
      return reward.percentage < percentageWhole ? null : (reward.maximumAmount ?? 'everything')
    case 'volume_percentage':
      return reward.tiers.some(({ percentage }) => percentage >= percentageWhole) ? 'everything' : null
    case 'line_amount':
    case 'order_amount':
      return reward.amount
    case 'member_price':
    case 'price_override':
      return reward.unitPrice === 0 ? 'everything' : null
    default:
      return null
  }
}

function asksForMore({ conditions }: Benefit): boolean {
  return (conditions?.minimumSpend?.amount ?? 0) > 0 || (conditions?.requires ?? []).length > 0
}

function namesProducts({ reward }: Benefit): boolean {
  return 'select' in reward && reward.select !== undefined
}
