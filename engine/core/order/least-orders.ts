import type { Basis } from '../base/basis.js'
import type { Money } from '../base/money.js'
import { subsetsOf } from '../base/subsets.js'
import { replaces } from '../lines/plan.js'
import type { OrderOffers, OrderPlan, OrderUse } from '../model/order-plan.js'
import type { Offer } from '../offers/offer.js'
import { haveSameLines } from './choose-orders.js'
import { settleOrders } from './orders.js'

/** The order level of a basket, on given costs of its lines. */
interface OrderInstance {
  readonly basis: Basis
  /** What the lines cost before the order level, by basis position. */
  readonly rests: readonly Money[]
  readonly offers: OrderOffers
}

/**
 * The order level that leaves the least, and at most `netMost`, by enumeration; null: none does. At most one normal
 * benefit, any stackable ones, the POS's order discounts kept or taken off (3-benefits 3). Benefits on fewer than all of
 * their lines are looked at only where that may do what all lines do not: leave less to pay, or something to a benefit
 * that comes later.
 *
 * @param spend  called for every order level that is settled; false ends the enumeration
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
  /** Less than the best found leaves. */
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

// A benefit that takes nothing is not applied: without it the same order level stands elsewhere in the list.
function tryPlan(search: OrderSearch, plan: OrderPlan): 'kept' | 'dearer' | 'idle' {
  const { basis, rests } = search.instance
  const { net, placed } = settleOrders(basis, rests, plan)
  if (net > search.netMost) return 'dearer'
  if (placed.length < plan.uses.length) return 'idle'
  search.netMost = net - 1
  search.best = plan
  return 'kept'
}

// All choices of lines; the last benefit has all of its own, for nobody comes after it.
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
