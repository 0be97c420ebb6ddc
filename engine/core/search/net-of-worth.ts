import { hasMaximum } from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import type { Problem } from '../model/instance.js'
import { withinUses } from '../offers/costs-left.js'
import { hasAmountMax, type Offer, type ShapeOf } from '../offers/offer.js'
import { orderAmount } from '../offers/rewards.js'
import { haveSameLines } from '../order/choose-orders.js'
import { type PlacedOrder, type Settled, settleAbove } from '../order/orders.js'

/** `exact`: the value of an outcome with net offers is its worth. `bound`: it is no less. */
export interface Netting {
  readonly nettable: readonly Offer[]
  /** null: neither is sure. */
  readonly netting: 'exact' | 'bound' | null
}

/** Offers from whose amounts the worth of their units, or times, can be taken off. */
export function nettingIn(problem: Problem, costed: readonly Offer[]): Netting {
  const onLines = costed.filter(isNettable)
  if (onLines.length > 0) return { nettable: onLines, netting: lineNetting(problem) }
  const onOrder = costed.filter((offer) => isNettableOrder(problem, offer))
  return { nettable: onOrder, netting: onOrder.length === 0 ? null : 'exact' }
}

// Benefits after a line-level one fall by no more than its amount.
function lineNetting({ offers, hasOrderDiscounts }: Problem): Netting['netting'] {
  const orders = offers.filter(({ shape }) => shape.kind === 'order')
  const stacks = offers.filter(({ benefit }) => benefit.combination === 'stackable')
  if (hasOrderDiscounts || stacks.some(hasMaximum)) return null
  if (orders.length === 0 && stacks.length === 0) return 'exact'
  return orders.every((order) => !stacks.includes(order)) || haveSameLines(orders) ? 'bound' : null
}

// Only as the last benefit of the order: a later one would take a part of the rest.
function isNettableOrder({ offers }: Problem, offer: Offer): boolean {
  const { cost, shape, turn, benefit } = offer
  if (shape.kind !== 'order' || cost!.isOnce || cost!.worth === 0) return false
  const isLater = (other: Offer) => other.shape.kind === 'order' && other.benefit.combination === 'stackable'
  return !offers.some((other) => {
    return isLater(other) && (benefit.combination !== 'stackable' || other.turn > turn)
  })
}

/** True: its amounts can be less the worth of its cost, unit by unit on a line. */
function isNettable(offer: Offer): boolean {
  const { cost, shape, followers } = offer
  const isShared = hasMaximum(offer) || hasAmountMax(offer)
  return followers === null && cost !== null && !cost.isOnce && cost.worth > 0 && shape.kind === 'line' && !isShared
}

/** The offer with amounts less the worth of their cost. */
export function netOf(offer: Offer): Offer {
  const { worth } = offer.cost!
  const { shape } = offer
  if (shape.kind === 'order') {
    return { ...offer, worthEach: worth, shape: { ...shape, takes: orderAmount(shape.times!, worth) } }
  }
  return {
    ...offer,
    worthEach: worth,
    amountOn: (line, pieces, part) => Math.max(0, offer.amountOn(line, pieces, part) - worth * pieces),
  }
}

/**
 * An outcome found with net offers, settled with the true ones; units that are not worth it are left out. Null where the true ones
 * do not fit: they take more of a line, or only the units left out replaced its own discount.
 */
export function settledInFull({ basis, offers }: Problem, { lines, plan, orders }: Settled): Settled | null {
  const byRank = new Map(offers.map((offer) => [offer.rank, offer]))
  const plans = plan.lines.map((own, at) => {
    if (own.serves.every(({ offer }) => offer.worthEach === 0)) return own
    const serves = lines[at]!.serves.filter(({ offer, amount }) => offer.worthEach === 0 || amount > 0)
    return {
      ...own,
      serves: serves.map(({ offer, pieces, bought }) => {
        return { offer: offer.worthEach === 0 ? offer : byRank.get(offer.rank)!, pieces, bought }
      }),
    }
  })
  const level = settleLines(basis.lines, plans)
  const uses = plan.orders.uses.flatMap((use) => {
    if (use.offer.worthEach === 0) return [use]
    const placed = orders.placed.find(({ offer }) => offer === use.offer)
    return placed === undefined ? [] : [{ ...use, offer: inFull(placed, byRank.get(use.offer.rank)!) }]
  })
  const whole = { ...plan, lines: plans, orders: { ...plan.orders, uses } }
  return level === null ? null : settleAbove(basis, whole, level)
}

// The last time takes off less than the others, net of its worth too.
function inFull({ amount }: PlacedOrder, offer: Offer): Offer {
  const { times } = offer.shape as ShapeOf<'order'>
  return withinUses(offer, Math.ceil(amount / (times!.amount - offer.cost!.worth)))
}
