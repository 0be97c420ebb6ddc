import type { Basis } from '../base/basis.js'
import type { Money } from '../base/money.js'
import { subsetsOf } from '../base/subsets.js'
import { replaces } from '../lines/plan.js'
import type { OrderOffers, OrderPlan, OrderUse } from '../model/order-plan.js'
import type { Offer } from '../offers/offer.js'
import { haveSameLines } from './choose-orders.js'
import { settleOrders } from './orders.js'

/** What order levels are looked for over. */
export interface OrderGround {
  readonly basis: Basis
  /** What the lines cost before the order level, by basis position. */
  readonly rests: readonly Money[]
  readonly offers: OrderOffers
}

/**
 * Every order level that leaves at most `netMost`: at most one normal benefit, any stackable ones, the POS's order
 * discounts kept or taken off (3-benefits 3). Benefits on all of their lines come before the same ones on fewer, which are
 * looked at only where that may do what all lines do not: leave less to pay, or something to a benefit that comes later.
 *
 * @param spend  told of every order level that is worked out; false ends the search
 */
export function orderWays(ground: OrderGround, netMost: Money, spend: () => boolean): OrderPlan[] {
  const { normals, stacks, hasOrderDiscounts } = ground.offers
  const found: OrderPlan[] = []
  for (const off of hasOrderDiscounts ? [false, true] : [false]) {
    const stays = (offer: Offer) => !hasOrderDiscounts || off || !replaces(offer)
    for (const normal of [null, ...normals.filter(stays)]) {
      for (const stacked of subsetsOf(stacks.filter(stays))) {
        const offers = normal === null ? stacked : [normal, ...stacked]
        if (off && !offers.some(replaces)) continue
        if (!addWays({ ground, netMost, spend, found }, off, offers)) return found
      }
    }
  }
  return found
}

interface Looking {
  readonly ground: OrderGround
  readonly netMost: Money
  readonly spend: () => boolean
  readonly found: OrderPlan[]
}

function addWays(looking: Looking, off: boolean, offers: readonly Offer[]): boolean {
  const { spend, found } = looking
  const whole = { off, uses: offers.map((offer) => ({ offer, lines: offer.lines })) }
  if (!spend()) return false
  const { net, placed } = settleOrders(looking.ground.basis, looking.ground.rests, whole)
  const isWhole = placed.length === offers.length
  if (isWhole && net <= looking.netMost) found.push(whole)
  if (haveSameLines(offers) && (isWhole || net > looking.netMost)) return true
  for (const uses of usesOf(offers)) {
    if (!spend()) return false
    if (!fits(looking, { off, uses })) continue
    found.push({ off, uses })
  }
  return true
}

// A benefit that takes nothing is not applied: without it the same order level stands elsewhere in the list.
function fits({ ground: { basis, rests }, netMost }: Looking, plan: OrderPlan): boolean {
  const { net, placed } = settleOrders(basis, rests, plan)
  return net <= netMost && placed.length === plan.uses.length
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
