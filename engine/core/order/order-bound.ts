import { type Money, percentageWhole, sumOf } from '../base/money.js'
import { leastMore } from '../base/tolerance.js'
import type { Offer } from '../offers/offer.js'
import { orderAmountOf } from './orders.js'

/**
 * Lower bound of the net after order benefits, each on any of its lines (3-benefits 3), for these and higher costs.
 * Exact if all percentages look at the same lines: only their sum counts, and a smaller one never leaves more.
 *
 * @param room    costs before, by basis position
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

/** The same, less tight, for many normal benefits (null: none): stackable ones once, with a rounding on every line. */
export function coarseNet(room: readonly Money[], stacks: readonly Offer[]): (normal: Offer | null) => Money {
  const { lefts, taken } = weighed(room, stacks)
  const left = sumOf(lefts)
  const roundings = stacks.length * room.length
  return (normal) => {
    if (normal === null) return leastOf(left, taken + roundings)
    const fixed = fixedOn(room, normal)
    if (fixed !== null) return leastOf(left, taken + fixed + roundings)
    const share = (normal.percentage! / percentageWhole) * sumOn(lefts, normal.lines)
    return leastOf(left - share, taken + 1 + roundings)
  }
}

export function areSame(lines: readonly number[], others: readonly number[]): boolean {
  return lines === others || (lines.length === others.length && lines.every((at, index) => at === others[index]))
}

function takenFromSum(room: readonly Money[], offers: readonly Offer[], lines: readonly number[]): Money {
  const inside = new Uint8Array(room.length)
  for (const at of lines) inside[at] = 1
  const amounts = offers.filter(({ percentage }) => percentage === null)
  const touching = amounts.filter((offer) => offer.lines.some((at) => inside[at] === 1))
  let outside = sumBeside(room, touching, inside)
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
      // With several amounts each counts in full, as they may share lines.
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

// All offers but the last may round up on each line, which leaves less to later ones.
function leastWeighed(room: readonly Money[], offers: readonly Offer[]): Money {
  const { lefts, taken } = weighed(room, offers)
  return leastOf(sumOf(lefts), taken + (offers.length - 1) * room.length)
}

interface Weighed {
  readonly lefts: readonly number[]
  readonly taken: Money
}

function weighed(room: readonly Money[], offers: readonly Offer[]): Weighed {
  const lefts = [...room]
  let taken = 0
  for (const offer of offers) {
    const fixed = fixedOn(room, offer)
    if (fixed === null) takeShare(lefts, offer)
    taken += fixed ?? 1
  }
  return { lefts, taken }
}

function takeShare(lefts: number[], { lines, percentage }: Offer): void {
  const left = 1 - percentage! / percentageWhole
  for (let index = 0; index < lines.length; index++) lefts[lines[index]!]! *= left
}

// The most it takes, if the same at higher costs; null for a percentage below its maximum.
function fixedOn(room: readonly Money[], offer: Offer): Money | null {
  const most = orderAmountOf(offer, Number.MAX_SAFE_INTEGER)
  return offer.percentage === null || orderAmountOf(offer, sumOn(room, offer.lines)) === most ? most : null
}

function leastOf(left: number, taken: Money): Money {
  return Math.max(0, Math.floor(left - leastMore(left)) - taken)
}

function sumBeside(room: readonly Money[], offers: readonly Offer[], inside: Uint8Array): Money {
  const isSeen = Uint8Array.from(inside)
  let sum = 0
  for (const { lines } of offers) {
    for (let index = 0; index < lines.length; index++) {
      const at = lines[index]!
      if (isSeen[at] === 1) continue
      isSeen[at] = 1
      sum += room[at]!
    }
  }
  return sum
}

export function sumOn(amounts: readonly Money[], lines: readonly number[]): Money {
  let sum = 0
  for (let index = 0; index < lines.length; index++) sum += amounts[lines[index]!]!
  return sum
}
