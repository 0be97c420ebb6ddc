import type { VenueProduct } from '../core/base/basket.js'
import type { Benefit, Selector } from '../core/base/programme.js'
import { identityOf, isMatched, selectorLists } from './matching.js'
import type { ProgrammeVenue } from './read-venue.js'

export interface Listed {
  readonly venueId: string
  readonly product: VenueProduct
}

export interface PriceLists {
  matched(benefit: Benefit, selector: Selector | undefined): readonly Listed[]
  named(benefit: Benefit, productId: string): readonly Listed[]
}

export function createPriceLists(venues: readonly ProgrammeVenue[]): PriceLists {
  const all = venues.flatMap(({ venueId, products }) => products.map((product) => ({ venueId, product })))
  const byProductId = grouped(all, ({ product }) => [product.productId])
  const byKey = grouped(all, keysOf)
  return {
    matched: (benefit, selector) => {
      const keys =
        selector?.collections !== undefined
          ? []
          : selectorLists.flatMap((list) => selector?.[list]?.map((id) => keyOf(list, id)) ?? [])
      const candidates = keys.length === 0 ? all : new Set(keys.flatMap((key) => byKey.get(key) ?? []))
      return [...candidates].filter(
        (listed) => isOpenAt(benefit, listed.venueId) && isMatched(selector, listed.product),
      )
    },
    named: (benefit, productId) =>
      (byProductId.get(productId) ?? []).filter((listed) => isOpenAt(benefit, listed.venueId)),
  }
}

function isOpenAt(benefit: Benefit, venueId: string): boolean {
  return benefit.venueIds === null || benefit.venueIds.includes(venueId)
}

function keysOf({ product }: Listed): string[] {
  const identity = identityOf(product)
  const key = keyOf(identity.list, identity.id)
  return product.productGroupId === null ? [key] : [key, keyOf('productGroupIds', product.productGroupId)]
}

function keyOf(list: (typeof selectorLists)[number], id: string): string {
  return `${list}\n${id}`
}

function grouped(entries: readonly Listed[], keys: (listed: Listed) => readonly string[]): Map<string, Listed[]> {
  const groups = new Map<string, Listed[]>()
  for (const listed of entries) {
    for (const key of keys(listed)) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [listed])
      else group.push(listed)
    }
  }
  return groups
}
