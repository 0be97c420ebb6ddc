import type { Basis } from './basis.js'
import { percentageWhole, quantityTimes } from './money.js'
import type { Offer } from './offer.js'
import { orderAmountOf, sumOf } from './orders.js'
import { gainAlone, heldBy } from './plan.js'
import { percentageOn } from './rate.js'

/**
 * What offers alone can be worth at most, in minor units, without any search. Order discounts of the POS only make it
 * less, for what does not fit any more is dropped.
 */
export function mostWorthIn({ lines }: Basis): (offer: Offer) => number {
  const byPrice = [...lines.keys()].sort((a, b) => lines[b]!.price - lines[a]!.price)
  const piecesOn = (places: readonly number[]) => places.reduce((sum, at) => sum + lines[at]!.pieces, 0)
  // What so many of the dearest units of some lines cost.
  const dearest = (places: readonly number[], units: number) => {
    const inside = new Uint8Array(lines.length)
    for (const at of places) inside[at] = 1
    let [left, cost] = [units, 0]
    for (let index = 0; index < byPrice.length && left > 0; index++) {
      const at = byPrice[index]!
      if (inside[at] === 0) continue
      const { price, pieces } = lines[at]!
      cost += Math.min(left, pieces) * price
      left -= pieces
    }
    return cost
  }
  return (offer) => {
    const { shape, unitsMax } = offer
    if (unitsMax === 0) return 0
    switch (shape.kind) {
      case 'free':
        return quantityTimes(Math.min(shape.quantity, unitsMax) * 1000, shape.product.unitPrice)
      case 'order':
        return orderAmountOf(offer, sumOf(offer.lines.map((at) => heldBy(lines[at]!))))
      case 'line':
        return mostOnLines(lines, offer)
      case 'buy_get': {
        const inside = new Uint8Array(lines.length)
        for (const at of offer.lines) inside[at] = 1
        const others = shape.buyLines.filter((at) => inside[at] === 0)
        const all = piecesOn(offer.lines) + piecesOn(others)
        const times = Math.min(shape.timesMax, Math.floor(all / (shape.buy + shape.get)))
        const share = percentageOn(offer)! / percentageWhole
        const roundings = share === 1 ? 0 : offer.lines.length / 2
        return Math.floor(dearest(offer.lines, times * shape.get) * share + roundings)
      }
      case 'bundle': {
        let [times, priciest] = [shape.timesMax, 0]
        for (const { lines: own, quantity } of shape.components) {
          let [pieces, most] = [0, 0]
          for (const at of own) {
            pieces += lines[at]!.pieces
            most = Math.max(most, lines[at]!.price)
          }
          times = Math.min(times, Math.floor(pieces / quantity))
          priciest += quantity * most
        }
        return Math.min(Math.max(0, priciest - shape.price) * times, sumOf(offer.lines.map((at) => lines[at]!.gross)))
      }
    }
  }
}

function mostOnLines(lines: Basis['lines'], offer: Offer): number {
  let most = 0
  for (const at of offer.lines) most += gainAlone(lines[at]!, offer)
  return Math.min(offer.maximumAmount, most)
}
