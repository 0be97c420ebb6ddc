import type { Money } from '../core/base/money.js'
import type { Listed, PriceLists } from './price-lists.js'
import type { ListedBenefit } from './read-benefit.js'
import type { Warning } from './warning.js'

/** Free products that are in no price list of the benefit's venues; nothing where none of them has one. */
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
