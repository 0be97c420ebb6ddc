import { freeLeftOut, sceneOf } from '../model/components.js'
import type { Market } from '../model/market.js'
import type { Offer } from '../offers/offer.js'
import type { Settled } from '../order/settle-basket.js'
import { chooseAmong } from './choose-among.js'
import type { Chosen } from './chosen.js'
import { goesBefore, keyOf, usedOffers } from './outcome-key.js'
import { walkTies } from './tie-walk.js'

/** Lines, and lines of all offers together, above which ties are left as the search settled them. */
const tiedLinesMax = 8
const tiedCellsMax = 40

/** Steps for walking through all outcomes of a basket. */
const walkStepsMax = 20_000

/** Steps for leaving out benefits one by one, and those counted for each set of them beside its search. */
const leavingStepsMax = 1000
const stepsPerSet = 50

/** The outcome chosen, ties considered. */
export interface First extends Chosen {
  /** Whether it is known to be the first of all outcomes of its value. */
  readonly isFirst: boolean
}

/**
 * The best outcome of some offers, ties settled (3-benefits 4).
 *
 * Small baskets are walked through to the end: the outcome is the first of all, and proven to be the best. Where that
 * takes more than its budget, sets of benefits without one of those used are tried, and the first outcome that was seen
 * is returned. In large baskets ties are settled line by line as the search goes.
 */
export function chooseFirst(market: Market, offers: readonly Offer[]): First {
  const first = chooseTied(market, offers)
  const missing = freeLeftOut(market.basis, offers)
  return missing === 0 ? first : { ...first, bound: first.bound + missing, isFirst: false }
}

function chooseTied(market: Market, offers: readonly Offer[]): First {
  const chosen = chooseAmong(market, offers)
  const cells = offers.reduce((sum, { lines }) => sum + lines.length, 0)
  const isLarge = market.basis.lines.length > tiedLinesMax || cells > tiedCellsMax
  const all = offers.filter(({ unitsMax }) => unitsMax > 0)
  const isFirst = all.length === 0 || (chosen.isUnique && chosen.settled.value > 0)
  if (isFirst || isLarge) return { ...chosen, isFirst: isFirst || chosen.bound <= 0 }
  const stepsMax = Math.min(walkStepsMax, market.stepsMax - chosen.steps)
  const walked = walkTies(market.basis, { scene: sceneOf(market, all), all, start: chosen.settled, stepsMax })
  const { settled } = walked
  const steps = chosen.steps + walked.steps
  if (walked.isComplete) return { ...chosen, settled, bound: Math.max(0, settled.value), steps, isFirst: true }
  const left = leftOut(market, offers, { ...chosen, settled, bound: Math.max(chosen.bound, settled.value), steps })
  return { ...left, isFirst: false }
}

function leftOut(market: Market, offers: readonly Offer[], chosen: Chosen): Chosen {
  let { settled, steps } = chosen
  const seen = new Set<string>()
  const open: (readonly Offer[])[] = without(offers, settled)
  const stepsMax = Math.min(market.stepsMax, steps + leavingStepsMax)
  while (open.length > 0 && steps < stepsMax) {
    const set = open.pop()!
    const name = set.map(({ rank }) => rank).join()
    if (seen.has(name)) continue
    seen.add(name)
    const first = chooseAmong({ ...market, stepsMax: stepsMax - steps }, set)
    steps += first.steps + stepsPerSet
    if (first.settled.value < settled.value) continue
    if (goesBefore(keyOf(market.basis, first.settled), keyOf(market.basis, settled))) settled = first.settled
    open.push(...without(set, first.settled))
  }
  return { ...chosen, settled, bound: Math.max(chosen.bound, settled.value), steps }
}

function without(offers: readonly Offer[], settled: Settled): (readonly Offer[])[] {
  const used = usedOffers(settled)
  return offers.filter(({ rank }) => used.has(rank)).map((offer) => offers.filter((each) => each !== offer))
}
