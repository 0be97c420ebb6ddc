import type { Basis } from './basis.js'
import { linesOf } from './ground.js'
import { loneGain } from './lone-bound.js'
import type { Offer } from './offer.js'
import { sumOf } from './orders.js'
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
  const positions = [...new Set(linesOf(offer))].sort((a, b) => a - b)
  const lines = positions.map((at) => all[at]!)
  if (lines.some(({ own }) => own > 0)) return null
  if (shape.kind === 'line' && unitsMax === Number.POSITIVE_INFINITY) {
    return Math.min(maximumAmount, sumOf(lines.map((line) => gainAlone(line, offer))))
  }
  if (maximumAmount !== Number.POSITIVE_INFINITY) return null
  const indexOf = new Map(positions.map((position, at) => [position, at]))
  const lineOffers = lines.map(() => noOffers)
  const ground = { lines, lineOffers, offers: [offer], loose: [], positions, indexOf }
  return loneGain({ ground, offer, alone: lines.map(untouchedPlan), weights: null })
}
