import type { Basis, BasisLine } from '../base/basis.js'
import { type Money, percentageWhole, quantityTimes, sumOf } from '../base/money.js'
import { gainAlone, heldBy, replaces } from '../lines/plan.js'
import { dearestTime, isLeft, type Offer, type ShapeOf, savedEach, savesByTimes } from '../offers/offer.js'
import { percentageOn } from '../offers/rate.js'
import { orderAmountOf } from '../order/orders.js'

/** Upper bound of the value of one offer alone, minor units, without a search. */
export function mostWorth(basis: Basis, offer: Offer): Money {
  const { lines, orderDiscounts } = basis
  const { shape, amountMax } = offer
  if (!isLeft(offer)) return 0
  switch (shape.kind) {
    case 'free':
      return mostOnLines(lines, offer) + quantityTimes(shape.added * 1000, shape.product?.unitPrice ?? 0)
    case 'order': {
      // Exact: order discounts of the POS either all stay or all go.
      if (!replaces(offer)) return orderAmountOf(offer, sumOf(offer.lines.map((at) => lines[at]!.net)))
      const amount = orderAmountOf(offer, sumOf(offer.lines.map((at) => heldBy(lines[at]!))))
      return Math.max(0, amount - sumOf(orderDiscounts.map((each) => each.amount)))
    }
    case 'line':
      return Math.min(amountMax, changingNet(basis, offer), mostOnLines(lines, offer))
    case 'buy_get':
      return Math.min(amountMax, changingNet(basis, offer), mostOfBuyGet(lines, offer, shape))
    case 'bundle':
      return Math.min(amountMax, changingNet(basis, offer), mostOfBundle(lines, offer, shape))
  }
}

// Net of the lines that can change: the offer's own, and those that order discounts of the POS may move to.
function changingNet({ lines, gross, net }: Basis, { lines: own, followers }: Offer): Money {
  if (net === gross || own.length === lines.length || followers !== null) return net
  const isOwn = new Set(own)
  const moving = new Set(own.flatMap((at) => lines[at]!.allocations.map(({ discount }) => discount)))
  const changing = lines.filter(
    ({ allocations }, at) => isOwn.has(at) || allocations.some(({ discount }) => moving.has(discount)),
  )
  return sumOf(changing.map((line) => line.net))
}

function mostOnLines(lines: readonly BasisLine[], offer: Offer): number {
  const gains = sumOf(offer.lines.map((at) => gainAlone(lines[at]!, offer)))
  return Math.min(offer.maximumAmount, gains + followersGross(lines, offer))
}

function mostOfBuyGet(lines: readonly BasisLine[], offer: Offer, shape: ShapeOf<'buy_get'>): number {
  const pieces = piecesOn(lines, new Set([...offer.lines, ...shape.buyLines]))
  const times = Math.min(shape.timesMax, Math.floor(pieces / (shape.buy + shape.get)))
  const share = percentageOn(offer)! / percentageWhole
  const roundings = share === 1 ? 0 : offer.lines.length / 2
  const cost = dearestOn(lines, offer.lines, times * shape.get)
  return Math.min(grossOn(lines, offer), Math.floor(cost * share + roundings)) + followersGross(lines, offer)
}

function followersGross(lines: readonly BasisLine[], { followers }: Offer): Money {
  return sumOf([...(followers?.values() ?? [])].flat().map((at) => lines[at]!.gross))
}

// Times are counted only until all units would be free.
function mostOfBundle(lines: readonly BasisLine[], offer: Offer, { components, timesMax }: ShapeOf<'bundle'>) {
  const gross = grossOn(lines, offer)
  const dearest = dearestTime(components, (at) => lines[at]!.price)
  const each = savesByTimes(offer) ? savedEach(offer) : savedEach(offer) + dearest
  if (each <= 0) return 0
  let times = Math.min(timesMax, Math.floor(gross / each) + 1)
  for (const part of components) times = Math.min(times, Math.floor(piecesOn(lines, part.lines) / part.quantity))
  return Math.min(each * times, gross)
}

function grossOn(lines: readonly BasisLine[], offer: Offer): Money {
  return sumOf(offer.lines.map((at) => lines[at]!.gross))
}

function piecesOn(lines: readonly BasisLine[], positions: Iterable<number>): number {
  let pieces = 0
  for (const at of positions) pieces += lines[at]!.pieces
  return pieces
}

// Cost of the dearest units, of all if there are fewer.
function dearestOn(lines: readonly BasisLine[], positions: readonly number[], units: number): Money {
  let [left, cost] = [units, 0]
  for (const { pieces, price } of positions.map((at) => lines[at]!).sort((a, b) => b.price - a.price)) {
    const taken = Math.min(left, pieces)
    cost += taken * price
    left -= taken
  }
  return cost
}
