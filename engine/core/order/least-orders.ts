import type { Basis } from '../base/basis.js'
import { subsetsOf } from '../base/lists.js'
import type { Money } from '../base/money.js'
import { replaces } from '../lines/plan.js'
import type { OrderOffers, OrderPlan, OrderUse } from '../model/instance.js'
import { withinUses } from '../offers/costs-left.js'
import type { Offer } from '../offers/offer.js'
import { haveSameLines } from './choose-orders.js'
import { sumOn } from './order-bound.js'
import { settleOrders } from './orders.js'

interface OrderInstance {
  readonly basis: Basis
  readonly rests: readonly Money[]
  readonly offers: OrderOffers
}

/**
 * The order plan of the lowest net, at most `netMost`, by enumeration; null: none (3-benefits 3). Enumerates subsets of
 * lines, and times, only if benefits look at different lines, or one takes nothing.
 *
 * @param spend  called for each plan; false ends the enumeration
 */
export function leastOrders(instance: OrderInstance, netMost: Money, spend: () => boolean): OrderPlan | null {
  const { normals, stacks, hasOrderDiscounts } = instance.offers
  const search: OrderSearch = { instance, spend, netMost, best: null }
  for (const off of hasOrderDiscounts ? [false, true] : [false]) {
    const stays = (offer: Offer) => !hasOrderDiscounts || off || !replaces(offer)
    for (const normal of [null, ...normals.filter(stays)]) {
      for (const stacked of subsetsOf(stacks.filter(stays))) {
        const offers = normal === null ? stacked : [normal, ...stacked]
        if (off && !offers.some(replaces)) continue
        if (!tryLines(search, off, offers)) return search.best
      }
    }
  }
  return search.best
}

interface OrderSearch {
  readonly instance: OrderInstance
  readonly spend: () => boolean
  netMost: Money
  best: OrderPlan | null
}

function tryLines(search: OrderSearch, off: boolean, offers: readonly Offer[]): boolean {
  if (!search.spend()) return false
  const isOpen = tryPlan(search, { off, uses: offers.map((offer) => ({ offer, lines: offer.lines })) }) === 'idle'
  if (haveSameLines(offers) && !isOpen) return true
  for (const uses of usesOf(offers, search.instance.rests)) {
    if (!search.spend()) return false
    tryPlan(search, { off, uses })
  }
  return true
}

function tryPlan(search: OrderSearch, plan: OrderPlan): 'kept' | 'dearer' | 'idle' {
  const { basis, rests } = search.instance
  const { net, placed } = settleOrders(basis, rests, plan)
  if (net > search.netMost) return 'dearer'
  if (placed.length < plan.uses.length) return 'idle'
  search.netMost = net - 1
  search.best = plan
  return 'kept'
}

// No benefit follows the last one, so it takes all of its lines, and as many times as it can.
function* usesOf([first, ...others]: readonly Offer[], rests: readonly Money[]): Generator<OrderUse[]> {
  const offer = first!
  if (others.length === 0) {
    yield [{ offer, lines: offer.lines }]
    return
  }
  for (const some of inTimes(offer, rests)) {
    for (const lines of subsetsOf(offer.lines)) {
      for (const rest of usesOf(others, rests)) yield [{ offer: some, lines }, ...rest]
    }
  }
}

// An amount up to so many times, and fewer times: later roundings may gain more.
function inTimes(offer: Offer, rests: readonly Money[]): readonly Offer[] {
  if (offer.shape.kind !== 'order' || offer.shape.times === null) return [offer]
  const { most, amount } = offer.shape.times
  const fewer = Math.min(most, Math.ceil(sumOn(rests, offer.lines) / amount)) - 1
  return [offer, ...Array.from({ length: Math.max(0, fewer) }, (_, at) => withinUses(offer, fewer - at))]
}
