import { type Money, percentageWhole } from './money.js'
import type { Offer } from './offer.js'
import { orderAmountOf } from './orders.js'

/**
 * The least that lines can come to after order-level benefits, each on whichever of its lines (3-benefits 3), also where
 * lines cost more than this: so the least that lines can cost gives the least of all plans. Only the sums over lines that
 * the same benefits look at count.
 *
 * Exact in whole numbers where all percentages look at the same lines: what is left of their sum then decides, and no
 * order in which it shrinks leaves more of a smaller one. Amounts go outside these lines as far as they can.
 *
 * @param room    what each line costs before, by basis position
 * @param offers  those used, in their order
 */
export function leastNet(room: readonly Money[], offers: readonly Offer[]): Money {
  const percentages = offers.filter(({ percentage }) => percentage !== null)
  const leading = percentages[0] ?? offers[0]
  const total = room.reduce((sum, each) => sum + each, 0)
  if (leading === undefined) return total
  return percentages.every(({ lines }) => areSame(lines, leading.lines))
    ? Math.max(0, total - takenFromSum(room, offers, leading.lines))
    : leastWeighed(room, offers)
}

/**
 * The same for one normal benefit, or none, below stackable ones, coarsely and at once for many of them: none takes more
 * than it would of what the lines cost before.
 */
export function coarseNet(room: readonly Money[], stacks: readonly Offer[]): (normal: Offer | null) => Money {
  const mostOf = (offer: Offer) => orderAmountOf(offer, sumOn(room, offer.lines))
  let left = 0
  for (const each of room) left += each
  for (const offer of stacks) left -= mostOf(offer)
  return (normal) => Math.max(0, left - (normal === null ? 0 : mostOf(normal)))
}

/** Whether two lists of lines are the same. */
export function areSame(lines: readonly number[], others: readonly number[]): boolean {
  return lines === others || (lines.length === others.length && lines.every((at, index) => at === others[index]))
}

function takenFromSum(room: readonly Money[], offers: readonly Offer[], lines: readonly number[]): Money {
  const inside = new Uint8Array(room.length)
  for (const at of lines) inside[at] = 1
  const amounts = offers.filter(({ percentage }) => percentage === null)
  const touching = amounts.filter((offer) => offer.lines.some((at) => inside[at] === 1))
  let outside = sumOn(
    room,
    union(touching).filter((at) => inside[at] === 0),
  )
  let base = sumOn(room, lines)
  let taken = 0
  for (const offer of offers) {
    if (offer.percentage !== null) {
      const amount = orderAmountOf(offer, base)
      base -= amount
      taken += amount
      continue
    }
    const most = orderAmountOf(offer, Number.MAX_SAFE_INTEGER)
    if (!touching.includes(offer)) {
      // Several may want the same lines: then each counts in full.
      const own = amounts.length > 1 ? most : Math.min(most, sumOn(room, offer.lines))
      taken += own
      continue
    }
    const beside = Math.min(most, outside)
    const within = Math.min(most - beside, base)
    outside -= beside
    base -= within
    taken += beside + within
  }
  return taken
}

// A percentage takes its share of every line, or its maximum; each rounds up by a half at most, and a share on a line
// may be a unit more than its part, of which a later one then takes less.
function leastWeighed(room: readonly Money[], offers: readonly Offer[]): Money {
  const weights = room.map(() => 1)
  let taken = 0
  for (const offer of offers) {
    const { percentage, lines } = offer
    const most = orderAmountOf(offer, Number.MAX_SAFE_INTEGER)
    if (percentage === null || orderAmountOf(offer, sumOn(room, lines)) === most) taken += most
    else {
      for (const at of lines) weights[at]! *= 1 - percentage / percentageWhole
      taken += 1
    }
  }
  const roundings = (offers.length - 1) * room.length
  const left = room.reduce((sum, each, at) => sum + each * weights[at]!, 0)
  return Math.max(0, Math.floor(left * (1 - 1e-12)) - taken - roundings)
}

function union(offers: readonly Offer[]): number[] {
  return [...new Set(offers.flatMap(({ lines }) => lines))]
}

function sumOn(room: readonly Money[], lines: readonly number[]): Money {
  let sum = 0
  for (const at of lines) sum += room[at]!
  return sum
}
