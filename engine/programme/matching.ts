import type { VenueProduct } from '../core/base/basket.js'
import type { Reward, Selector } from '../core/base/programme.js'

export const selectorLists = ['productMasterIds', 'eans', 'productIds', 'productGroupIds'] as const

/**
 * True: a selector matches a line of this product at full price and without a parent (benefits 1, Selector), with any
 * fields; also without a selector.
 *
 * @param isSure  false: it is enough that it matches for some fields
 */
export function isMatched(selector: Selector | undefined, product: VenueProduct, isSure = true): boolean {
  if (selector === undefined) return true
  if (isSure && selector.fields !== undefined) return false
  if (selector.not !== undefined && isMatched(selector.not, product, !isSure)) return false
  const isCollected = selector.collections?.some((each) => isMatched(each, product, isSure)) ?? false
  return !hasLists(selector) || isListed(selector, product) || isCollected
}

export function identityOf({
  productMasterId,
  ean,
  productId,
}: Pick<VenueProduct, 'productMasterId' | 'ean' | 'productId'>) {
  if (productMasterId !== null) return { list: 'productMasterIds', id: productMasterId } as const
  return ean !== null ? ({ list: 'eans', id: ean } as const) : ({ list: 'productIds', id: productId } as const)
}

function isListed(selector: Selector, product: VenueProduct): boolean {
  const { list, id } = identityOf(product)
  if (selector[list]?.includes(id)) return true
  return product.productGroupId !== null && (selector.productGroupIds?.includes(product.productGroupId) ?? false)
}

/** True: `not` covers all that the selector lists, so no line matches. */
export function selectsNothing(selector: Selector | undefined): boolean {
  const { not } = selector ?? {}
  if (selector === undefined || not === undefined) return false
  if (not.not !== undefined && !selectsNothing(not.not)) return false
  if (not.fields !== undefined || not.fullPrice === true || not.collections !== undefined) return false
  if (!hasLists(not)) return true
  if (selector.collections !== undefined) return false
  if (!hasLists(selector) || (selector.children === true && not.children !== true)) return false
  return selectorLists.every((list) => selector[list]?.every((id) => not[list]?.includes(id)) ?? true)
}

export function hasLists(selector: Selector): boolean {
  return selector.collections !== undefined || selectorLists.some((list) => selector[list] !== undefined)
}

export function rewardSelections(reward: Reward): readonly (Selector | undefined)[] {
  if (reward.kind === 'buy_get') return [reward.buy.select, reward.get.select]
  if ('components' in reward) return reward.components.map((component) => component.select)
  if (reward.kind === 'free_product') return reward.per === undefined ? [] : [reward.per.select]
  return [reward.select]
}
