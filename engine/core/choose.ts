import type { Market } from './choose-among.js'
import { quantityTimes } from './money.js'
import type { Offer } from './offer.js'
import { goesBefore, keyOf } from './outcome-key.js'
import { heldBy, planLine } from './plan.js'
import { chooseFirst, type First } from './ties.js'

/**
 * Chooses the outcome of greatest value among all that the rules allow (3-benefits 4): the best of every exclusive
 * benefit alone and of all others together.
 */
export function choose(market: Market): First {
  const exclusive = market.offers.filter(({ benefit }) => benefit.combination === 'exclusive')
  if (exclusive.length === 0) return chooseFirst(market, market.offers)
  const others = market.offers.filter(({ benefit }) => benefit.combination !== 'exclusive')
  let best = chooseFirst(market, others)
  for (const offer of exclusive) {
    if (mostOf(market, offer) < best.settled.value) continue
    const alone = chooseFirst({ ...market, stepsMax: Math.max(0, market.stepsMax - best.steps) }, [offer])
    const steps = best.steps + alone.steps
    const bound = Math.max(best.bound, alone.bound)
    const wins =
      alone.settled.value > 0 && goesBefore(keyOf(market.basis, alone.settled), keyOf(market.basis, best.settled))
    const isFirst = best.isFirst && alone.isFirst
    best = { ...(wins ? alone : best), bound, steps, isFirst }
  }
  return best
}

// What an offer could be worth at most, so that most exclusive ones need no search of their own.
function mostOf({ basis, hasOrderDiscounts }: Market, offer: Offer): number {
  if (offer.shape.kind === 'free') return quantityTimes(offer.shape.quantity * 1000, offer.shape.product.unitPrice)
  if (offer.shape.kind !== 'line' || hasOrderDiscounts) return Number.POSITIVE_INFINITY
  let most = 0
  for (const at of offer.lines) {
    const line = basis.lines[at]!
    most += heldBy(line) - planLine(line, { free: [offer], stacks: [] }).restBound
  }
  return most
}
