import type { Basis } from '../base/basis.js'
import { subsetsOf } from '../base/lists.js'
import type { Money } from '../base/money.js'
import { replaces } from '../lines/plan.js'
import type { OrderOffers, OrderPlan, OrderUse } from '../model/instance.js'
import type { Offer } from '../offers/offer.js'
import { haveSameLines } from './choose-orders.js'
import { settleOrders } from './orders.js'

interface OrderInstance {
  readonly basis: Basis
  readonly rests: readonly Money[]
  readonly offers: OrderOffers
}

/**
 * The order plan of the lowest net, at most `netMost`, by enumeration; null: none (3-benefits 3). Enumerates subsets of
 * lines only if benefits look at different lines, or one takes nothing.
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
  /** One less than the net of the incumbent. */
  netMost: Money
  best: OrderPlan | null
}

function tryLines(search: OrderSearch, off: boolean, offers: readonly Offer[]): boolean {
  if (!search.spend()) return false
  const isOpen = tryPlan(search, { off, uses: offers.map((offer) => ({ offer, lines: offer.lines })) }) === 'idle'
  if (haveSameLines(offers) && !isOpen) return true
  for (const uses of usesOf(offers)) {
    if (!search.spend()) return false
    tryPlan(search, { off, uses })
  }
  return true
}

// Without it, the plan is enumerated elsewhere.
function tryPlan(search: OrderSearch, plan: OrderPlan): 'kept' | 'dearer' | 'idle' {
  const { basis, rests } = search.instance
  const { net, placed } = settleOrders(basis, rests, plan)
  if (net > search.netMost) return 'dearer'
  if (placed.length < plan.uses.length) return 'idle'
  search.netMost = net - 1
  search.best = plan
  return 'kept'
}

// No benefit follows the last one, so it takes all of its lines.
function* usesOf([first, ...others]: readonly Offer[]): Generator<OrderUse[]> {
  const offer = first!
  if (others.length === 0) {
    yield [{ offer, lines: offer.lines }]
    return
  }
  for (const lines of subsetsOf(offer.lines)) {
    for (const rest of usesOf(others)) yield [{ offer, lines }, ...rest]
  }
}
