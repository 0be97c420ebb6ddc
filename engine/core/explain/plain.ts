import { type BasisLine, partOf } from '../base/basis.js'
import { gainAlone, hasMaximum, heldBy, type LineOffers, planLine } from '../lines/plan.js'
import type { Problem } from '../model/problem.js'
import { hasAmountMax, type Offer } from '../offers/offer.js'

/** Whether the lines of an offer are independent: no order level, no shared maximum, no money or account that they share. */
export function isPlain({ hasOrderDiscounts }: Problem, offer: Offer): boolean {
  const isShared = hasMaximum(offer) || hasAmountMax(offer) || offer.cost !== null
  return offer.shape.kind === 'line' && !hasOrderDiscounts && !isShared
}

/** What the offer alone gains on a line, within its units; minor units. */
export function gainOn(line: BasisLine, offer: Offer): number {
  if (offer.unitsMax >= line.pieces) return gainAlone(line, offer)
  if (line.own === 0) return offer.amountOn(line, offer.unitsMax, partOf(line, offer.unitsMax, line.gross))
  const plan = planLine(line, noOffers, [{ offer, pieces: offer.unitsMax, bought: 0 }])
  return Math.max(0, heldBy(line) - plan.rest)
}

const noOffers: LineOffers = { untied: [], stacks: [] }

export function sumOver({ lines }: Offer, amountOf: (at: number) => number): number {
  let sum = 0
  for (let index = 0; index < lines.length; index++) sum += amountOf(lines[index]!)
  return sum
}
