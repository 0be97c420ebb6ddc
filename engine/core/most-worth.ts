import type { Basis } from './basis.js'
import { percentageWhole, quantityTimes } from './money.js'
import type { Offer } from './offer.js'
import { orderAmountOf, sumOf } from './orders.js'
import { heldBy, planLine } from './plan.js'
import { percentageOn } from './rate.js'

/**
 * What an offer alone can be worth at most, in minor units, without any search. Order discounts of the POS only make it
 * less, for what does not fit any more is dropped.
 */
export function mostWorth({ lines }: Basis, offer: Offer): number {
  const { shape, maximumAmount, unitsMax } = offer
  if (unitsMax === 0) return 0
  switch (shape.kind) {
    case 'free':
      return quantityTimes(Math.min(shape.quantity, unitsMax) * 1000, shape.product.unitPrice)
    case 'order':
      return orderAmountOf(offer, sumOf(offer.lines.map((at) => heldBy(lines[at]!))))
    case 'line': {
      const own =
        offer.benefit.combination === 'stackable' ? { free: [], stacks: [offer] } : { free: [offer], stacks: [] }
      const gains = offer.lines.map((at) => heldBy(lines[at]!) - planLine(lines[at]!, own).restBound)
      return Math.min(maximumAmount, sumOf(gains))
    }
    case 'buy_get': {
      const usable = new Set([...offer.lines, ...shape.buyLines])
      const all = sumOf([...usable].map((at) => lines[at]!.pieces))
      const times = Math.min(shape.timesMax, Math.floor(all / (shape.buy + shape.get)))
      const share = percentageOn(offer)! / percentageWhole
      const roundings = share === 1 ? 0 : offer.lines.length / 2
      return Math.floor(
        dearest(
          offer.lines.map((at) => lines[at]!),
          times * shape.get,
        ) *
          share +
          roundings,
      )
    }
    case 'bundle': {
      let times = shape.timesMax
      for (const { lines: own, quantity } of shape.components) {
        times = Math.min(times, Math.floor(sumOf(own.map((at) => lines[at]!.pieces)) / quantity))
      }
      const priciest = shape.components.map(
        ({ lines: own, quantity }) => quantity * own.reduce((most, at) => Math.max(most, lines[at]!.price), 0),
      )
      const saved = Math.max(0, sumOf(priciest) - shape.price) * times
      return Math.min(saved, sumOf(offer.lines.map((at) => lines[at]!.gross)))
    }
  }
}

// What so many of the dearest units cost.
function dearest(lines: readonly { readonly price: number; readonly pieces: number }[], units: number): number {
  let [left, cost] = [units, 0]
  for (const { price, pieces } of [...lines].sort((a, b) => b.price - a.price)) {
    if (left <= 0) break
    cost += Math.min(left, pieces) * price
    left -= pieces
  }
  return cost
}
