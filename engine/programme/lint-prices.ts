import { type Money, percentageWhole } from '../core/base/money.js'
import type { Benefit } from '../core/base/programme.js'
import type { Listed, PriceLists } from './price-lists.js'
import type { ListedBenefit } from './read-benefit.js'
import type { Warning } from './warning.js'

export function giftsUnknown(benefits: readonly ListedBenefit[], prices: PriceLists): Warning[] {
  return benefits.flatMap(({ benefit, path }): Warning[] => {
    const { reward } = benefit
    if (reward.kind !== 'free_product' || prices.matched(benefit, undefined).length === 0) return []
    if (prices.named(benefit, reward.productId).length > 0) return []
    const message = `no venue of this benefit has ${reward.productId} in its price list`
    return [{ path: `${path}.reward.productId`, word: 'product_unknown', message }]
  })
}

export function pricesWithoutEffect(benefits: readonly ListedBenefit[], prices: PriceLists): Warning[] {
  return benefits.flatMap(({ benefit, ...listed }): Warning[] => {
    const path = `${listed.path}.reward`
    const { reward } = benefit
    if (reward.kind !== 'price_override' && reward.kind !== 'member_price') return []
    return priceNotBelowList(prices.matched(benefit, reward.select), reward.unitPrice, `${path}.unitPrice`)
  })
}

function priceNotBelowList(matched: readonly Listed[], price: Money, path: string): Warning[] {
  const [first, ...others] = matched.filter(({ product }) => price >= product.unitPrice && !product.noDiscount)
  if (first === undefined) return []
  const { productId, unitPrice } = first.product
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  const message = `unitPrice ${price} is not below the list price of ${productId} at ${first.venueId} (${unitPrice})${more}`
  return [{ path, word: 'price_not_below_list', message }]
}

/** A basket of one listed product becomes free without any other condition. Benefits with a cost, or that name their free products, may. */
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
