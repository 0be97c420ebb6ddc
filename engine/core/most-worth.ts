import type { Basis } from './basis.js'
import { percentageWhole, quantityTimes } from './money.js'
import type { Offer, ShapeOf } from './offer.js'
import { orderAmountOf, sumOf } from './orders.js'
import { gainAlone, heldBy } from './plan.js'
import { percentageOn } from './rate.js'

/**
 * What offers alone can be worth at most, in minor units, without any search. Order discounts of the POS only make it
 * less, for what does not fit any more is dropped.
 */
export function mostWorthIn({ lines }: Basis): (offer: Offer) => number {
  const listed = listedIn(lines)
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
      case 'buy_get':
        return mostOfBuyGet(listed, offer, shape)
      case 'bundle':
        return mostOfBundle(listed, offer, shape)
    }
  }
}

function mostOnLines(lines: Basis['lines'], offer: Offer): number {
  let most = 0
  for (const at of offer.lines) most += gainAlone(lines[at]!, offer)
  return Math.min(offer.maximumAmount, most)
}

function mostOfBuyGet(listed: (places: readonly number[]) => Listed, offer: Offer, shape: ShapeOf<'buy_get'>): number {
  const gets = listed(offer.lines)
  let all = gets.pieces
  if (shape.buyLines !== offer.lines) for (const at of shape.buyLines) all += gets.has(at) ? 0 : gets.piecesOf(at)
  const times = Math.min(shape.timesMax, Math.floor(all / (shape.buy + shape.get)))
  const share = percentageOn(offer)! / percentageWhole
  const roundings = share === 1 ? 0 : offer.lines.length / 2
  return Math.floor(gets.dearest(times * shape.get) * share + roundings)
}

function mostOfBundle(listed: (places: readonly number[]) => Listed, offer: Offer, shape: ShapeOf<'bundle'>): number {
  let [times, priciest] = [shape.timesMax, 0]
  for (const { lines, quantity } of shape.components) {
    const { pieces, price } = listed(lines)
    times = Math.min(times, Math.floor(pieces / quantity))
    priciest += quantity * price
  }
  return Math.min(Math.max(0, priciest - shape.price) * times, listed(offer.lines).gross)
}

/** What some lines have together. */
interface Listed {
  readonly pieces: number
  readonly gross: number
  /** Of their dearest unit. */
  readonly price: number
  has(at: number): boolean
  /** Of any line. */
  piecesOf(at: number): number
  /** What so many of their dearest units cost, as far as there are so many. */
  dearest(units: number): number
}

// Each list once, for many offers may look at the same.
function listedIn(lines: Basis['lines']): (places: readonly number[]) => Listed {
  const known = new Map<readonly number[], Listed>()
  let order: readonly number[] | null = null
  const byPrice = () => {
    order ??= [...lines.keys()].sort((a, b) => lines[b]!.price - lines[a]!.price)
    return order
  }
  return (places) => {
    let listed = known.get(places)
    if (listed === undefined) {
      listed = listedOf(lines, places, byPrice)
      known.set(places, listed)
    }
    return listed
  }
}

function listedOf(lines: Basis['lines'], places: readonly number[], byPrice: () => readonly number[]): Listed {
  const inside = new Uint8Array(lines.length)
  let [pieces, gross, price] = [0, 0, 0]
  for (let index = 0; index < places.length; index++) {
    const line = lines[places[index]!]!
    inside[places[index]!] = 1
    pieces += line.pieces
    gross += line.gross
    price = Math.max(price, line.price)
  }
  return {
    pieces,
    gross,
    price,
    has: (at) => inside[at] === 1,
    piecesOf: (at) => lines[at]!.pieces,
    dearest: (units) => {
      let [left, cost] = [units, 0]
      const order = byPrice()
      for (let index = 0; index < order.length && left > 0; index++) {
        const line = lines[order[index]!]!
        if (inside[order[index]!] === 0) continue
        cost += Math.min(left, line.pieces) * line.price
        left -= line.pieces
      }
      return cost
    },
  }
}
