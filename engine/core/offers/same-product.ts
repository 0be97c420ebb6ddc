import type { Basis } from '../base/basis.js'
import type { Offer } from './offer.js'
import type { Wanted } from './shortage.js'

const productsCached = new WeakMap<Basis, readonly number[]>()

export function productsOf(basis: Basis): readonly number[] {
  let products = productsCached.get(basis)
  if (products === undefined) {
    const numbers = new Map<string, number>()
    products = basis.lines.map(({ productMasterId, ean, productId }) => {
      const identity = JSON.stringify(
        productMasterId === null ? [ean, ean === null ? productId : null] : productMasterId,
      )
      const number = numbers.get(identity) ?? numbers.size
      numbers.set(identity, number)
      return number
    })
    productsCached.set(basis, products)
  }
  return products
}

export function wantsByProduct<W extends Wanted>(
  wants: readonly W[],
  products: readonly number[],
): ReadonlyMap<number, readonly W[]> {
  const own = new Set(wants[0]!.lines.map((at) => products[at]!))
  return new Map(
    [...own].map((product) => [
      product,
      wants.map((want) => ({ ...want, lines: want.lines.filter((at) => products[at] === product) })),
    ]),
  )
}

export function offersByProduct(offer: Offer): readonly Offer[] {
  const { shape } = offer
  if ((shape.kind !== 'buy_get' && shape.kind !== 'bundle') || shape.products === null) return [offer]
  const { products } = shape
  return [...new Set(offer.lines.map((at) => products[at]!))].map((product) => {
    const ofProduct = (lines: readonly number[]) => lines.filter((at) => products[at] === product)
    const own =
      shape.kind === 'buy_get'
        ? { ...shape, products: null, buyLines: ofProduct(shape.buyLines) }
        : {
            ...shape,
            products: null,
            components: shape.components.map((part) => ({ ...part, lines: ofProduct(part.lines) })),
          }
    return { ...offer, lines: ofProduct(offer.lines), shape: own }
  })
}
