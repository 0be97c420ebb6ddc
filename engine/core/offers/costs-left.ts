import type { BasisLine } from '../base/basis.js'
import { type CalculationFacts, everyCounter } from '../base/input.js'
import { floorProduct, type Money } from '../base/money.js'
import { accountKey, type Missing } from '../base/outcome.js'
import type { Benefit } from '../base/programme.js'
import { type CostLeft, giftWithin, isLeft, type Offer, type ShapeOf, unitsEach } from './offer.js'
import { orderAmount } from './rewards.js'

export function costOf({ costs, reward }: Benefit, { member, available }: CalculationFacts): CostLeft | null {
  if (costs === null) return null
  const { currencyId } = costs
  const payments = costs.per === 'unit' && reward.kind === 'buy_get' ? reward.get.quantity : 1
  const isUnknown = member.balances === undefined && available[everyCounter] !== undefined
  const balance = isUnknown ? Number.POSITIVE_INFINITY : (member.balances?.[currencyId] ?? 0)
  const free = available[accountKey(currencyId)] ?? (available[everyCounter] === undefined ? balance : 0)
  return {
    currencyId,
    amount: payments * costs.amount,
    worth: payments * costs.worth,
    isOnce: costs.per === 'basket',
    free: Math.max(0, free),
    balance,
  }
}

export function missingValue(benefit: Benefit, facts: CalculationFacts): readonly Missing[] {
  const cost = costOf(benefit, facts)
  if (cost === null || cost.amount <= Math.max(cost.balance, cost.free)) return nothing
  return [{ kind: 'value', currencyId: cost.currencyId, amount: cost.amount - Math.max(cost.balance, cost.free) }]
}

const nothing: readonly Missing[] = []

export function usesMost(offer: Offer, lines: readonly BasisLine[]): number {
  const { cost, shape, unitsMax, lines: own } = offer
  if (cost!.isOnce) return isLeft(offer) ? 1 : 0
  if (shape.kind === 'order') {
    const most = own.reduce((gross, at) => gross + lines[at]!.gross, 0)
    return Math.min(unitsMax, shape.times!.most, timesIn(shape, Math.min(most, shape.times!.cap)))
  }
  if (shape.kind === 'free') return unitsMax + shape.added
  const piecesOn = (positions: Iterable<number>) => {
    let pieces = 0
    for (const at of positions) pieces += lines[at]!.pieces
    return pieces
  }
  if (shape.kind === 'bundle') return Math.min(shape.timesMax, Math.floor(piecesOn(own) / unitsEach(shape.components)))
  if (shape.kind !== 'buy_get') return Math.min(unitsMax, piecesOn(own))
  const all = piecesOn(new Set([...own, ...shape.buyLines]))
  return Math.min(shape.timesMax, Math.floor(piecesOn(own) / shape.get), Math.floor(all / (shape.buy + shape.get)))
}

export function withinUses(offer: Offer, uses: number): Offer {
  const { shape, worthEach } = offer
  if (shape.kind === 'order') {
    const times = { ...shape.times!, most: uses }
    return { ...offer, shape: { kind: 'order', takes: orderAmount(times, worthEach), times } }
  }
  if (shape.kind === 'free')
    return giftWithin(offer, shape, { there: offer.unitsMax, had: offer.unitsMax, missing: shape.added, units: uses })
  if (shape.kind !== 'buy_get' && shape.kind !== 'bundle') return { ...offer, unitsMax: uses }
  const unitsMax = shape.kind === 'buy_get' ? uses * shape.get : uses
  return { ...offer, unitsMax, shape: { ...shape, timesMax: uses } }
}

export function usesIn({ cost, shape }: Offer, { units, amount }: Record<'units' | 'amount', number>): number {
  if (cost!.isOnce) return 1
  if (shape.kind === 'order') return timesIn(shape, amount)
  return shape.kind === 'buy_get' ? units / shape.get : units
}

function timesIn({ times }: ShapeOf<'order'>, taken: Money): number {
  if (taken === 0) return 0
  const whole = floorProduct(taken, 1, times!.amount)
  return whole * times!.amount < taken ? whole + 1 : whole
}
