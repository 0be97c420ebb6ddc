import type { Basis, BasisLine } from './basis.js'
import { loneGain } from './lone-bound.js'
import type { Offer } from './offer.js'
import { gainAlone, type LineOffers, untouchedPlan } from './plan.js'

const noOffers: LineOffers = { free: [], stacks: [] }

/**
 * What a line-level benefit comes to as the only one of a basket without order discounts of the POS (3-benefits 2),
 * where that needs no search: on lines without own discounts, where no units could be bought or got, nor of two parts
 * of a bundle, and where there are not too many units. Null elsewhere.
 */
export function loneWorth({ lines: all }: Basis, offer: Offer): number | null {
  const { shape, maximumAmount, unitsMax } = offer
  if (shape.kind === 'order' || shape.kind === 'free') return null
  if (shape.kind === 'line' && unitsMax === Number.POSITIVE_INFINITY) return worthOnLines(all, offer)
  if (maximumAmount !== Number.POSITIVE_INFINITY) return null
  const positions = positionsApart(all, offer)
  if (positions === null) return null
  const lines = positions.map((at) => all[at]!)
  const indexOf = new Map(positions.map((position, at) => [position, at]))
  const lineOffers = lines.map(() => noOffers)
  const ground = { lines, lineOffers, offers: [offer], loose: [], positions, indexOf }
  return loneGain({ ground, offer, alone: lines.map(untouchedPlan), weights: null })
}

function worthOnLines(all: readonly BasisLine[], offer: Offer): number | null {
  const { lines, maximumAmount } = offer
  let worth = 0
  for (let index = 0; index < lines.length; index++) {
    const line = all[lines[index]!]!
    if (line.own > 0) return null
    worth += gainAlone(line, offer)
  }
  return Math.min(maximumAmount, worth)
}

// The lines of an offer, ascending; null where one has own discounts, or could serve two parts: that is mostly seen soon.
function positionsApart(all: readonly BasisLine[], { shape, lines }: Offer): number[] | null {
  const seen = new Uint8Array(all.length)
  const parts =
    shape.kind === 'bundle'
      ? shape.components.map((each) => each.lines)
      : shape.kind === 'buy_get'
        ? [shape.buyLines, lines]
        : [lines]
  for (const part of parts) {
    for (let index = 0; index < part.length; index++) {
      const at = part[index]!
      if (seen[at] === 1 || all[at]!.own > 0) return null
      seen[at] = 1
    }
  }
  const positions: number[] = []
  for (let at = 0; at < seen.length; at++) if (seen[at] === 1) positions.push(at)
  return positions
}
