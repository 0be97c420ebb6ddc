import { hasMaximum } from '../lines/plan.js'
import { settleLines } from '../lines/settle-lines.js'
import type { Problem } from '../model/instance.js'
import { hasAmountMax, type Offer } from '../offers/offer.js'
import { haveSameLines } from '../order/choose-orders.js'
import { type Settled, settleAbove } from '../order/orders.js'

/**
 * Whether the worth of units can be taken off the amounts of their benefit. `exact`: the value of an outcome is then what it is
 * worth. `bound`: it is no less, as what is taken off after a line-level benefit falls by no more than that does. null: neither is sure.
 */
export function nettingIn({ offers, hasOrderDiscounts }: Problem): 'exact' | 'bound' | null {
  const orders = offers.filter(({ shape }) => shape.kind === 'order')
  const stacks = offers.filter(({ benefit }) => benefit.combination === 'stackable')
  if (hasOrderDiscounts || stacks.some(hasMaximum)) return null
  if (orders.length === 0 && stacks.length === 0) return 'exact'
  return orders.every((order) => !stacks.includes(order)) || haveSameLines(orders) ? 'bound' : null
}

/** Whether an offer costs worth for each unit of a line, which its amounts can be less. */
export function isNettable(offer: Offer): boolean {
  const { cost, shape } = offer
  const isShared = hasMaximum(offer) || hasAmountMax(offer)
  return cost !== null && !cost.isOnce && cost.worth > 0 && shape.kind === 'line' && !isShared
}

/** The offer with amounts less the worth of what they cost. */
export function netOf(offer: Offer): Offer {
  const { worth } = offer.cost!
  return {
    ...offer,
    worthEach: worth,
    amountOn: (line, pieces, part) => Math.max(0, offer.amountOn(line, pieces, part) - worth * pieces),
  }
}

/**
 * An outcome found with net offers, settled with the true ones; units that are not worth it are left out. Null where the true ones
 * do not fit: they take more of a line, or what is left out was all that replaced its own discount.
 */
export function settledInFull({ basis, offers }: Problem, { lines, plan }: Settled): Settled | null {
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
  return level === null ? null : settleAbove(basis, { ...plan, lines: plans }, level)
}
